import { sql } from 'kysely';
import type { ResponseRecord, ResponseStore } from '../../contracts/responses.js';
import { clean } from '../columns.js';
import { readPage } from '../pages.js';
import type { Database } from '../tables.js';
import { transact } from '../transact.js';

const columns = sql`id, previous_id as "previousId", input, response`;

/** The responses of the Responses dialect in SQL. */
export const createResponseStore = (database: Database): ResponseStore => ({
  save: ({ id, accountId, previousId, at, input, response, itemIds }) =>
    transact(database, async (transaction) => {
      const own = { account_id: clean(accountId), at };
      await transaction
        .insertInto('responses')
        .values({ ...own, id, previous_id: previousId, input, response })
        .execute();
      if (itemIds.length === 0) return;
      const items = [...new Set(itemIds)];
      await transaction
        .insertInto('response_items')
        .values(items.map((item) => ({ ...own, id: clean(item), response_id: id })))
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'id']).doUpdateSet({ at, response_id: id }),
        )
        .execute();
    }),
  async chain(accountId, id, maxTurns, maxLength = Number.MAX_SAFE_INTEGER) {
    const account = clean(accountId);
    const { rows } = await sql<ResponseRecord>`
        with recursive chain as (
          select id, previous_id, input, response, 1 as turn,
              cast(length(input) + length(response) as bigint) as total from responses
            where account_id = ${account} and id = ${clean(id)}
          union all
          select earlier.id, earlier.previous_id, earlier.input, earlier.response, chain.turn + 1,
              chain.total + length(earlier.input) + length(earlier.response)
            from responses earlier join chain on earlier.id = chain.previous_id
            where earlier.account_id = ${account} and chain.turn < ${sql.lit(maxTurns)}
              and chain.total <= ${sql.lit(maxLength)})
        select ${columns} from chain order by turn desc`.execute(database);
    return rows;
  },
  withItems: (accountId, itemIds, maxLength) =>
    withItems(database, clean(accountId), itemIds.map(clean), maxLength),
  remove: (accountId, id) =>
    transact(database, (transaction) => remove(transaction, clean(accountId), clean(id))),
  list: (accountId, page) => {
    const own = database.selectFrom('responses').where('account_id', '=', clean(accountId));
    return readPage(own.select(['id', 'at']), 'at', page, (row) => row);
  },
});

async function withItems(
  database: Database,
  account: string,
  items: readonly string[],
  maxLength: number,
): Promise<Pick<ResponseRecord, 'id' | 'response'>[] | null> {
  const those = sql`from responses where account_id = ${account} and id in (
    select response_id from response_items where account_id = ${account}
      and id in (${sql.join(items)}))`;
  const sum = sql<{ total: unknown }>`select sum(length(response)) as total ${those}`;
  const { rows } = await sum.execute(database);
  if (Number(rows[0]?.total) > maxLength) return null;
  const found = sql<{ id: string; response: string }>`select id, response ${those}`;
  return (await found.execute(database)).rows;
}

async function remove(transaction: Database, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('responses')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  await transaction
    .deleteFrom('response_items')
    .where('account_id', '=', accountId)
    .where('response_id', '=', id)
    .execute();
  return numDeletedRows > 0n;
}
