import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/store/open-store.js';
import type { Store } from '../../../../src/store/contracts/store.js';

const secret = 'the patient asked about her rash';
/** Some MB of prompts, most of them on pages of their own. */
const dataset = `prompt,a,b\n${Array.from({ length: 40_000 }, (_, at) => `"${secret} ${at}, and what helps against it",0,1`).join('\n')}`;
const wishes = {
  format: 'csv',
  promptColumn: 'prompt',
  models: null,
  maximize: true,
  seed: 1,
} as const;
const accountId = 'x';

describe('prompts of a training that are deleted', () => {
  let folder: string;
  let store: Store;
  let preferenceId: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-erasure-'));
    store = await openStore(`file:${join(folder, 'signalbox.db')}`);
    ({ id: preferenceId } = await store.preferences.add({
      id: randomUUID(),
      accountId,
      name: 'Mine',
      settings: {},
      createdAt: 1,
    }));
    await store.trainings.add({
      id: randomUUID(),
      accountId,
      preferenceId,
      wishes,
      dataset,
      at: 1,
    });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const found = (): number =>
    readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'latin1').split(secret).length - 1)
      .reduce((sum, times) => sum + times, 0);

  const removed = async (): Promise<void> => {
    expect(await store.trainings.remove(accountId, preferenceId)).toBe(true);
  };
  const finished = async (): Promise<void> => {
    const leased = await store.trainingQueue.take({ owner: 'one', at: 1, until: 100 });
    await store.trainingQueue.finish(
      leased!.id,
      { owner: 'one', at: 2 },
      { state: 'not_useful', report: {}, error: null, router: null },
    );
  };

  it.each([
    ['removed', removed],
    ['over', finished],
  ])('are gone from the files once it is %s and the gateway stops', async (_what, end) => {
    expect(found()).toBeGreaterThan(30_000);
    await end();
    await store.close();
    expect(found()).toBe(0);
  });

  it('are gone from the files while the database runs, after a few other writes', async () => {
    await removed();
    const write = async (): Promise<void> => {
      for (let times = 0; times < 100; times++)
        await store.preferences.add({
          id: randomUUID(),
          accountId,
          name: 'x'.repeat(4_000),
          settings: {},
          createdAt: 1,
        });
    };
    for (let rounds = 0; found() > 0 && rounds < 20; rounds++) await write();
    expect(found()).toBe(0);
    expect(
      Math.max(
        ...readdirSync(folder)
          .filter((file) => file.endsWith('-wal'))
          .map((file) => statSync(join(folder, file)).size),
      ),
    ).toBeLessThan(8_000_000);
  });
});
