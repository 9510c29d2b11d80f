import type { Kysely } from 'kysely';
import type { NewRequest, RequestFilter, RequestRow, RequestStore } from '../contracts/requests.js';
import type { Page, PageRequest } from '../contracts/page.js';
import { clean } from './columns.js';
import { after, pageOf } from './pages.js';
import { RepeatedInsert } from './repeated-insert.js';
import { fromRequestColumns, toRequestColumns } from './request-rows.js';
import type { StoreTables } from './tables.js';
import { transact } from './transact.js';
import { addUsage, readSpentUsd, readUsageDays } from './usage.js';

/** The request log in SQL. */
export function createRequestStore(database: Kysely<StoreTables>): RequestStore {
  return {
    add: (rows) => addRequests(database, rows),
    async find(accountId, id) {
      let query = database.selectFrom('requests').selectAll().where('id', '=', clean(id));
      if (accountId !== null) query = query.where('account_id', '=', accountId);
      const row = await query.executeTakeFirst();
      return row ? fromRequestColumns(row) : null;
    },
    list: (filter, page) => listRequests(database, filter, page),
    usage: (filter) => readUsageDays(database, filter),
    spentUsd: (spender, firstDay, lastDay) => readSpentUsd(database, spender, firstDay, lastDay),
  };
}

const insertRequests = new RepeatedInsert<'requests', { id: string }>(
  [
    'id',
    'request_id',
    'account_id',
    'key_id',
    'surface',
    'at',
    'status',
    'code',
    'error',
    'field',
    'provider',
    'model',
    'plan_id',
    'conversation_id',
    'response_id',
    'stream',
    'latency_ms',
    'ttft_ms',
    'prompt_tokens',
    'completion_tokens',
    'cost_usd',
    'plan',
    'attempts',
    'content',
  ],
  (database, rows) =>
    database
      .insertInto('requests')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id'),
);

async function addRequests(
  database: Kysely<StoreTables>,
  rows: readonly NewRequest[],
): Promise<void> {
  if (rows.length === 0) return;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const sorted = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  await transact(database, async (transaction) => {
    const inserted = new Set(
      (await insertRequests.run(transaction, sorted.map(toRequestColumns))).map(({ id }) => id),
    );
    await addUsage(
      transaction,
      sorted.filter((row) => inserted.has(row.id)),
    );
  });
}

async function listRequests(
  database: Kysely<StoreTables>,
  filter: RequestFilter,
  page: PageRequest,
): Promise<Page<RequestRow>> {
  let query = database.selectFrom('requests').selectAll();
  if (filter.accountId !== null) query = query.where('account_id', '=', clean(filter.accountId));
  if (typeof filter.keyId === 'string') query = query.where('key_id', '=', clean(filter.keyId));
  if (typeof filter.provider === 'string')
    query = query.where('provider', '=', clean(filter.provider));
  if (typeof filter.model === 'string') query = query.where('model', '=', clean(filter.model));
  if (typeof filter.responseId === 'string')
    query = query.where('response_id', '=', clean(filter.responseId));
  if (typeof filter.status === 'number') query = query.where('status', '=', filter.status);
  if (typeof filter.statusClass === 'number')
    query = query
      .where('status', '>=', filter.statusClass * 100)
      .where('status', '<', (filter.statusClass + 1) * 100);
  if (typeof filter.from === 'number') query = query.where('at', '>=', filter.from);
  if (typeof filter.to === 'number') query = query.where('at', '<', filter.to);
  const rows = await query
    .where(after(['at', 'id'], page.cursor))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return pageOf(rows, page.limit, (row) => [row.at, row.id], fromRequestColumns);
}
