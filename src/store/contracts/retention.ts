/**
 * The tables whose rows are deleted when they are old. The age of a conversation counts from its
 * last turn.
 */
export type AgedRows =
  | 'requests'
  | 'selections'
  | 'conversations'
  | 'feedback'
  | 'usage_days'
  | 'usage_periods'
  | 'choice_days'
  | 'shadows'
  | 'research_notes'
  | 'audit'
  | 'learnings'
  | 'password_resets'
  | 'sign_ins';

/** Deletes old rows. */
export interface RetentionStore {
  /** Deletes rows from before `at`, at most `maxRows`; returns how many. */
  removeBefore(rows: AgedRows, at: number, maxRows: number): Promise<number>;
}
