import { type RawBuilder, sql } from 'kysely';
import { choiceKey } from './choices/choice-rows.js';
import type { StoreTables } from './tables.js';
import { periodKey } from './usage/merge-periods.js';

const dayMs = 86_400_000;

/** How the rows of a table end. */
export interface EndOfRows {
  readonly key: readonly string[];
  /** The step of `RemovalStore` that ends an account's rows; null: they stay. */
  readonly removedBy: 'close' | 'removeRows' | 'finish' | null;
  /**
   * The column that dates a row, by which an index finds the old ones: ms, or `day`. Absent: rows
   * stay as long as what they belong to.
   */
  readonly date?: string;
  /** Which rows are deleted when they are old; absent: all. */
  readonly only?: RawBuilder<unknown>;
}

type TableWithAccount = {
  [Table in keyof StoreTables]: 'account_id' extends keyof StoreTables[Table] ? Table : never;
}[keyof StoreTables];

/** All tables with rows of accounts. Those that `removeRows` empties are emptied in this order. */
export const accountTables = {
  // what the account's owner made, and removes
  api_keys: { key: ['id'], removedBy: 'close' },
  sign_ins: { key: ['token_hash'], removedBy: 'close', date: 'expires_at' },
  password_resets: { key: ['token_hash'], removedBy: 'close', date: 'expires_at' },
  preferences: { key: ['id'], removedBy: 'close' },
  // one for each preference
  trainings: { key: ['id'], removedBy: 'close' },
  learnings: { key: ['account_id', 'preference_id'], removedBy: 'close', date: 'updated_at' },
  conversations: { key: ['id'], removedBy: 'removeRows', date: 'updated_at' },
  research_notes: { key: ['account_id', 'id'], removedBy: 'removeRows', date: 'at' },
  responses: { key: ['account_id', 'id'], removedBy: 'removeRows', date: 'at' },
  response_items: { key: ['account_id', 'id'], removedBy: 'removeRows', date: 'at' },
  requests: { key: ['id'], removedBy: 'removeRows', date: 'at' },
  selections: { key: ['id'], removedBy: 'removeRows', date: 'at' },
  shadows: { key: ['plan_id'], removedBy: 'removeRows', date: 'at' },
  // one row for an account
  shadow_refusals: { key: ['account_id'], removedBy: 'removeRows' },
  feedback: { key: ['id'], removedBy: 'removeRows', date: 'at' },
  // at most as many rows as `maxEvaluations`
  evaluations: { key: ['id'], removedBy: 'removeRows' },
  choice_days: { key: choiceKey, removedBy: 'removeRows', date: 'day' },
  usage_periods: {
    key: periodKey,
    removedBy: 'removeRows',
    date: 'at',
    // shorter ones are merged long before, and the index begins with the span
    only: sql`span_ms = ${sql.lit(dayMs)}`,
  },
  usage_days: {
    key: ['day', 'account_id', 'key_id', 'provider', 'model'],
    removedBy: 'finish',
    date: 'day',
  },
  // what was done with accounts is known after they are gone, also that one was deleted
  audit: { key: ['id'], removedBy: null, date: 'at' },
} satisfies Record<TableWithAccount, EndOfRows>;
