import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetLearningCommand, showLearningCommand } from '../../src/cli/learning.js';
import { resolveConfig } from '../../src/config/config.js';
import { encodeEvidence } from '../../src/chooser/learning/evidence-codec.js';
import { withRating } from '../../src/chooser/learning/add-evidence.js';
import { nothingLearned } from '../../src/chooser/learning/evidence.js';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import type { Store } from '../../src/store/contracts/store.js';
import { expectConforms } from '../helpers/conforms.js';
import { type Place, storeRows } from '../helpers/stores.js';

const config = resolveConfig({}, {});
const hourMs = 3_600_000;

describe('signalbox learning', () => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await storeRows[0]!.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  const shown = async (): Promise<unknown> =>
    JSON.parse(await showLearningCommand(store, {}, config));

  it('shows what the API shows, and takes back the part that is named', async () => {
    const now = Date.now();
    const ratings = [
      { key: 'a', at: now - 2 * hourMs },
      { key: 'b', at: now - 2 * hourMs },
      { key: 'a', at: now },
    ].map((one) => ({
      ...one,
      subject: '',
      model: 'm',
      kinds: null,
      predicted: 0.5,
      score: 0,
    }));
    const scope = { accountId: firstAccountId, preferenceId: '' };
    await store.learnings.change([
      [scope, () => encodeEvidence(ratings.reduce(withRating, nothingLearned))],
    ]);
    const before = await shown();
    expectConforms('learning.response', before);
    expect(before).toMatchObject({ models: [{ model: 'm', ratings: 3 }] });
    const from = new Date(now - hourMs).toISOString();
    expect(await forgetLearningCommand(store, { from })).toContain('a part');
    expect(await shown()).toMatchObject({ models: [{ ratings: 2 }] });
    await forgetLearningCommand(store, { key: 'a' });
    expect(await shown()).toMatchObject({ keys: [{ keyId: 'b' }] });
    for (const nothing of [{ key: 'nosuch' }, { model: 'nosuch' }])
      expect(await forgetLearningCommand(store, nothing)).toContain('nothing was forgotten');
    expect(await forgetLearningCommand(store, {})).toContain('all');
    expect(await shown()).toMatchObject({ models: [], updatedAt: null });
    const { items } = await store.audit.list(
      { act: 'learning.forget' },
      { limit: 9, cursor: null },
    );
    expect(items.map(({ details }) => details)).toEqual([null, { key: 'a' }, { from }]);
  });

  it('says what is wrong with its options', async () => {
    await expect(forgetLearningCommand(store, { from: 'soon' })).rejects.toThrow('--from: ');
    for (const name of ['from', 'key', 'model'])
      await expect(forgetLearningCommand(store, { [name]: '' })).rejects.toThrow(`--${name}: `);
    await expect(showLearningCommand(store, { preference: 'x' }, config)).rejects.toThrow(
      'no preference',
    );
  });
});
