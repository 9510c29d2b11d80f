import type { Page, PageRequest } from './store.js';

/** One request that is over. */
export interface RequestRow {
  /** Made by the gateway; two rows never share it. */
  readonly id: string;
  /** `X-Request-Id`, which a client may choose. */
  readonly requestId: string;
  readonly accountId: string;
  /** Null for a browser that has signed in. */
  readonly keyId: string | null;
  readonly surface: string;
  /** Arrival. */
  readonly at: number;
  readonly status: number;
  /** Error code; null: none. */
  readonly code: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** Plan id, which is also the session's; null where nothing was planned. */
  readonly planId: string | null;
  readonly conversationId: string | null;
  readonly responseId: string | null;
  readonly stream: boolean;
  readonly latencyMs: number;
  readonly ttftMs: number | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costUsd: number | null;
  /** Candidates in order with their figures, exclusions and the reason; what `explainPlan` tells. */
  readonly plan: unknown;
  /** Upstream calls. */
  readonly attempts: unknown;
  /** Messages and answer, only where the configuration asks for it; or their salted hash. */
  readonly content: unknown;
}

/** Which requests are asked for. Times in ms: `from` included, `to` not. */
export interface RequestFilter {
  /** Null: of all accounts. */
  readonly accountId: string | null;
  readonly keyId?: string | null;
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly responseId?: string | null;
  /** A status, or the hundreds of one (`4xx` is 4). */
  readonly status?: number | null;
  readonly statusClass?: number | null;
  readonly from?: number | null;
  readonly to?: number | null;
}

/** Sums over requests; kept longer than the requests themselves. */
export interface UsageRow {
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the requests whose price is known. */
  readonly costUsd: number;
}

/** The request log. */
export interface RequestStore {
  /** Rows that are there already are passed over, in the sums too. */
  add(rows: readonly RequestRow[]): Promise<void>;
  find(accountId: string | null, id: string): Promise<RequestRow | null>;
  list(filter: RequestFilter, page: PageRequest): Promise<Page<RequestRow>>;
  /** Sums by day, key and model, newest day first. */
  usage(filter: RequestFilter): Promise<UsageRow[]>;
  /** USD that a key has spent on those UTC days, both included. */
  spentUsd(keyId: string, firstDay: string, lastDay: string): Promise<number>;
  /** Deletes requests and selections that are older, at most so many at once; how many went. */
  removeBefore(at: number, atMost: number): Promise<number>;
}

/** One decision of model selection. */
export interface SelectionRow {
  /** The session id that was answered. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** The session that it continues. */
  readonly previousId: string | null;
  readonly at: number;
  /** The label that was chosen. */
  readonly label: string;
  /** What `explainPlan` tells. */
  readonly candidates: unknown;
  readonly reason: string;
  readonly tradeoff: string | null;
  readonly preferenceId: string | null;
  /** Messages, only where the configuration asks for it; or their salted hash. */
  readonly content: unknown;
}

/** A decision that is to be stored. Its candidates are one text already, for many wait at a time and objects are dear to hold. */
export interface NewSelection extends Omit<SelectionRow, 'candidates'> {
  /** As `packCandidates` writes them. */
  readonly candidates: string;
}

/** Decisions, linked into sessions. */
export interface SelectionStore {
  /** Rows that are there already are passed over. */
  add(rows: readonly NewSelection[]): Promise<void>;
  /** All decisions that are linked with this one, oldest first, at most a thousand; empty where there is none. */
  group(accountId: string, id: string): Promise<SelectionRow[]>;
  /** Decisions that began a group. */
  list(accountId: string, page: PageRequest): Promise<Page<SelectionRow>>;
}

/** What somebody says of an answer or a decision. */
export interface FeedbackRow {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly at: number;
  readonly sessionId: string | null;
  readonly responseId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** 0 (bad) to 1 (good); null for a measurement alone. */
  readonly score: number | null;
  readonly comment: string | null;
  /** What a client has measured. */
  readonly tokensPerSecond: number | null;
}

/** Feedback. */
export interface FeedbackStore {
  add(row: FeedbackRow): Promise<void>;
  list(accountId: string, page: PageRequest): Promise<Page<FeedbackRow>>;
}
