import type { Usage } from '../completion.js';
import { type ErrorCode, type ErrorTraceEntry, GatewayError } from '../errors.js';
import type { Candidate } from '../chooser/plan.js';

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
  /** How long the gateway waited before it: a backoff, or what the provider asked for. */
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
}

/**
 * What an attempt tells of the time to a first token, in ms; null: nothing. A model that cannot be
 * streamed has one too: its client sees no token earlier.
 */
export const firstTokenMsOf = ({ isWhole, firstContentMs }: Attempt): number | null =>
  isWhole ? null : firstContentMs;

/** What a failed attempt used. */
export interface FailedUse {
  /**
   * Characters of content that the attempt brought and no client received; null if it brought none,
   * or where its failure ends the execution and states the length.
   */
  readonly unusedLength: number | null;
  /** Whether the provider may charge for it. */
  readonly mayBeBilled: boolean;
  /** What the provider reported; null if it reported nothing. */
  readonly usage: Usage | null;
}

/**
 * Receives each attempt once.
 * @param failed null for an attempt that succeeded
 */
export type OnAttempt = (attempt: Attempt, failed: FailedUse | null) => void;

/** The attempts of one execution, with their failures. */
export class AttemptLog {
  /** How many attempts were made. */
  count = 0;
  /** Of the attempts, in order. */
  readonly failures: GatewayError[] = [];
  /** The failed attempts and skipped candidates, as reported to the client. */
  readonly errorTrace: ErrorTraceEntry[];

  /** @param errorTrace entries for candidates that were skipped before the plan was made */
  constructor(
    private readonly onAttempt: OnAttempt,
    errorTrace: readonly ErrorTraceEntry[] = [],
  ) {
    this.errorTrace = [...errorTrace];
  }

  /** Reports an attempt. A client that left, or a stop of ours, is no failure of the provider. */
  report(attempt: Attempt, failure: GatewayError | null, failed: FailedUse | null): void {
    this.count++;
    if (failure && failure.code !== 'client_closed' && failure.code !== 'unavailable') {
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
    this.errorTrace.push({
      provider: provider ?? '',
      model,
      error: error.message,
      status: null,
      attempt: 0,
      latency: 0,
    });
    return error;
  }
}
