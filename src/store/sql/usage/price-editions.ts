import type { PriceEditionRow, PriceEditionStore } from '../../contracts/price-editions.js';
import { clean } from '../columns.js';
import type { Database } from '../tables.js';

const maxKept = 5;

/** Price data in SQL. */
export function createPriceEditionStore(database: Database): PriceEditionStore {
  const rows = () =>
    database
      .selectFrom('price_editions')
      .select(['id', 'at', 'source'])
      .orderBy('at', 'desc')
      .orderBy('id', 'desc');
  const removed = (ids: readonly string[]) =>
    database.deleteFrom('price_editions').where('id', 'in', ids).execute();
  return {
    newest,
    async text(id) {
      const found = database.selectFrom('price_editions').select('data').where('id', '=', id);
      return (await found.executeTakeFirst())?.data ?? null;
    },
    async add({ id, at, source }, text) {
      const row = { id, at, source: clean(source), data: clean(text) };
      await database.insertInto('price_editions').values(row).execute();
      const old = (await rows().execute()).slice(maxKept);
      if (old.length > 0) await removed(old.map((one) => one.id));
    },
    async removeNewest() {
      const found = await newest();
      if (found) await removed([found.id]);
      return found;
    },
  };

  async function newest(): Promise<PriceEditionRow | null> {
    const row = await rows().limit(1).executeTakeFirst();
    return row ?? null;
  }
}
