import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportAccount } from '../../src/accounts/export-account.js';
import type { NewResponse } from '../../src/store/contracts/responses.js';
import type { Store } from '../../src/store/contracts/store.js';
import { type Place, storeRows } from '../helpers/stores.js';

describe.each(storeRows)('responses on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  async function save(accountId: string, more: Partial<NewResponse> = {}): Promise<string> {
    const id = `resp_${randomUUID()}`;
    const json = { input: `["in ${id}"]`, response: `{"id":"${id}","text":"€ \\u0000"}` };
    const own = { id, accountId, previousId: null, at: 1_000, ...json, itemIds: [] };
    await store.responses.save({ ...own, ...more });
    return id;
  }

  it('are read by another process with all that they continue, oldest first', async () => {
    const accountId = randomUUID();
    const first = await save(accountId);
    const second = await save(accountId, { previousId: first });
    const third = await save(accountId, { previousId: second });
    await save(accountId, { previousId: first });
    const { responses } = await place.open();
    const chain = await responses.chain(accountId, third, 10);
    expect(chain.map(({ id }) => id)).toEqual([first, second, third]);
    expect(chain[0]).toEqual({
      id: first,
      previousId: null,
      input: `["in ${first}"]`,
      response: `{"id":"${first}","text":"€ \\u0000"}`,
    });
    expect((await responses.chain(accountId, third, 2)).map(({ id }) => id)).toEqual([
      second,
      third,
    ]);
    expect(await responses.chain(randomUUID(), third, 10)).toEqual([]);
  });

  it('are found by their items, in their account', async () => {
    const accountId = randomUUID();
    const [one, two] = [
      await save(accountId, { itemIds: ['msg_1', 'msg_1', 'fc_1'] }),
      await save(accountId, { itemIds: ['msg_2'] }),
    ];
    const ids = async (account: string, items: string[]): Promise<string[]> =>
      ((await store.responses.withItems(account, items, 1_000)) ?? []).map(({ id }) => id).sort();
    expect(await ids(accountId, ['fc_1', 'msg_2', 'none'])).toEqual([one, two].sort());
    expect(await ids(randomUUID(), ['fc_1'])).toEqual([]);
    // an item of a later response under the same id
    const three = await save(accountId, { itemIds: ['fc_1'] });
    expect(await ids(accountId, ['fc_1'])).toEqual([three]);
    expect(await store.responses.remove(accountId, three)).toBe(true);
    expect(await store.responses.remove(accountId, three)).toBe(false);
    expect(await ids(accountId, ['fc_1'])).toEqual([]);
  });

  it('are not read where they are longer than a reader takes', async () => {
    const accountId = randomUUID();
    const first = await save(accountId, { itemIds: ['msg_1'] });
    const second = await save(accountId, { previousId: first, itemIds: ['msg_2'] });
    const third = await save(accountId, { previousId: second });
    const { responses } = store;
    expect(await responses.withItems(accountId, ['msg_1', 'msg_2'], 100)).toBeNull();
    expect(await responses.withItems(accountId, ['msg_1', 'msg_2'], 200)).toHaveLength(2);
    // the one that exceeds it is the last to be read
    const chain = await responses.chain(accountId, third, 10, 150);
    expect(chain.map(({ id }) => id)).toEqual([second, third]);
    expect(await responses.chain(accountId, third, 10, 1_000)).toHaveLength(3);
  });

  it('count as storage, are exported, and end with their age and their account', async () => {
    const accountId = randomUUID();
    const id = await save(accountId, { itemIds: ['msg_1'], at: 1_000 });
    const young = await save(accountId, { itemIds: ['msg_2'], at: 3_000 });
    expect(await store.conversations.storedBytes(accountId)).toBeGreaterThan(200);
    const lines: string[] = [];
    for await (const line of exportAccount(store, accountId, { isComplete: true }))
      lines.push(line);
    expect(lines.filter((line) => line.startsWith('{"object":"response"'))).toHaveLength(2);
    for (const table of ['responses', 'response_items'] as const)
      await store.retention.removeBefore(table, 2_000, 100_000);
    expect(await store.responses.chain(accountId, id, 9)).toEqual([]);
    expect(await store.responses.chain(accountId, young, 9)).toHaveLength(1);
    while ((await store.removal.removeRows(accountId, 100)) > 0);
    expect(await store.responses.chain(accountId, young, 9)).toEqual([]);
    expect(await store.responses.withItems(accountId, ['msg_2'], 1_000)).toEqual([]);
  });
});
