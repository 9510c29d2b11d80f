import type { Selectable } from 'kysely';
import type { AlertRow, AlertStore } from '../../contracts/alerts.js';
import { clean, columnsOf, fieldsOf } from '../columns.js';
import { readPage } from '../pages.js';
import type { AlertTable, Database } from '../tables.js';

/** The alerts in SQL. */
export function createAlertStore(database: Database): AlertStore {
  const open = { attempts: 0, tried_at: null, sent_at: null, sent_to: '[]', error: null };
  return {
    async add(alert) {
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('alerts')
        .values({ ...columnsOf(alert), ...open })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    async unsent(from, before) {
      const rows = await database
        .selectFrom('alerts')
        .selectAll()
        .where('sent_at', 'is', null)
        .where('at', '>=', from)
        .where((eb) => eb.or([eb('tried_at', 'is', null), eb('tried_at', '<', before)]))
        .orderBy('at')
        .execute();
      return rows.map(fromColumns);
    },
    async begin({ id, attempts }, now) {
      const { numUpdatedRows } = await database
        .updateTable('alerts')
        .set({ attempts: attempts + 1, tried_at: now })
        .where('id', '=', id)
        .where('attempts', '=', attempts)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async finish({ id, sentAt, sentTo, error }) {
      await database
        .updateTable('alerts')
        .set({ sent_at: sentAt, sent_to: JSON.stringify(sentTo), error: clean(error) })
        .where('id', '=', id)
        .execute();
    },
    async count(from) {
      const rows = database.selectFrom('alerts').where('at', '>=', from);
      const row = await rows.select(({ fn }) => fn.countAll().as('count')).executeTakeFirst();
      return Number(row?.count);
    },
    list: (page) => readPage(database.selectFrom('alerts').selectAll(), 'at', page, fromColumns),
    async removeBefore(at) {
      await database.deleteFrom('alerts').where('at', '<', at).execute();
    },
  };
}

const fromColumns = ({ sent_to, ...row }: Selectable<AlertTable>): AlertRow => ({
  ...fieldsOf<Omit<AlertRow, 'sentTo'>>(row),
  sentTo: JSON.parse(sent_to) as string[],
});
