import type { Page, PageRequest } from './page.js';
import type { FailureSide } from '../../errors.js';
import type { NewShadow } from './shadows.js';

/** A row of the request log: one finished request. */
export interface RequestRow {
  /** Made by the gateway; unique. */
  readonly id: string;
  /** `X-Request-Id`, which a client may choose. */
  readonly requestId: string;
  /** Of OpenTelemetry: the client's trace, or the gateway's own. Null: it is in none. */
  readonly traceId: string | null;
  readonly accountId: string;
  /** Null for a signed-in browser. */
  readonly keyId: string | null;
  readonly surface: string;
  /** When the request arrived. */
  readonly at: number;
  readonly status: number;
  /** Error code; null: none. */
  readonly code: string | null;
  /** The failure's message, without quotations of the request and without secrets; null: none. */
  readonly error: string | null;
  /** The request's field that was refused. */
  readonly field: string | null;
  /** Who answered; of a failed request who was tried last, else who was asked for. */
  readonly provider: string | null;
  readonly model: string | null;
  /** The plan's id, which is also the session's; null if nothing was planned. */
  readonly planId: string | null;
  readonly conversationId: string | null;
  readonly responseId: string | null;
  readonly stream: boolean;
  readonly latencyMs: number;
  readonly ttftMs: number | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** The spend: as providers stated it, and as it is estimated where they did not. */
  readonly costUsd: number | null;
  /** The part of it that is estimated. */
  readonly estimatedUsd: number;
  /** What a budget sets aside beyond it, because a provider may still bill it. */
  readonly heldUsd: number;
  /** The candidates in order, their figures, exclusions and the reason, by `explainPlan`. */
  readonly plan: unknown;
  /** The upstream calls. */
  readonly attempts: unknown;
  /** Messages and answer, or their salted hash, as the configuration says; else null. */
  readonly content: unknown;
}

/** A request in a list: without what takes long to read. */
export interface RequestSummary extends Omit<RequestRow, 'plan' | 'attempts' | 'content'> {
  /** Of an issued key. */
  readonly keyName: string | null;
}

/** A request with its plan, without what it takes long to read. */
export type PlannedRequest = Omit<RequestRow, 'attempts' | 'content'>;

/** A request to store. */
export interface NewRequest extends RequestRow {
  /** The names under which it is summed up, which are few; absent: the row's own. */
  readonly summedAs?: Pick<RequestRow, 'provider' | 'model'>;
  /** What prompt caches saved, which may be below 0; absent: unknown, or nothing. */
  readonly cacheSavedUsd?: number;
  /** For the answer of a second model: what it is compared with. Absent: it is a client's request. */
  readonly shadow?: NewShadow;
}

/** A model of a provider; null: of any. */
export interface ModelName {
  readonly provider: string | null;
  readonly model: string;
}

/** Selects requests. Times in ms: `from` inclusive, `to` exclusive. */
export interface RequestFilter {
  /** Null: all accounts. */
  readonly accountId: string | null;
  /** Null: any key, and none. */
  readonly keyIds?: readonly string[] | null;
  readonly provider?: string | null;
  readonly model?: string | null;
  /** Requests of any of these models. */
  readonly models?: readonly ModelName[] | null;
  readonly responseId?: string | null;
  readonly conversationId?: string | null;
  readonly surface?: string | null;
  readonly stream?: boolean | null;
  readonly code?: string | null;
  /** Whether there is an error code. */
  readonly failed?: boolean | null;
  readonly failedBy?: FailureSide | null;
  /** A row's id, an `X-Request-Id`, or the id of a trace. */
  readonly id?: string | null;
  /** A status; or the first digit of one (`4xx` is 4). */
  readonly status?: number | null;
  readonly statusClass?: number | null;
  /** Bounds, inclusive. */
  readonly minLatencyMs?: number | null;
  readonly maxLatencyMs?: number | null;
  readonly minCostUsd?: number | null;
  readonly maxCostUsd?: number | null;
  readonly from?: number | null;
  readonly to?: number | null;
}

/** By what requests are sorted, highest first; tokens: of prompt and answer together. */
export type RequestOrder = 'latency' | 'cost' | 'tokens';

/** Failed requests of one code and provider. */
export interface FailureGroup {
  readonly code: string;
  /** As in `RequestRow`. */
  readonly provider: string | null;
  readonly requests: number;
  /** The newest of them. */
  readonly last: Pick<RequestRow, 'id' | 'at' | 'error' | 'status' | 'model'>;
  /** Whose keys, those with the most failures first. */
  readonly keys: readonly (Pick<RequestSummary, 'keyId' | 'keyName'> & {
    readonly requests: number;
  })[];
}

/** What sums of usage can be grouped by. `model` is the provider and its model. */
export type UsageGrouping = 'day' | 'account' | 'key' | 'provider' | 'model';

/** Sums over requests, which are kept longer than the requests. */
export interface SummedFigures {
  readonly requests: number;
  readonly errors: number;
  /** Those of the errors that were refused, and whose client left: see `failureSide`. */
  readonly refused: number;
  readonly clientClosed: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of requests with a known price. */
  readonly costUsd: number;
  /** As in `RequestRow`. */
  readonly estimatedUsd: number;
  readonly heldUsd: number;
}

