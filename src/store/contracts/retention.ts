/** Rows that are deleted when they are old. The age of a conversation counts from its last turn. */
export type AgedRows =
  | 'requests'
  | 'selections'
  | 'conversations'
  | 'feedback'
  | 'usage'
  | 'periods'
  | 'choices'
  | 'shadows'
  | 'research'
  | 'audit'
  | 'learnings'
  | 'resets'
  | 'signIns';

/** Deletes old rows. */
export interface RetentionStore {
  /** Deletes rows from before `at`, at most `maxRows`; returns how many. */
  removeBefore(rows: AgedRows, at: number, maxRows: number): Promise<number>;
}
