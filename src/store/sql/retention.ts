import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AgedRows, RetentionStore } from '../contracts/retention.js';
import { periodKey } from './usage/add-periods.js';
import { choiceKey } from './choices/choice-rows.js';
import { removeNotesOf } from './conversations/research.js';
import type { Database, StoreTables } from './tables.js';
import { transact } from './transact.js';

/** Rows per statement, few enough that no other statement waits long. */
const maxDeletions = 500;
const dayMs = 86_400_000;

interface AgedTable {
  readonly table: keyof StoreTables;
  /** The column that dates a row, by which an index finds the old ones. */
  readonly date: string;
  /** The primary key. */
  readonly key: readonly string[];
  /** What the column holds for a time; absent: the time itself. */
  readonly dateOf?: (at: number) => string;
  /** Which rows; absent: all. */
  readonly only?: RawBuilder<unknown>;
}

const agedTables: Readonly<Record<AgedRows, AgedTable>> = {
  requests: { table: 'requests', date: 'at', key: ['id'] },
  selections: { table: 'selections', date: 'at', key: ['id'] },
  conversations: { table: 'conversations', date: 'updated_at', key: ['id'] },
  feedback: { table: 'feedback', date: 'at', key: ['id'] },
  usage: {
    table: 'usage_days',
    date: 'day',
    key: ['day', 'account_id', 'key_id', 'provider', 'model'],
    dateOf: (at) => new Date(at).toISOString().slice(0, 10),
  },
  // shorter ones are merged long before, and the index begins with the span
  periods: {
    table: 'usage_periods',
    date: 'at',
    key: periodKey,
    only: sql`span_ms = ${sql.lit(dayMs)}`,
  },
  choices: {
    table: 'choice_days',
    date: 'day',
    key: choiceKey,
    dateOf: (at) => new Date(at).toISOString().slice(0, 10),
  },
  shadows: { table: 'shadows', date: 'at', key: ['plan_id'] },
  research: { table: 'research_notes', date: 'at', key: ['account_id', 'id'] },
  audit: { table: 'audit', date: 'at', key: ['id'] },
  learnings: { table: 'learnings', date: 'updated_at', key: ['account_id', 'preference_id'] },
  resets: { table: 'password_resets', date: 'expires_at', key: ['token_hash'] },
  signIns: { table: 'sign_ins', date: 'expires_at', key: ['token_hash'] },
};

/** The deletion of old rows in SQL. */
export function createRetentionStore(database: Kysely<StoreTables>): RetentionStore {
  return {
    async removeBefore(rows, at, maxRows) {
      let removed = 0;
      while (removed < maxRows) {
        const some = Math.min(maxDeletions, maxRows - removed);
        // in a transaction that is retried after a deadlock: another replica may delete the same
        // rows in another order
        const count = await transact(database, (transaction) =>
          removeSome(transaction, rows, at, some),
        );
        removed += count;
        if (count < some) break;
      }
      return removed;
    },
  };
}

async function removeSome(
  transaction: Database,
  rows: AgedRows,
  at: number,
  limit: number,
): Promise<number> {
  const { table, date, key, dateOf, only = sql`1 = 1` } = agedTables[rows];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const condition: RawBuilder<unknown> = sql`(${columns}) in (
    select ${columns} from ${sql.table(table)}
    where ${only} and ${sql.ref(date)} < ${dateOf ? dateOf(at) : at} order by ${sql.ref(date)} limit ${limit})`;
  if (rows === 'conversations') return await removeConversations(transaction, condition);
  const { numAffectedRows = 0n } =
    await sql`delete from ${sql.table(table)} where ${condition}`.execute(transaction);
  return Number(numAffectedRows);
}

/**
 * Deletes conversations with their messages and the notes of their research; returns how many.
 * First the conversations: it waits for turns that are being added, and later ones find none.
 */
export async function removeConversations(
  transaction: Database,
  condition: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ id: string; account_id: string }>`
    delete from conversations where ${condition} returning id, account_id`.execute(transaction);
  if (rows.length === 0) return 0;
  await removeNotesOf(transaction, rows);
  const ids = rows.map(({ id }) => id);
  await transaction.deleteFrom('messages').where('conversation_id', 'in', ids).execute();
  return rows.length;
}
