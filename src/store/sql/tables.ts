import type { Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { AccountRecord, KeyLimits, ResetRecord, SignInRecord } from '../contracts/accounts.js';
import type { AlertRow } from '../contracts/alerts.js';
import type { PriceEditionRow } from '../contracts/price-editions.js';
import type { AuditRow } from '../contracts/audit.js';
import type { ChoiceSums } from '../contracts/choices.js';
import type { ConversationRecord, MessageRecord } from '../contracts/conversations.js';
import type { EvaluationRecord } from '../contracts/evaluations.js';
import type { NewKey } from '../contracts/keys.js';
import type { LearningRecord } from '../contracts/learnings.js';
import type { PeriodRow } from '../contracts/periods.js';
import type { PreferenceRecord } from '../contracts/preferences.js';
import type {
  FeedbackRow,
  RequestRow,
  SelectionRow,
  SummedFigures,
} from '../contracts/requests.js';
import type { ResponseRecord } from '../contracts/responses.js';
import type { TrainingRecord } from '../contracts/trainings.js';
import type { ColumnsOf } from './columns.js';

/*
 * The columns of both databases: those of the records of the contracts, and what is stored otherwise
 * or besides. Times are ms since 1970, flags 0 or 1, JSON is text: the embedded database cannot bind
 * a boolean, and JSON escapes NUL, which neither database accepts in a text.
 */

type JsonText = string;

/** A number for each kind of cached row; every change raises it, in its transaction. */
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
export type LimitColumns = ColumnsOf<KeyLimits>;

export interface AccountTable extends ColumnsOf<Omit<AccountRecord, 'limits'>>, LimitColumns {}

export interface ApiKeyTable
  extends ColumnsOf<Omit<NewKey, 'scopes' | 'models' | 'toolkits' | 'limits'>>, LimitColumns {
  scopes: JsonText;
  models: JsonText | null;
  toolkits: JsonText | null;
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

export interface PreferenceTable extends ColumnsOf<Omit<PreferenceRecord, 'settings' | 'router'>> {
  settings: JsonText;
  /** The router that was trained for the preference. */
  router: JsonText | null;
  revision: number;
}

export interface LearningTable extends ColumnsOf<LearningRecord> {
  revision: number;
}

export interface TrainingTable extends ColumnsOf<Omit<TrainingRecord, 'report'>> {
  wishes: JsonText;
  /** The rows as the client sent them; null after the end. */
  dataset: string | null;
  report: JsonText | null;
  attempts: number;
  owner: string | null;
  lease_until: number | null;
}

export interface ConversationTable extends ColumnsOf<ConversationRecord> {
  /** Characters of the content of its messages. */
  bytes: number;
}

export interface MessageTable extends ColumnsOf<Omit<MessageRecord, 'content' | 'usage'>> {
  conversation_id: string;
  /** From 0. */
  position: number;
  content: JsonText;
  /** See `digestOf`. */
  digest: string;
  usage: JsonText | null;
}

export interface SelectionTable extends ColumnsOf<Omit<SelectionRow, 'candidates' | 'content'>> {
  candidates: JsonText;
  content: JsonText | null;
}

export interface RequestTable extends ColumnsOf<
  Omit<RequestRow, 'stream' | 'plan' | 'attempts' | 'content'>
> {
  stream: number;
  plan: JsonText | null;
  attempts: JsonText | null;
  content: JsonText | null;
}

/** Sums by day; '' for no key, provider or model: a primary key accepts no null. */
export interface UsageDayTable extends ColumnsOf<SummedFigures> {
  day: string;
  account_id: string;
  key_id: string;
  provider: string;
  model: string;
  cache_saved_usd: number;
}

/** Sums of short periods: see `PeriodRow`. */
export type UsagePeriodTable = ColumnsOf<PeriodRow>;

export type FeedbackTable = ColumnsOf<FeedbackRow>;

/** Sums of choices by day: see `ChoiceSums`. '' for no key or preference: keys accept no null. */
export interface ChoiceDayTable extends ColumnsOf<Omit<ChoiceSums, 'group' | 'isMeasured'>> {
  day: string;
  account_id: string;
  key_id: string;
  preference_id: string;
  measured: number;
}

/** Requests that were sent to a second model too: see `NewShadow`. '' for no key or preference. */
export interface ShadowTable {
  /** Of the request that was shadowed, and of the shadow. */
  plan_id: string;
  /** The shadow's id in the request log. */
  request_id: string;
  account_id: string;
  key_id: string;
  preference_id: string;
  response_id: string | null;
  at: number;
  /** `<provider>/<model>`. */
  chosen: string;
  shadow: string;
  /** Whether there are two whole answers, and whether their lengths are known. */
  pair: number;
  measured: number;
  chosen_quality: number;
  chosen_uncertainty: number;
  quality: number;
  uncertainty: number;
  /** Natural logarithm: see `PairSums`. 0 where the lengths are not known. */
  log_ratio: number;
  cost_usd: number;
}

/** Accounts that want no request sent to a second model. */
export interface ShadowRefusalTable {
  account_id: string;
  at: number;
}

export interface ResearchNotesTable {
  account_id: string;
  id: string;
  at: number;
  notes: JsonText;
}

export interface ResponseTable extends ColumnsOf<ResponseRecord> {
  account_id: string;
  at: number;
}

/** In which response an output item is. */
export interface ResponseItemTable {
  account_id: string;
  id: string;
  response_id: string;
  at: number;
}

export interface EvaluationTable extends ColumnsOf<Omit<EvaluationRecord, 'scores' | 'costs'>> {
  scores: JsonText;
  costs: JsonText;
}

export interface AuditTable extends ColumnsOf<Omit<AuditRow, 'details'>> {
  details: JsonText | null;
}

export interface AlertTable extends ColumnsOf<Omit<AlertRow, 'sentTo'>> {
  sent_to: JsonText;
}

export interface PriceEditionTable extends ColumnsOf<PriceEditionRow> {
  data: JsonText;
}

export interface StoreTables {
  revisions: RevisionTable;
  secrets: SecretTable;
  accounts: AccountTable;
  sign_ins: ColumnsOf<SignInRecord>;
  password_resets: ColumnsOf<ResetRecord>;
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
  responses: ResponseTable;
  response_items: ResponseItemTable;
  evaluations: EvaluationTable;
  feedback: FeedbackTable;
  audit: AuditTable;
  alerts: AlertTable;
  price_editions: PriceEditionTable;
}

/** The database, or a transaction on it. */
export type Database = Kysely<StoreTables>;

export type Transaction = KyselyTransaction<StoreTables>;
