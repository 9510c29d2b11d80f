import type { AccountStore, SignInStore } from './accounts.js';
import type { AuditStore } from './audit.js';
import type { ChoiceStore } from './choices.js';
import type { ClaimStore } from './claims.js';
import type { ConversationStore } from './conversations.js';
import type { EvaluationStore } from './evaluations.js';
import type { KeyStore } from './keys.js';
import type { LearningStore } from './learnings.js';
import type { PeriodStore } from './periods.js';
import type { PreferenceStore } from './preferences.js';
import type { FeedbackStore, RequestStore, SelectionStore } from './requests.js';
import type { RemovalStore } from './removal.js';
import type { ResearchStore } from './research.js';
import type { RetentionStore } from './retention.js';
import type { ShadowStore } from './shadows.js';
import type { TrainingQueue, TrainingStore } from './trainings.js';

/**
 * What outlives the process: one SQL schema on an embedded database or on PostgreSQL. Every method
 * rejects with a GatewayError `unavailable` while the database cannot be reached, and with
 * `internal` for what should not happen. Times are ms since 1970, ids UUIDs. Ids of other accounts
 * count as not existing.
 */
export interface Store {
  readonly kind: 'libsql' | 'postgres';
  readonly accounts: AccountStore;
  readonly claims: ClaimStore;
  readonly signIns: SignInStore;
  readonly keys: KeyStore;
  readonly conversations: ConversationStore;
  readonly preferences: PreferenceStore;
  readonly evaluations: EvaluationStore;
  readonly trainings: TrainingStore;
  readonly trainingQueue: TrainingQueue;
  readonly selections: SelectionStore;
  readonly requests: RequestStore;
  readonly periods: PeriodStore;
  readonly choices: ChoiceStore;
  readonly shadows: ShadowStore;
  readonly research: ResearchStore;
  readonly feedback: FeedbackStore;
  readonly learnings: LearningStore;
  readonly audit: AuditStore;
  readonly retention: RetentionStore;
  readonly removal: RemovalStore;
  /**
   * 32 random bytes by name, the same for every process on this database; generated at the first
   * call.
   */
  secret(name: string): Promise<Buffer>;
  /** Resolves if the database answers. */
  ping(): Promise<void>;
  /**
   * Copies the whole database into a new file while it is in use.
   * @throws GatewayError `not_implemented` on PostgreSQL, which has its own tools
   */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
