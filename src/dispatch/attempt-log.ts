import type { Usage } from '../completion.js';
import { type ErrorCode, type ErrorTraceEntry, GatewayError } from '../errors.js';
import type { Candidate } from '../chooser/plan.js';
import type { Cause, Demotion } from './breaker.js';

/** The record of one upstream call, reported once. Times in ms. */
export interface Attempt {
  provider: string;
  model: string;
  /** Counts from 1 for each candidate. */
  number: number;
  outcome: 'ok' | ErrorCode;
  /** The provider's status; null if it did not answer. */
  status: number | null;
  error: string | null;
  latencyMs: number;
  /** `performance.now()` of its start. */
  startedAt: number;
  /** The wait before it: a backoff, what the provider asked for, or a queue of `maxConcurrent`. */
  waitMs: number;
  /** Which of the provider's keys it used, from 1; null: there is only one. */
  keyIndex: number | null;
  /** From the attempt's start until a connection took the request; null: none did. */
  sentMs: number | null;
  /** From the attempt's start to the headers of the answer; null: none came. */
  headersMs: number | null;
  /** From the attempt's start to its first content; null if none arrived. */
  firstContentMs: number | null;
  /** Whether it was asked for the whole answer at once: its first content is then its end. */
  isWhole: boolean;
  /** The provider's finish reason, if it is not a known one; it counts as `stop`. */
  unknownFinish?: string;
  /** After how many characters it continues a broken answer. Absent: it began one. */
  continuesAt?: number;
  /** It belongs to the second call of a hedged request. Absent: it does not. */
  hedged?: true;
  /** The candidates that would have been called before it, but were set aside. Absent: none. */
  setAside?: readonly MovedCandidate[];
}

/** A candidate that is called after all others, if at all, and its last failure. */
export interface MovedCandidate extends Pick<Cause, 'model' | 'code' | 'status'> {
  readonly provider: string;
  /** When it may come first again: ISO 8601. */
  readonly until: string;
}

/**
 * An attempt's time to first token, in ms; null where the whole answer was asked for. A model that
 * refuses to stream has one too: its client sees no token earlier.
 */
export const firstTokenMsOf = ({ isWhole, firstContentMs }: Attempt): number | null =>
  isWhole ? null : firstContentMs;

/**
 * Outcomes that are no provider's fault: the client left, the gateway stops or is full, another call
 * won.
 */
export const ownEnds: ReadonlySet<string> = new Set([
  'client_closed',
  'unavailable',
  'too_many_requests',
  'hedge_lost',
]);

/** What a failed attempt used. */
export interface FailedUse {
  /** Characters of content that the attempt brought; null: none. */
  readonly contentLength: number | null;
  /** Whether its failure ends the execution: see `BrokenStream`. */
  readonly isFinal: boolean;
  readonly mayBeBilled: boolean;
  /** What the provider reported; null if it reported nothing. */
  readonly usage: Usage | null;
}

/**
 * A failure after which nothing may be repeated: the stream to the client had begun, or the client
 * left while a provider was working. The tokens that were used must still be accounted for.
 */
export class BrokenStream extends Error {
  constructor(
    readonly error: GatewayError,
    readonly candidate: Candidate,
    /** `performance.now()` of the first content; null if none arrived. */
    readonly firstContentAt: number | null,
    readonly use: FailedUse,
    readonly errorTrace: readonly ErrorTraceEntry[],
  ) {
    super(error.message, { cause: error });
  }
}

/** Receives each attempt once. @param failed null for an attempt that succeeded */
export type OnAttempt = (attempt: Attempt, failed: FailedUse | null) => void;

/** The attempts of one execution, with their failures. */
export class AttemptLog {
  /** How many attempts were made. */
  count = 0;
  /** The failures of the attempts, in order. */
  readonly failures: GatewayError[] = [];
  /** The failed attempts and skipped candidates, as reported to the client. */
  readonly errorTrace: ErrorTraceEntry[];
  /** Candidates that were set aside since the last attempt. */
  private moved: MovedCandidate[] | null = null;

  /** @param errorTrace entries for candidates that were skipped before the plan was made */
  constructor(
    private readonly onAttempt: OnAttempt,
    errorTrace: readonly ErrorTraceEntry[] = [],
  ) {
    this.errorTrace = [...errorTrace];
  }

  /** Reports an attempt. An outcome of `ownEnds` is no failure of the provider. */
  report(attempt: Attempt, failure: GatewayError | null, failed: FailedUse | null): void {
    this.count++;
    if (this.moved) attempt.setAside = this.moved;
    this.moved = null;
    if (failure && !ownEnds.has(failure.code)) {
      this.failures.push(failure);
      this.errorTrace.push({
        provider: attempt.provider,
        model: attempt.model,
        error: failure.message,
        status: attempt.status,
        attempt: attempt.number,
        latency: attempt.latencyMs,
      });
    }
    this.onAttempt(attempt, failed);
  }

  /** Records a candidate whose provider is not configured. @returns the error for it */
  skip({ provider, model }: Candidate): GatewayError {
    const error = new GatewayError(
      'not_configured',
      `provider ${provider ?? '(none)'} is not configured`,
    );
    this.trace(provider ?? '', model, error.message);
    return error;
  }

  /** Records a candidate whose provider has no free slot. Ignores an outcome of `ownEnds`. */
  refuse({ provider, model }: Candidate, error: GatewayError): void {
    if (ownEnds.has(error.code)) return;
    this.failures.push(error);
    this.trace(provider ?? '', model, error.message);
  }

  /** Records a candidate that is called after all others. Omits the message of another request. */
  setAside({ provider, model }: Candidate, { code, status, until }: Demotion): void {
    const moved = { provider: provider ?? '', model, code, status };
    const end = new Date(until).toISOString();
    (this.moved ??= []).push({ ...moved, until: end });
    const last = `${code}${status === null ? '' : `, status ${status}`}`;
    this.trace(moved.provider, model, `set aside until ${end} after earlier failures (${last})`);
  }

  private trace(provider: string, model: string, error: string): void {
    this.errorTrace.push({ provider, model, error, status: null, attempt: 0, latency: 0 });
  }
}
