import type { Selectable } from 'kysely';
import type { AuditRow, AuditStore } from '../../contracts/audit.js';
import { clean, columnsOf, fieldsOf, fromJson, toJson } from '../columns.js';
import { readPage } from '../pages.js';
import type { AuditTable, Database } from '../tables.js';

/** The audit log in SQL. */
export const createAuditStore = (database: Database): AuditStore => ({
  async add(row) {
    const columns = { ...columnsOf(row), at: Math.round(row.at), details: toJson(row.details) };
    await database.insertInto('audit').values(columns).execute();
  },
  async list({ accountId, act, from, to }, page) {
    let query = database.selectFrom('audit').selectAll();
    if (typeof accountId === 'string')
      query = query.where((eb) =>
        eb.or([
          eb('account_id', '=', clean(accountId)),
          eb('actor_account_id', '=', clean(accountId)),
        ]),
      );
    if (typeof act === 'string') query = query.where('act', '=', act);
    if (typeof from === 'number') query = query.where('at', '>=', from);
    if (typeof to === 'number') query = query.where('at', '<', to);
    return readPage(query, 'at', page, fromColumns);
  },
});

function fromColumns(row: Selectable<AuditTable>): AuditRow {
  return { ...fieldsOf<Omit<AuditRow, 'details'>>(row), details: fromJson(row.details) };
}
