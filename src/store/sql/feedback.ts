import type { Insertable, Kysely, Selectable } from 'kysely';
import type { FeedbackRow, FeedbackStore } from '../contracts/requests.js';
import { clean } from './columns.js';
import { after, pageOf } from './pages.js';
import type { Database, FeedbackTable, StoreTables } from './tables.js';

/** The feedback in SQL. Adding the same row again changes nothing. */
export function createFeedbackStore(database: Kysely<StoreTables>): FeedbackStore {
  return {
    add: (row) => addFeedback(database, row),
    async list(accountId, page) {
      const rows = await database
        .selectFrom('feedback')
        .selectAll()
        .where('account_id', '=', accountId)
        .where(after(['at', 'id'], page.cursor))
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return pageOf(rows, page.limit, (row) => [row.at, row.id], fromColumns);
    },
  };
}

/** Stores feedback, alone or as a part of a larger transaction. */
export async function addFeedback(database: Database, row: FeedbackRow): Promise<void> {
  await database
    .insertInto('feedback')
    .values(toColumns(row))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

function toColumns(row: FeedbackRow): Insertable<FeedbackTable> {
  return {
    id: row.id,
    account_id: row.accountId,
    key_id: row.keyId,
    at: Math.round(row.at),
    session_id: clean(row.sessionId),
    response_id: clean(row.responseId),
    provider: clean(row.provider),
    model: clean(row.model),
    score: row.score,
    comment: clean(row.comment),
    tokens_per_second: row.tokensPerSecond,
    predicted: row.predicted,
  };
}

function fromColumns(row: Selectable<FeedbackTable>): FeedbackRow {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    at: row.at,
    sessionId: row.session_id,
    responseId: row.response_id,
    provider: row.provider,
    model: row.model,
    score: row.score,
    comment: row.comment,
    tokensPerSecond: row.tokens_per_second,
    predicted: row.predicted,
  };
}
