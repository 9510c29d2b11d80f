import type { AccountStore, SignInStore } from './accounts.js';
import type { ConversationStore } from './conversations.js';
import type { KeyStore } from './keys.js';
import type { LearningStore } from './learnings.js';
import type { PreferenceStore } from './preferences.js';
import type { FeedbackStore, RequestStore, SelectionStore } from './requests.js';
import type { TrainingQueue, TrainingStore } from './trainings.js';

/**
 * What outlives the process: one SQL schema on an embedded database or on PostgreSQL. Every method rejects with a GatewayError
 * `unavailable` while the database cannot be reached, and with `internal` for what should not happen. Times are ms since 1970, ids UUIDs.
 * An id that belongs to another account is answered as one that does not exist.
 */
export interface Store {
  readonly kind: 'libsql' | 'postgres';
  readonly accounts: AccountStore;
  readonly signIns: SignInStore;
  readonly keys: KeyStore;
  readonly conversations: ConversationStore;
  readonly preferences: PreferenceStore;
  readonly trainings: TrainingStore;
  readonly trainingQueue: TrainingQueue;
  readonly selections: SelectionStore;
  readonly requests: RequestStore;
  readonly feedback: FeedbackStore;
  readonly learnings: LearningStore;
  /** 32 random bytes under a name, the same for every process on this database; made when first asked for. */
  secret(name: string): Promise<Buffer>;
  /** Resolves where the database answers. */
  ping(): Promise<void>;
  /** Copies the whole database into a new file, while it is in use. @throws GatewayError `not_implemented` on PostgreSQL, which has its own tools */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Which part of a list is wanted. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  /** `next` of the page before; null: the first page. */
  readonly cursor: string | null;
}

/** A part of a list, newest first unless said otherwise. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null: this was the last. */
  readonly next: string | null;
}

/** Records that have changed since a revision, in this database's own count; revisions are committed in order. */
export interface Changes<T> {
  readonly revision: number;
  readonly records: readonly T[];
}
