import type { EventReader, Usage } from '../completion.js';
import type { UpstreamHeaders, UpstreamRequest } from '../providers/adapter.js';
import type { Candidate } from '../chooser/plan.js';
import { withoutByteOrderMark } from '../text/json-values.js';
import type { Attempt } from './attempt-log.js';
import type { Provider } from './provider.js';

/** The longest wait for the first event of a stream, unless the model reasons long before it. */
export const defaultFirstEventMs = 60_000;
/** Where the first event may be the end: of whole answers, and of long reasoning. */
export const slowFirstEventMs = 300_000;

/** Which model an attempt calls, and how. */
export interface CallTarget {
  readonly provider: Provider;
  readonly candidate: Candidate;
  /** Whether the provider is asked to stream. */
  readonly stream: boolean;
  /** Call before the first content is written: see `Race`. Absent: there is one call. */
  readonly claim?: () => void;
}

/** What every answer tells of its attempt. */
export interface AttemptAnswer {
  /** `performance.now()` of the first content. */
  readonly firstContentAt: number;
  /** As in CompletionAnswer. */
  readonly unknownFinish?: string;
  /** What the provider reported, if it did: for completions, and for other tasks. */
  readonly usage?: Usage | null;
  readonly promptTokens?: number | null;
  readonly finishReason?: string | null;
}

/** Begins a span for each upstream call of a traced request, at a `performance.now()`. */
export interface AttemptTracer {
  attempt(target: CallTarget, startedAt: number): AttemptSpan;
}

/** The span of one upstream call. */
export interface AttemptSpan {
  /** Sends the call to a URL, with the headers, if any, that make it a part of the trace. */
  send(url: string, send: (headers: Readonly<Record<string, string>>) => void): void;
  end(attempt: Attempt, answer: Partial<AttemptAnswer>): void;
}

/** How far an attempt came before it failed. */
export interface AttemptProgress {
  /** `performance.now()` of the first content; null if none arrived. */
  readonly firstContentAt: number | null;
  /** Characters of content. */
  readonly contentLength: number;
  /** True once content has reached the client: nothing may be repeated. */
  readonly committed: boolean;
  /** What the provider reported at the end of its answer; null if it did not come to that. */
  readonly usage: Usage | null;
}

/**
 * One call to a model: builds its request and reads its answer. Completions and embeddings differ
 * only here; an attempt makes one and uses it once.
 */
export interface UpstreamCall<Answer extends AttemptAnswer> {
  /** How long a provider may take to send the first event, where its settings do not say. */
  readonly firstEventMs: number;
  /** A promise only where the adapter returns one. @throws GatewayError `request_refused` */
  buildRequest(apiKey: string | null): UpstreamRequest | Promise<UpstreamRequest>;
  /**
   * Called with the headers of an answer with status 2xx.
   * @param head the first bytes of its body; null: it has ended
   * @returns the reader of its body, which gets all bytes; null: the body is collected and given to
   *   `readWhole`; undefined: more bytes have to come first
   */
  openStream(
    headers: UpstreamHeaders,
    head: Buffer | null,
  ): AnswerStream<Answer> | null | undefined;
  /** Reads a whole body. @throws GatewayError if it is an error or unreadable */
  readWhole(body: Buffer): Answer;
  progress(): AttemptProgress;
}

/** Reads the body of a streamed answer, and writes it on. */
export interface AnswerStream<Answer extends AttemptAnswer> extends EventReader {
  /** True once the provider has said that the answer is complete. */
  readonly ended: boolean;
  /** The answer, once complete. @throws GatewayError `unreadable_answer` if it is empty */
  finish(): Answer;
  /** As `AnswerWriter.flush`. */
  flush(): boolean;
  /** As `AnswerWriter.whenDrained`. */
  whenDrained(resume: () => void): void;
}

/**
 * A call whose answer is always read as a whole.
 * @param read gets the body. @throws GatewayError if it is an error or unreadable
 */
export const wholeCall = <Read extends object>(
  buildRequest: UpstreamCall<AttemptAnswer>['buildRequest'],
  read: (body: string) => Read,
): UpstreamCall<Read & AttemptAnswer> => ({
  firstEventMs: slowFirstEventMs,
  buildRequest,
  openStream: () => null,
  readWhole: (bytes) => ({
    ...read(withoutByteOrderMark(bytes).toString('utf8')),
    firstContentAt: performance.now(),
  }),
  progress: () => ({ firstContentAt: null, contentLength: 0, committed: false, usage: null }),
});
