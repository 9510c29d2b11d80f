import type { ResearchStore } from '../../contracts/conversations.js';
import { clean } from '../columns.js';
import { readPage } from '../pages.js';
import type { Database } from '../tables.js';

/** The notes of research runs in SQL. */
export const createResearchStore = (database: Database): ResearchStore => ({
  async save({ id, accountId, json, at }) {
    const notes = clean(json);
    await database
      .insertInto('research_notes')
      .values({ account_id: clean(accountId), id: clean(id), at, notes })
      .onConflict((conflict) => conflict.columns(['account_id', 'id']).doUpdateSet({ at, notes }))
      .execute();
  },
  async find(accountId, id) {
    const row = await database
      .selectFrom('research_notes')
      .select('notes')
      .where('account_id', '=', clean(accountId))
      .where('id', '=', clean(id))
      .executeTakeFirst();
    return row?.notes ?? null;
  },
  async remove(accountId, id) {
    await database
      .deleteFrom('research_notes')
      .where('account_id', '=', clean(accountId))
      .where('id', '=', clean(id))
      .execute();
  },
  list: (accountId, page) => {
    const own = database.selectFrom('research_notes').where('account_id', '=', clean(accountId));
    return readPage(own.select(['id', 'at']), 'at', page, (row) => row);
  },
});

/** Deletes the notes of the answers in some conversations, whose messages must still be there. */
export async function removeNotesOf(
  transaction: Database,
  conversations: readonly { readonly id: string; readonly account_id: string }[],
): Promise<void> {
  const ids = conversations.map(({ id }) => id);
  const accounts = [...new Set(conversations.map(({ account_id }) => account_id))];
  await transaction
    .deleteFrom('research_notes')
    .where('account_id', 'in', accounts)
    .where('id', 'in', (query) =>
      query.selectFrom('messages').select('id').where('conversation_id', 'in', ids),
    )
    .execute();
}
