import type { PeriodMeasure } from '../contracts/periods.js';
import type { Kysely, Transaction } from 'kysely';
import type {
  ChoiceDayTable,
  EvaluationTable,
  FeedbackTable,
  LearningTable,
  PreferenceTable,
  SelectionTable,
  ShadowRefusalTable,
  ShadowTable,
  TrainingTable,
} from './choices/choice-tables.js';

/*
 * The columns of both databases. Times are ms since 1970, flags 0 or 1, JSON is text: the embedded
 * database cannot bind a boolean, and JSON escapes NUL, which neither database accepts in a text.
 */

/**
 * One number for each kind of row that processes cache; raised by every change, in its transaction.
 */
export interface RevisionTable {
  topic: 'keys' | 'preferences' | 'learnings';
  revision: number;
}

export interface SecretTable {
  name: string;
  /** Hex. */
  value: string;
}

/** The limits of a key or an account. */
export interface LimitColumns {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  day_budget_usd: number | null;
  month_budget_usd: number | null;
}

export interface AccountTable extends LimitColumns {
  id: string;
  email: string | null;
  password_hash: string | null;
  role: string;
  created_at: number;
  disabled_at: number | null;
}

export interface SignInTable {
  token_hash: string;
  account_id: string;
  csrf_token: string;
  created_at: number;
  expires_at: number;
}

export interface ResetTable {
  token_hash: string;
  account_id: string;
  expires_at: number;
}

export interface ApiKeyTable extends LimitColumns {
  id: string;
  account_id: string;
  name: string;
  prefix: string;
  hash: string;
  /** JSON. */
  scopes: string;
  /** JSON, or null. */
  models: string | null;
  /** JSON; null: none. */
  toolkits: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  revision: number;
}

/** A secret that a key had before it was rotated. */
export interface RotatedSecretTable {
  hash: string;
  key_id: string;
  valid_until: number;
}

export interface ConversationTable {
  id: string;
  account_id: string;
  title: string;
  title_source: string;
  message_count: number;
  /** Characters of the content of its messages. */
  bytes: number;
  created_at: number;
  updated_at: number;
}

export interface MessageTable {
  id: string;
  conversation_id: string;
  /** From 0. */
  position: number;
  role: string;
  /** JSON. */
  content: string;
  /** See `digestOf`. */
  digest: string;
  provider: string | null;
  model: string | null;
  finish_reason: string | null;
  /** JSON, or null. */
  usage: string | null;
  cost_usd: number | null;
  created_at: number;
}

export interface RequestTable {
  id: string;
  request_id: string;
  account_id: string;
  key_id: string | null;
  surface: string;
  at: number;
  status: number;
  code: string | null;
  error: string | null;
  field: string | null;
  provider: string | null;
  model: string | null;
  plan_id: string | null;
  conversation_id: string | null;
  response_id: string | null;
  stream: number;
  latency_ms: number;
  ttft_ms: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cost_usd: number | null;
  /** JSON, or null. */
  plan: string | null;
  attempts: string | null;
  content: string | null;
}

/**
 * Sums by day; '' if a request had no key, provider or model, because a primary key accepts no
 * null.
 */
export interface UsageDayTable {
  day: string;
  account_id: string;
  key_id: string;
  provider: string;
  model: string;
  requests: number;
  errors: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: number;
  cache_saved_usd: number;
}

/** Sums of short periods: see `PeriodRow`. */
export interface UsagePeriodTable extends Omit<UsageDayTable, 'day' | 'cache_saved_usd'> {
  at: number;
  span_ms: number;
  measure: PeriodMeasure;
  bucket: number;
  latencies: string | null;
  first_tokens: string | null;
}

export interface AuditTable {
  id: string;
  at: number;
  act: string;
  account_id: string | null;
  target: string | null;
  actor: string;
  actor_account_id: string | null;
  actor_key_id: string | null;
  address: string | null;
  /** JSON, or null. */
  details: string | null;
}

export interface ResearchNotesTable {
  account_id: string;
  id: string;
  at: number;
  /** JSON. */
  notes: string;
}

/** All tables. */
export interface StoreTables {
  revisions: RevisionTable;
  secrets: SecretTable;
  accounts: AccountTable;
  sign_ins: SignInTable;
  password_resets: ResetTable;
  api_keys: ApiKeyTable;
  rotated_secrets: RotatedSecretTable;
  preferences: PreferenceTable;
  trainings: TrainingTable;
  learnings: LearningTable;
  conversations: ConversationTable;
  messages: MessageTable;
  selections: SelectionTable;
  requests: RequestTable;
  usage_days: UsageDayTable;
  usage_periods: UsagePeriodTable;
  choice_days: ChoiceDayTable;
  shadows: ShadowTable;
  shadow_refusals: ShadowRefusalTable;
  research_notes: ResearchNotesTable;
  evaluations: EvaluationTable;
  feedback: FeedbackTable;
  audit: AuditTable;
}

/** The database, or a transaction on it. */
export type Database = Kysely<StoreTables> | Transaction<StoreTables>;
