import pRetry from 'p-retry';
import { GatewayError } from '../errors.js';
import type { Candidate, Limits } from '../chooser/plan.js';
import { AttemptFailure, makeAttempt } from './attempt.js';
import type { Attempt, AttemptLog } from './attempt-log.js';
import { maxRetryWaitMs, retryWaitMs, wait } from './backoff.js';
import type { Cancellation, Deadline } from './cancellation.js';
import type { CallTiming } from './exchange.js';
import { type Provider, rememberUnstreamed } from './provider.js';
import type { AttemptAnswer, CallTarget, UpstreamCall } from './upstream-call.js';

/** The cooldown of a key that met a rate limit of unstated length. */
const defaultRateLimitMs = 1_000;

/**
 * Asked before each attempt whether its caller may pay for it.
 * @returns null: it may; else a promise that rejects with the GatewayError that ends the execution
 */
export type Admission = (candidate: Candidate) => Promise<void> | null;

/** What the attempts of one execution share. */
export interface AttemptContext<Answer extends AttemptAnswer> {
  readonly limits: Limits;
  /** Whether providers are asked to stream. */
  readonly stream: boolean;
  readonly callOf: (target: CallTarget) => UpstreamCall<Answer>;
  readonly cancellation: Cancellation;
  readonly deadline: Deadline;
  readonly log: AttemptLog;
  readonly admit: Admission | null;
}

/** The attempts at one candidate: the first, and its retries. */
export class CandidateAttempts<Answer extends AttemptAnswer> implements CallTiming {
  /** Of the current attempt. */
  sentAt: number | null = null;
  headersAt: number | null = null;
  /** Before the current attempt. */
  private waitMs = 0;
  private number = 0;
  private retries = 0;
  /** Whether the last attempt asked for a stream. */
  private wasStreamed = false;
  private readonly refusedKeys: (string | null)[] = [];

  constructor(
    private readonly context: AttemptContext<Answer>,
    private readonly candidate: Candidate,
    private readonly provider: Provider,
  ) {}

  /**
   * Calls the candidate, with as many retries as the plan allows.
   * @throws GatewayError the last failure; BrokenStream where nothing may be repeated
   */
  async run(): Promise<Answer> {
    try {
      return await this.attempt();
    } catch (error) {
      // p-retry only after a first failure: wrapping every call costs 12-17 µs
      if (!(error instanceof GatewayError) || !this.mayRetry(error)) throw error;
      return await this.retry(error);
    }
  }

  private async attempt(): Promise<Answer> {
    const { provider, candidate, context } = this;
    const admission = context.admit?.(candidate);
    if (admission) await admission;
    this.number++;
    const startedAt = performance.now();
    this.sentAt = null;
    this.headersAt = null;
    const apiKey = provider.keys.next(this.refusedKeys);
    const stream = context.stream && !provider.unstreamed.has(candidate.model);
    this.wasStreamed = stream;
    try {
      const answer = await makeAttempt({
        provider,
        call: context.callOf({ provider, candidate, stream }),
        apiKey,
        limits: context.limits,
        cancellation: context.cancellation,
        deadline: context.deadline,
        timing: this,
      });
      context.log.report(this.record(startedAt, apiKey, null, answer.firstContentAt), null, null);
      return answer;
    } catch (failure) {
      if (!(failure instanceof AttemptFailure)) throw failure;
      throw this.afterFailure(failure, startedAt, apiKey);
    }
  }

  /** Reports a failed attempt. @returns the error to throw for it */
  private afterFailure(
    { error, progress, mayBeBilled }: AttemptFailure,
    startedAt: number,
    apiKey: string | null,
  ): GatewayError | BrokenStream {
    const { firstContentAt, contentLength, committed, usage } = progress;
    const isFinal = committed || error.code === 'client_closed';
    this.applyToProvider(error, apiKey);
    const unusedLength = isFinal || firstContentAt === null ? null : contentLength;
    this.context.log.report(this.record(startedAt, apiKey, error, firstContentAt), error, {
      unusedLength,
      mayBeBilled,
      usage,
    });
    if (!isFinal) return error;
    return new BrokenStream(
      error,
      this.candidate,
      firstContentAt,
      contentLength,
      this.context.log.count,
    );
  }

  /** Retries as often as allowed. @throws the last failure */
  private retry(first: GatewayError): Promise<Answer> {
    let last = first;
    return pRetry(
      async () => {
        // another key, or asking without streaming, does not count as a retry
        if (last.recovery === 'retry') this.retries++;
        const waitMs = this.canUseAnotherKey(last) ? 0 : retryWaitMs(this.retries, last);
        await wait(waitMs, this.context.cancellation, this.context.deadline);
        this.waitMs = waitMs;
        return this.attempt();
      },
      {
        // mayRetry counts: p-retry's own count includes other keys and asking without streaming
        retries: Infinity,
        minTimeout: 0,
        maxTimeout: 0,
        shouldRetry: ({ error }) => {
          if (!(error instanceof GatewayError)) return false;
          last = error;
          return this.mayRetry(error);
        },
      },
    );
  }

  /** Whether this candidate may be called again after that failure. */
  private mayRetry(failure: GatewayError): boolean {
    if (this.context.cancellation.reason) return false;
    switch (failure.recovery) {
      case 'retry':
        return (
          this.retries < this.context.limits.retriesPerCandidate &&
          ((failure.retryAfterMs ?? 0) <= maxRetryWaitMs || this.canUseAnotherKey(failure))
        );
      case 'next_key':
        return this.refusedKeys.length < this.provider.keys.size;
      case 'unstreamed':
        return this.wasStreamed;
      default:
        return false;
    }
  }

  /** Whether a key met its rate limit while another is available, so that no wait is needed. */
  private canUseAnotherKey(failure: GatewayError): boolean {
    const { keys } = this.provider;
    return failure.code === 'rate_limited' && keys.size > 1 && keys.hasAvailable();
  }

  private applyToProvider(failure: GatewayError, apiKey: string | null): void {
    const { keys } = this.provider;
    if (failure.recovery === 'next_key') {
      this.refusedKeys.push(apiKey);
      keys.startCooldown(apiKey, 'refused');
    } else if (failure.code === 'rate_limited')
      keys.startCooldown(apiKey, failure.retryAfterMs ?? defaultRateLimitMs);
    else if (failure.recovery === 'unstreamed')
      rememberUnstreamed(this.provider, this.candidate.model);
  }

  private record(
    startedAt: number,
    apiKey: string | null,
    failure: GatewayError | null,
    firstContentAt: number | null,
  ): Attempt {
    const { sentAt, headersAt } = this;
    return {
      provider: this.provider.name,
      model: this.candidate.model,
      number: this.number,
      outcome: failure?.code ?? 'ok',
      status: failure ? failure.upstreamStatus : 200,
      error: failure?.message ?? null,
      latencyMs: Math.round(performance.now() - startedAt),
      startedAt,
      waitMs: this.waitMs,
      keyIndex: this.provider.keys.indexOf(apiKey),
      sentMs: sentAt === null ? null : sentAt - startedAt,
      headersMs: headersAt === null ? null : headersAt - startedAt,
      firstContentMs: firstContentAt === null ? null : firstContentAt - startedAt,
      isWhole: !this.context.stream,
    };
  }
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
    /** Characters of content. */
    readonly contentLength: number,
    readonly attempts: number,
  ) {
    super(error.message, { cause: error });
  }
}
