import type { Caller } from '../accounts/caller.js';
import type { Attempt, AttemptTracer } from '../dispatch/execute-plan.js';
import { type ErrorCode, GatewayError } from '../errors.js';
import type { Candidate, Plan } from '../chooser/plan.js';
import type { NewChoice } from '../store/contracts/choices.js';
import type { RequestRow } from '../store/contracts/requests.js';
import type { NewShadow } from '../store/contracts/shadows.js';
import type { SurfaceLabel } from '../surface-labels.js';
import type { KeptContent } from './requests/kept-content.js';

/** What a request did beside calling models. Times in ms. */
export interface GroundingRecord {
  /** The engine that answered the last search, or `native`; null: nothing was searched. */
  readonly engine: string | null;
  readonly queries: readonly string[];
  readonly searches: number;
  readonly pagesRead: number;
  readonly toolCalls: number;
  /** Beside the tokens, in USD; null: a price is not known. */
  readonly costUsd: number | null;
  /** Of searching, reading and tools together. */
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

/** What the row of a request has as its record knows it. */
type RowFigures = {
  -readonly [
    Name in
      | ('error' | 'field' | 'provider' | 'model' | 'stream' | 'conversationId' | 'responseId')
      | 'traceId'
      | ('ttftMs' | 'promptTokens' | 'completionTokens' | 'costUsd' | 'estimatedUsd' | 'heldUsd')
  ]: RequestRow[Name];
};

/** What the request log, the log and the metrics report. The stages that know fill it in. */
export interface RequestRecord extends RowFigures {
  /** The HTTP status; null until the answer is over. */
  status: number | null;
  code: ErrorCode | null;
  /** For the log alone, in place of the error; null: the error says all. */
  detail: string | null;
  /** The names for the sums of usage, where they are not `provider` and `model`. */
  summedAs: Pick<Candidate, 'provider' | 'model'> | null;
  attempts: Attempt[];
  fallbacks: number;
  /** Of its `completionTokens` those that the model thought; null: no provider counted them. */
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
  /** Of a second model's answer: what it is compared with. Null: it is a client's request. */
  shadow: NewShadow | null;
  /** What it searched, read and did with tools; null: it was asked for none of that. */
  grounding: GroundingRecord | null;
  /** The content that the configuration asks to keep. */
  content: KeptContent | null;
}

/** A request as far as logs, metrics and the request log look at it. */
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
  /** Runs work with the request's span as the parent of spans that others begin. */
  run<T>(work: () => T): T;
  /** What the gateway did beside calling models has just ended. @param error a code, or null */
  did(work: 'retrieval' | 'execute_tool', name: string, ms: number, error: string | null): void;
  /** What a call outside of attempts sends along to such an address, if the trace may go there. */
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
