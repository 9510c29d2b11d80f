import { sql, type SqlBool } from 'kysely';
import type { FeedbackRow, FeedbackStore } from '../../contracts/requests.js';
import { clean, columnsOf, fieldsOf } from '../columns.js';
import { readPage } from '../pages.js';
import type { Database } from '../tables.js';

/** The feedback in SQL. Adding the same row again changes nothing. */
export const createFeedbackStore = (database: Database): FeedbackStore => ({
  add: (row) => addFeedback(database, row),
  async forget({ accountId, preferenceId, from, keyIds, models }) {
    if (keyIds?.length === 0 || models?.length === 0) return false;
    let update = database
      .updateTable('feedback')
      .set({ predicted: null })
      .where('account_id', '=', clean(accountId))
      .where('predicted', 'is not', null)
      .where(isOfPreference(clean(preferenceId)));
    if (from !== null) update = update.where('at', '>=', Math.ceil(from));
    if (keyIds) update = update.where('key_id', 'in', keyIds.map(clean));
    if (models) update = update.where('model', 'in', models.map(clean));
    return Number((await update.executeTakeFirst()).numUpdatedRows) > 0;
  },
  async ratedModels(accountId) {
    const rows = await database
      .selectFrom('feedback')
      .select('model')
      .distinct()
      .where('account_id', '=', clean(accountId))
      .where('predicted', 'is not', null)
      .execute();
    return rows.flatMap(({ model }) => model ?? []);
  },
  list: (accountId, page) => {
    const own = database.selectFrom('feedback').selectAll().where('account_id', '=', accountId);
    return readPage(own, 'at', page, fieldsOf<FeedbackRow>);
  },
});

/** Stores feedback, alone or as a part of a larger transaction. */
export async function addFeedback(database: Database, row: FeedbackRow): Promise<void> {
  await database
    .insertInto('feedback')
    .values({ ...columnsOf(row), at: Math.round(row.at) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Feedback itself does not say by which preference the rated model was chosen. */
function isOfPreference(preferenceId: string) {
  const isNone = preferenceId === '';
  const named = isNone ? sql`preference_id <> ''` : sql`preference_id = ${preferenceId}`;
  // the plan is JSON, in which the text of a client cannot have quotation marks of its own
  const inPlan = `%"preferenceId":"${isNone ? '' : `${preferenceId}"`}%`;
  const found = sql<SqlBool>`(
    exists (select 1 from selections s where s.id = feedback.session_id
      and s.account_id = feedback.account_id and ${named})
    or exists (select 1 from shadows s where s.plan_id = feedback.session_id
      and s.account_id = feedback.account_id and ${named})
    or exists (select 1 from requests r where r.response_id = feedback.response_id
      and r.account_id = feedback.account_id and r.plan like ${inPlan})
  )`;
  return isNone ? sql<SqlBool>`not ${found}` : found;
}
