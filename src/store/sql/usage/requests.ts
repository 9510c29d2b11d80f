import type { Kysely } from 'kysely';
import type {
  NewRequest,
  PlannedRequest,
  RequestFilter,
  RequestStore,
  RequestSummary,
} from '../../contracts/requests.js';
import type { Page, PageRequest } from '../../contracts/page.js';
import { addPeriods } from './add-periods.js';
import { clean } from '../columns.js';
import { pageOf } from '../pages.js';
import { RepeatedInsert } from '../repeated-insert.js';
import {
  fromRequestColumns,
  plannedFromColumns,
  summaryFromColumns,
  toRequestColumns,
} from './request-rows.js';
import { sumRequests } from './request-sums.js';
import { countRequests, requestColumns, selectRequests } from './select-requests.js';
import { addShadows } from '../choices/shadows.js';
import type { StoreTables } from '../tables.js';
import { transact } from '../transact.js';
import { sumUsage } from './sum-usage.js';
import { addUsage, readSpentUsd } from './usage.js';

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
    some: (accountId, ids) => readSome(database, accountId, ids),
    list: (filter, page) => listRequests(database, filter, page),
    counts: (filter, grid) => countRequests(database, filter, grid).execute(),
    usage: (filter, by, page) => sumUsage(database, filter, by, page),
    spentUsd: (spender, firstDay, lastDay) => readSpentUsd(database, spender, firstDay, lastDay),
  };
}

const insertRequests = new RepeatedInsert<'requests', { id: string }>(
  ['id', 'account_id', ...requestColumns, 'plan', 'attempts', 'content'],
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
    const inserted = await insertRequests.run(transaction, sorted.map(toRequestColumns));
    const added = inserted.length === sorted.length ? sorted : onlyOf(sorted, inserted);
    const { days, periods } = sumRequests(added);
    await addUsage(transaction, days);
    await addPeriods(transaction, periods);
    await addShadows(transaction, added);
  });
}

function onlyOf(rows: readonly NewRequest[], inserted: readonly { id: string }[]): NewRequest[] {
  const ids = new Set(inserted.map(({ id }) => id));
  return rows.filter(({ id }) => ids.has(id));
}

async function readSome(
  database: Kysely<StoreTables>,
  accountId: string,
  ids: readonly string[],
): Promise<PlannedRequest[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom('requests')
    .select(['id', 'account_id', ...requestColumns, 'plan'])
    .where('id', 'in', ids.map(clean))
    .where('account_id', '=', accountId)
    .execute();
  return rows.map(plannedFromColumns);
}

async function listRequests(
  database: Kysely<StoreTables>,
  filter: RequestFilter,
  page: PageRequest,
): Promise<Page<RequestSummary>> {
  const rows = await selectRequests(database, filter, page).execute();
  return pageOf(rows, page.limit, (row) => [row.at, row.id], summaryFromColumns);
}
