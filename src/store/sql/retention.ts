import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TablesOfAccounts } from '../contracts/removal.js';
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
  /** The column that dates a row, by which an index finds the old ones. */
  readonly date: string;
  /** The primary key. */
  readonly key: readonly string[];
  /** What the column holds for a time; absent: the time itself. */
  readonly dateOf?: (at: number) => string;
  /** Which rows; absent: all. */
  readonly only?: RawBuilder<unknown>;
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** How old rows of each table are found. Null: its rows stay as long as what they belong to. */
const agedTables = {
  requests: { date: 'at', key: ['id'] },
  selections: { date: 'at', key: ['id'] },
  conversations: { date: 'updated_at', key: ['id'] },
  feedback: { date: 'at', key: ['id'] },
  usage_days: {
    date: 'day',
    key: ['day', 'account_id', 'key_id', 'provider', 'model'],
    dateOf: dayOf,
  },
  // shorter ones are merged long before, and the index begins with the span
  usage_periods: { date: 'at', key: periodKey, only: sql`span_ms = ${sql.lit(dayMs)}` },
  choice_days: { date: 'day', key: choiceKey, dateOf: dayOf },
  shadows: { date: 'at', key: ['plan_id'] },
  research_notes: { date: 'at', key: ['account_id', 'id'] },
  audit: { date: 'at', key: ['id'] },
  learnings: { date: 'updated_at', key: ['account_id', 'preference_id'] },
  password_resets: { date: 'expires_at', key: ['token_hash'] },
  sign_ins: { date: 'expires_at', key: ['token_hash'] },
  // what the account's owner made, and removes
  api_keys: null,
  preferences: null,
  // one for each preference
  trainings: null,
  // at most as many rows as `maxEvaluations`
  evaluations: null,
  // one row for an account
  shadow_refusals: null,
} satisfies Record<TablesOfAccounts, AgedTable | null>;

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
  table: AgedRows,
  at: number,
  limit: number,
): Promise<number> {
  const { date, key, dateOf, only = sql`1 = 1` }: AgedTable = agedTables[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const condition: RawBuilder<unknown> = sql`(${columns}) in (
    select ${columns} from ${sql.table(table)}
    where ${only} and ${sql.ref(date)} < ${dateOf ? dateOf(at) : at} order by ${sql.ref(date)} limit ${limit})`;
  if (table === 'conversations') return await removeConversations(transaction, condition);
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
