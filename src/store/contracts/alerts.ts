import type { Page, PageRequest } from './page.js';

/** An alert, and what became of it. Times in ms since 1970. */
export interface AlertRow {
  /** Names what it is about and the period, so that any number of replicas writes it once. */
  readonly id: string;
  readonly at: number;
  readonly kind: 'budget' | 'error_rate' | 'provider_down' | 'new_key' | 'test';
  readonly text: string;
  readonly attempts: number;
  /** When the last attempt to send it began; null: none has. */
  readonly triedAt: number | null;
  /** When all channels had taken it; null: not yet. */
  readonly sentAt: number | null;
  /** The channels that have taken it. */
  readonly sentTo: readonly string[];
  /** Why the last attempt failed; null: it did not. */
  readonly error: string | null;
}

/** What is told. */
export type NewAlert = Pick<AlertRow, 'id' | 'at' | 'kind' | 'text'>;

export interface AlertStore {
  /** Adds an alert unless there is one with its id. @returns whether it was added */
  add(alert: NewAlert): Promise<boolean>;
  /** Those since `from` that wait to be sent and were tried before `before`, if at all. */
  unsent(from: number, before: number): Promise<AlertRow[]>;
  /** Counts an attempt that begins now. @returns false if another process has begun it */
  begin(alert: Pick<AlertRow, 'id' | 'attempts'>, now: number): Promise<boolean>;
  /** Writes what became of an attempt. */
  finish(alert: Pick<AlertRow, 'id' | 'sentAt' | 'sentTo' | 'error'>): Promise<void>;
  /** How many there are since a time. */
  count(from: number): Promise<number>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<AlertRow>>;
  /** Deletes those from before a time. */
  removeBefore(at: number): Promise<void>;
}
