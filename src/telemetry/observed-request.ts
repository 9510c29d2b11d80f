import type { Caller } from '../accounts/caller.js';
import type { Attempt, AttemptTracer } from '../dispatch/execute-plan.js';
import { type ErrorCode, GatewayError } from '../errors.js';
import type { Candidate, Plan } from '../chooser/plan.js';
import type { NewChoice } from '../store/contracts/choices.js';
import type { RequestRow } from '../store/contracts/requests.js';
import type { NewShadow } from '../store/contracts/shadows.js';
import type { SurfaceLabel } from '../surface-labels.js';
import type { KeptContent } from './requests/kept-content.js';

/** A request's searches, pages and tool calls. Times in ms. */
export interface GroundingRecord {
  /** The engine that answered the last search, or `native`; null: nothing was searched. */
  readonly engine: string | null;
  readonly queries: readonly string[];
  readonly searches: number;
  readonly pagesRead: number;
  readonly toolCalls: number;
  /** The cost beside tokens, in USD; null: a price is not known. */
  readonly costUsd: number | null;
  /** The time of searching, reading and tools together. */
  readonly latency: number;
  /** The limit that ended it. */
  readonly stoppedBy: 'steps' | 'time' | 'cost' | 'tokens' | null;
  /** The calls of tools, in order, without their arguments. */
  readonly calls: readonly {
    readonly toolkit: string;
    readonly tool: string;
    readonly outcome: string;
    readonly latency: number;
  }[];
}

/** The columns of a request's row that are copied from its record. */
type RowFigures = {
  -readonly [
    Name in
      | ('error' | 'field' | 'provider' | 'model' | 'stream' | 'conversationId' | 'responseId')
      | 'traceId'
      | ('ttftMs' | 'promptTokens' | 'completionTokens' | 'costUsd' | 'estimatedUsd' | 'heldUsd')
  ]: RequestRow[Name];
};

/** What the request log, the log and the metrics report. Each stage fills in what it knows. */
export interface RequestRecord extends RowFigures {
  /** The HTTP status; null until the answer is over. */
  status: number | null;
  code: ErrorCode | null;
  /** Replaces the error in the log, with details that clients must not see; null: no details. */
  detail: string | null;
  /** The names for the sums of usage, if they differ from `provider` and `model`. */
  summedAs: Pick<Candidate, 'provider' | 'model'> | null;
  attempts: Attempt[];
  fallbacks: number;
  /** The part of `completionTokens` that is reasoning; null: no provider counted it. */
  reasoningTokens: number | null;
  /** What prompt caches saved: see `cacheSavingOf`. Null: unknown. */
  cacheSavedUsd: number | null;
  previousSession: string | null;
  /** The preference that the request names. */
  preferenceId: string | null;
  /** Why the answer ended; null if there was none. */
  finishReason: string | null;
  /** How the answering model was chosen; null: there was no choice, or no answer. */
  choice: NewChoice | null;
  /** For a shadow request the comparison with the first answer; null: a client's request. */
  shadow: NewShadow | null;
  /** Its searches, pages and tool calls; null: it was asked for none. */
  grounding: GroundingRecord | null;
  /** The content that the configuration asks to keep. */
  content: KeptContent | null;
}

/** The part of a request that logs, metrics and the request log read. */
export interface ObservedRequest {
  readonly id: string;
  /** Whether the gateway made the id, so that no other request has it. */
  readonly isOwnId: boolean;
  /** `performance.now()` of the request's arrival. */
  readonly startedAt: number;
  readonly caller: Caller;
  /** False if no stage has identified the caller. */
  isIdentified: boolean;
  /** Whether the configuration keeps a request log. */
  readonly isLogged: boolean;
  surface: SurfaceLabel | null;
  /** The plan that was made for it, if any. */
  plan: Plan | null;
  /** Null: the request is not traced. */
  trace: RequestTrace | null;
  readonly record: RequestRecord;
}

/** The spans of one request. Times are those of `performance.now()`. */
export interface RequestTrace extends AttemptTracer {
  readonly traceId: string;
  /** Runs work with the request's span as the parent of the spans that the work begins. */
  run<T>(work: () => T): T;
  /** Records a search or tool call that has just ended. @param error a code, or null */
  did(work: 'retrieval' | 'execute_tool', name: string, ms: number, error: string | null): void;
  /** The trace headers for a call outside of attempts; none if the trace must not go to the URL. */
  headersFor(url: string): Record<string, string>;
  end(): void;
}

/** A record in which nothing has happened yet. */
export const newRequestRecord = (): RequestRecord => ({
  status: null,
  code: null,
  error: null,
  detail: null,
  field: null,
  provider: null,
  model: null,
  summedAs: null,
  attempts: [],
  fallbacks: 0,
  stream: false,
  ttftMs: null,
  promptTokens: null,
  completionTokens: null,
  reasoningTokens: null,
  costUsd: null,
  estimatedUsd: 0,
  heldUsd: 0,
  cacheSavedUsd: null,
  conversationId: null,
  responseId: null,
  traceId: null,
  previousSession: null,
  preferenceId: null,
  finishReason: null,
  choice: null,
  shadow: null,
  grounding: null,
  content: null,
});

/** Records how a request failed: the code, the message and the field. */
export function recordFailure(record: RequestRecord, error: GatewayError): void {
  const { cause } = error;
  record.code = error.code;
  record.error = error.publicMessage ?? error.message;
  record.detail = error.publicMessage === null ? null : error.message;
  record.field = error.field ?? (cause instanceof GatewayError ? cause.field : null);
}
