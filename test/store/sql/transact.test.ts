import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import type { Store } from '../../../src/store/contracts/store.js';
import { transact } from '../../../src/store/sql/transact.js';
import { type Place, postgresPlace, storeRows } from '../../helpers/stores.js';

describe('transactions on PostgreSQL', () => {
  let place: Place;
  let store: Store;

  beforeAll(async () => {
    place = await postgresPlace();
    store = await place.open();
  });
  afterAll(() => place.remove());

  it('that deadlock are both committed, each once', async () => {
    const database = place.connect();
    for (const id of ['a', 'b'])
      await store.conversations.create({
        id,
        accountId: 'x',
        title: id,
        titleSource: 'given',
        createdAt: 0,
      });
    const begun: string[] = [];
    let bothHoldOne = (): void => undefined;
    const holding = new Promise<void>((resolve) => (bothHoldOne = resolve));
    const countBoth = (first: string, second: string): Promise<void> =>
      transact(database, async (transaction) => {
        const count = (id: string) =>
          transaction
            .updateTable('conversations')
            .where('id', '=', id)
            .set((eb) => ({ message_count: eb('message_count', '+', 1) }))
            .execute();
        await count(first);
        if (begun.push(first) === 2) bothHoldOne();
        await holding;
        await count(second);
      });
    await Promise.all([countBoth('a', 'b'), countBoth('b', 'a')]);
    expect(begun.length).toBeGreaterThanOrEqual(3);
    for (const id of ['a', 'b'])
      expect(await store.conversations.find('x', id)).toMatchObject({ messageCount: 2 });
  });
});

describe.each(storeRows)('a transaction on $name', (row) => {
  it('that fails for another reason is not retried and stores nothing', async () => {
    const place = await row.place();
    const store = await place.open();
    let tries = 0;
    await expect(
      transact(place.connect(), async (transaction) => {
        tries += 1;
        await transaction.insertInto('secrets').values({ name: 'half', value: 'done' }).execute();
        throw new GatewayError('internal', 'no');
      }),
    ).rejects.toThrow('no');
    expect(tries).toBe(1);
    expect(await store.secret('half')).toHaveLength(32);
    await place.remove();
  });
});
