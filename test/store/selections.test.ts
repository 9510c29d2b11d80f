import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packCandidates } from '../../src/store/packed-candidates.js';
import type {
  NewSelection,
  SelectionRow,
  SelectionStore,
} from '../../src/store/contracts/requests.js';
import { type Place, storeRows } from '../helpers/stores.js';

const weighed = [
  {
    label: 'openai/gpt-4o',
    provider: 'openai',
    model: 'gpt-4o',
    quality: 0.78,
    price: 4.375,
    latency: null,
    score: 0.78,
    reason: 'cheapest',
  },
];
const selectionOf = (
  accountId: string,
  id: string,
  previousId: string | null,
  at: number,
  changes: Partial<NewSelection> = {},
): NewSelection => ({
  id,
  accountId,
  keyId: null,
  previousId,
  at,
  label: 'openai/gpt-4o',
  candidates: packCandidates(weighed),
  reason: 'cheapest',
  tradeoff: null,
  preferenceId: null,
  content: null,
  ...changes,
});

describe.each(storeRows)('decisions on $name', (row) => {
  let place: Place;
  let selections: SelectionStore;
  const groupOf = async (accountId: string, id: string): Promise<string[]> =>
    (await selections.group(accountId, id)).map((one) => one.id);
  /** Unique ids, one for each letter. */
  const named = (): ((letter: string) => string) => {
    const stem = randomUUID();
    return (letter) => `${stem}-${letter}`;
  };

  beforeAll(async () => {
    place = await row.place();
    selections = (await place.open()).selections;
  });
  afterAll(() => place.remove());

  it('are stored as they were made', async () => {
    const [accountId, id] = [randomUUID(), randomUUID()];
    const full = selectionOf(accountId, id, null, 5, {
      keyId: 'key',
      tradeoff: 'cost',
      preferenceId: 'preference',
      content: [{ role: 'user', content: 'Hi \0' }],
    });
    await selections.add([full]);
    await selections.add([{ ...full, label: 'other' }]);
    await selections.add([]);
    expect(await selections.group(accountId, id)).toEqual([
      { ...full, candidates: weighed } satisfies SelectionRow,
    ]);
    expect((await selections.list(accountId, { limit: 1, cursor: null })).items).toEqual([
      { ...full, candidates: weighed },
    ]);
  });

  it('of earlier versions, whose candidates were stored as objects, can be read', async () => {
    const [accountId, id] = [randomUUID(), randomUUID()];
    await selections.add([
      selectionOf(accountId, id, null, 5, { candidates: JSON.stringify(weighed) }),
    ]);
    expect(await selections.group(accountId, id)).toMatchObject([{ id, candidates: weighed }]);
  });

  it('form one group, whichever of its decisions is asked for', async () => {
    const [accountId, id] = [randomUUID(), named()];
    await selections.add([
      selectionOf(accountId, id('a'), null, 1),
      selectionOf(accountId, id('b'), id('a'), 2),
      selectionOf(accountId, id('c'), id('b'), 4),
      selectionOf(accountId, id('d'), id('a'), 3),
      selectionOf(accountId, id('x'), null, 2),
    ]);
    const all = ['a', 'b', 'd', 'c'].map(id);
    for (const one of all) expect(await groupOf(accountId, one)).toEqual(all);
    expect(await groupOf(accountId, id('x'))).toEqual([id('x')]);
    expect(await groupOf(accountId, id('unknown'))).toEqual([]);
  });

  it('come after those that they continue, even in the same millisecond', async () => {
    const [accountId, id] = [randomUUID(), named()];
    await selections.add([
      selectionOf(accountId, id('z'), null, 5),
      selectionOf(accountId, id('y'), id('z'), 5),
      selectionOf(accountId, id('x'), id('y'), 5),
      selectionOf(accountId, id('a'), id('x'), 6),
    ]);
    expect(await groupOf(accountId, id('a'))).toEqual(['z', 'y', 'x', 'a'].map(id));
  });

  it('are found if the ones before them were written later, or never', async () => {
    const [accountId, id] = [randomUUID(), named()];
    await selections.add([
      selectionOf(accountId, id('c'), id('b'), 3),
      selectionOf(accountId, id('d'), id('b'), 4),
    ]);
    expect(await groupOf(accountId, id('d'))).toEqual([id('c'), id('d')]);
    await selections.add([selectionOf(accountId, id('a'), null, 1)]);
    expect(await groupOf(accountId, id('a'))).toEqual([id('a')]);
    await (await place.open()).selections.add([selectionOf(accountId, id('b'), id('a'), 2)]);
    for (const letter of ['a', 'b', 'c', 'd'])
      expect(await groupOf(accountId, id(letter))).toEqual(['a', 'b', 'c', 'd'].map(id));
  });

  it('end if the links form a circle', async () => {
    const [accountId, id] = [randomUUID(), named()];
    await selections.add([
      selectionOf(accountId, id('a'), id('c'), 1),
      selectionOf(accountId, id('b'), id('a'), 2),
      selectionOf(accountId, id('c'), id('b'), 3),
      selectionOf(accountId, id('e'), id('e'), 4),
    ]);
    expect(await groupOf(accountId, id('b'))).toEqual(['a', 'b', 'c'].map(id));
    expect(await groupOf(accountId, id('e'))).toEqual([id('e')]);
  });

  it('are at most a thousand in a group', async () => {
    const [accountId, id] = [randomUUID(), named()];
    const chain = Array.from({ length: 2_500 }, (_, index) =>
      selectionOf(accountId, id(String(index)), index === 0 ? null : id(String(index - 1)), index),
    );
    await selections.add(chain);
    expect(await groupOf(accountId, id('10'))).toEqual(chain.slice(0, 1_000).map((one) => one.id));
    const late = await groupOf(accountId, id('2499'));
    expect(late).toHaveLength(1_000);
    expect(late.at(-1)).toBe(id('2499'));
  });

  it('of another account are in no group', async () => {
    const [accountId, stranger, id] = [randomUUID(), randomUUID(), named()];
    await selections.add([
      selectionOf(accountId, id('a'), null, 1),
      selectionOf(stranger, id('b'), id('a'), 2),
      selectionOf(accountId, id('c'), id('b'), 3),
    ]);
    expect(await groupOf(accountId, id('a'))).toEqual([id('a')]);
    expect(await groupOf(stranger, id('a'))).toEqual([id('b')]);
    expect(await groupOf(stranger, id('c'))).toEqual([]);
    expect((await selections.list(stranger, { limit: 10, cursor: null })).items).toEqual([]);
  });

  it('that begin a group are listed newest first, page by page', async () => {
    const [accountId, id] = [randomUUID(), named()];
    await selections.add(
      ['a', 'b', 'c'].flatMap((letter, at) => [
        selectionOf(accountId, id(letter), null, at),
        selectionOf(accountId, id(`after-${letter}`), id(letter), at + 10),
      ]),
    );
    const first = await selections.list(accountId, { limit: 2, cursor: null });
    const second = await selections.list(accountId, { limit: 2, cursor: first.next });
    expect([...first.items, ...second.items].map((one) => one.id)).toEqual(['c', 'b', 'a'].map(id));
    expect(second.next).toBeNull();
  });
});
