import type { Insertable, Kysely, Selectable } from 'kysely';
import type { AuditRow, AuditStore } from '../../contracts/audit.js';
import { clean, fromJson, toJson, fieldsOf } from '../columns.js';
import { readPage } from '../pages.js';
import type { AuditTable, StoreTables } from '../tables.js';

/** The audit log in SQL. */
export function createAuditStore(database: Kysely<StoreTables>): AuditStore {
  return {
    async add(row) {
      await database.insertInto('audit').values(toColumns(row)).execute();
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
  };
}

function toColumns(row: AuditRow): Insertable<AuditTable> {
  return {
    id: row.id,
    at: Math.round(row.at),
    act: row.act,
    account_id: row.accountId,
    target: clean(row.target),
    actor: clean(row.actor),
    actor_account_id: row.actorAccountId,
    actor_key_id: row.actorKeyId,
    address: clean(row.address),
    details: toJson(row.details),
  };
}

function fromColumns(row: Selectable<AuditTable>): AuditRow {
  return { ...fieldsOf<Omit<AuditRow, 'details'>>(row), details: fromJson(row.details) };
}