/** The sums of one group. A field that the sums are not grouped by is absent. */
export interface UsageRow extends SummedFigures {
  /** UTC, `YYYY-MM-DD`. */
  readonly day?: string;
  readonly accountId?: string;
  readonly keyId?: string | null;
  /** Of an issued key. */
  readonly keyName?: string | null;
  readonly provider?: string | null;
  readonly model?: string | null;
  /** What prompt caches saved; below 0: they cost more. Part of why `costUsd` is not higher. */
  readonly cacheSavedUsd: number;
}

/** Whose spending is summed. */
export type Spender = { readonly keyId: string } | { readonly accountId: string };

/** Intervals of time, in ms. */
export interface TimeGrid {
  /** The start of the first one. */
  readonly start: number;
  readonly intervalMs: number;
}

/** How many requests a filter selects in one interval. */
export interface RequestCount {
  /** Counts from 0. */
  readonly point: number;
  readonly requests: number;
  /** Those with an error code. */
  readonly errors: number;
}

export interface RequestStore {
  /** Skips rows that are stored already, in the sums too. */
  add(rows: readonly NewRequest[]): Promise<void>;
  find(accountId: string | null, id: string): Promise<RequestRow | null>;
  /** Those of these requests that the account has, without attempts and content. */
  some(accountId: string, ids: readonly string[]): Promise<PlannedRequest[]>;
  /** Newest first, or in another order, in which an unknown cost or count is 0. */
  list(
    filter: RequestFilter,
    page: PageRequest,
    order?: RequestOrder | null,
  ): Promise<Page<RequestSummary>>;
  /** The failed ones by code and provider, at most `limit`, those with the most requests first. */
  failures(filter: RequestFilter, limit: number): Promise<FailureGroup[]>;
  /** Intervals without requests are absent. */
  counts(filter: RequestFilter, grid: TimeGrid): Promise<RequestCount[]>;
  /** Sums of whole days, newest day first, then by name; of the filter only who, what and when. */
  usage(
    filter: RequestFilter,
    by: readonly UsageGrouping[],
    page: PageRequest,
  ): Promise<Page<UsageRow>>;
  /**
   * USD that budgets count of a key, or of all callers of an account, from `firstDay` to `lastDay`
   * (UTC), both inclusive: the spend, and what is held.
   */
  spentUsd(spender: Spender, firstDay: string, lastDay: string): Promise<number>;
}

/** One decision of model selection. */
export interface SelectionRow extends Pick<RequestRow, 'accountId' | 'keyId' | 'at'> {
  readonly id: string;
  /** The session that it continues. */
  readonly previousId: string | null;
  readonly label: string;
  /** As `explainPlan` makes them. */
  readonly candidates: unknown;
  readonly reason: string;
  readonly tradeoff: string | null;
  readonly preferenceId: string | null;
  /** Messages or their salted hash, as the configuration says; else null. */
  readonly content: unknown;
}

/** A decision to store. Its candidates are one text: objects burden the garbage collector. */
export interface NewSelection extends Omit<SelectionRow, 'candidates'> {
  /** As `packCandidates` returns them. */
  readonly candidates: string;
}

/** The decisions of model selection, linked into sessions. */
export interface SelectionStore {
  /** Skips rows that are stored already. */
  add(rows: readonly NewSelection[]): Promise<void>;
  /** All decisions linked with this one, itself included, oldest first, a thousand at most. */
  group(accountId: string, id: string): Promise<SelectionRow[]>;
  /** The candidates of those of these decisions that the account has. */
  some(
    accountId: string,
    ids: readonly string[],
  ): Promise<Pick<SelectionRow, 'id' | 'candidates'>[]>;
  /** The first decision of each group. */
  list(accountId: string, page: PageRequest): Promise<Page<SelectionRow>>;
}

/** Feedback on an answer or a decision. */
export interface FeedbackRow extends Pick<
  RequestRow,
  'id' | 'accountId' | 'keyId' | 'at' | 'responseId' | 'provider' | 'model'
> {
  readonly sessionId: string | null;
  /** 0 (bad) to 1 (good); null for a measurement without a score. */
  readonly score: number | null;
  readonly comment: string | null;
  /** Measured by the client. */
  readonly tokensPerSecond: number | null;
  /** The quality that was predicted for what is rated; null: unknown, stated, or forgotten. */
  readonly predicted: number | null;
}

/** Which feedback of an account: what all of these name. Null: any. */
export interface FeedbackPart {
  readonly accountId: string;
  /** Of requests with this preference; '': of those without one, or that are no longer logged. */
  readonly preferenceId: string;
  /** From this time on, ms since 1970. */
  readonly from: number | null;
  readonly keyIds: readonly string[] | null;
  readonly models: readonly string[] | null;
}

export interface FeedbackStore {
  add(row: FeedbackRow): Promise<void>;
  /**
   * Makes what was predicted for some feedback unknown, so that it is compared with nothing any
   * more. False if there was none.
   */
  forget(part: FeedbackPart): Promise<boolean>;
  ratedModels(accountId: string): Promise<string[]>;
  list(accountId: string, page: PageRequest): Promise<Page<FeedbackRow>>;
}
