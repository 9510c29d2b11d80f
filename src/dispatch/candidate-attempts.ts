import pRetry from 'p-retry';
import { GatewayError } from '../errors.js';
import type { SlotOwner, SlotQueue, Slot } from '../async/slot-queue.js';
import type { Candidate } from '../chooser/plan.js';
import { AttemptFailure, makeAttempt } from './attempt.js';
import { type Attempt, type AttemptLog, BrokenStream, type FailedUse } from './attempt-log.js';
import { maxRetryWaitMs, retryWaitMs, wait } from './backoff.js';
import type { AttemptInput, CallTiming } from './attempt-input.js';
import { nextKey, type Provider, remember } from './provider.js';
import {
  type AttemptAnswer,
  type AttemptSpan,
  type AttemptTracer,
  type CallTarget,
  slowFirstEventMs,
  type UpstreamCall,
} from './upstream-call.js';

/** A wait must leave this share of the time until the deadline for the attempt. */
const minLeftShare = 0.1;

/**
 * Asked before each attempt whether its caller may pay for it.
 * @returns null: it may; else a promise that rejects with the GatewayError that ends the execution
 */
export type Admission = (candidate: Candidate) => Promise<void> | null;

/** What the attempts of one execution share. */
export interface AttemptContext<Answer extends AttemptAnswer> extends Readonly<
  Pick<AttemptInput<Answer>, 'cancellation' | 'deadline' | 'limits'>
> {
  /** Whether providers are asked to stream. */
  readonly stream: boolean;
  readonly callOf: (target: CallTarget) => UpstreamCall<Answer>;
  readonly log: AttemptLog;
  readonly admit: Admission | null;
  /** The account that takes slots of busy providers. */
  readonly owner: SlotOwner;
  /** As in `KeyRing.next`. */
  readonly affinity: (() => string) | null;
  /** Whether they belong to the second call of a hedged request. */
  readonly hedged: boolean;
  readonly tracer: AttemptTracer | null;
}

/** The attempts at one candidate: the first, and its retries. */
export class CandidateAttempts<Answer extends AttemptAnswer> implements CallTiming {
  /** The timing of the current attempt. */
  sentAt: number | null = null;
  headersAt: number | null = null;
  /** The key of the current attempt. */
  apiKey: string | null = null;
  /** The wait before the current attempt. */
  private waitMs = 0;
  private number = 0;
  private retries = 0;
  /** Whether it was asked again after an answer that could not be read. */
  private isAskedAgain = false;
  /** Whether the last attempt asked for a stream. */
  private wasStreamed = false;
  /** The breaker is open: the call shows whether the model works again. */
  private isTrial = false;
  /** The wait before the next attempt. */
  private nextWaitMs = 0;

  constructor(
    private readonly context: AttemptContext<Answer>,
    readonly candidate: Candidate,
    readonly provider: Provider,
    /** The last candidate is retried even while its breaker is open. */
    private readonly isLast: boolean,
    /** Keys that the provider refused, or that another call uses. */
    private readonly refusedKeys: (string | null)[] = [],
  ) {}

  /**
   * Calls the candidate, with as many retries as the plan allows.
   * @throws GatewayError the last failure; BrokenStream where nothing may be repeated
   */
  async run(): Promise<Answer> {
    const { breaker, timeouts } = this.provider;
    const { model } = this.candidate;
    const leaseMs = timeouts.connectMs + (timeouts.firstEventMs ?? slowFirstEventMs);
    const trial = breaker.begin(model, leaseMs);
    this.isTrial = trial !== null;
    try {
      return await this.attemptInSlot();
    } catch (error) {
      // p-retry only after a first failure: wrapping every call costs 12-17 µs
      if (!(error instanceof GatewayError) || !this.mayRetry(error)) throw error;
      return await this.retry(error);
    } finally {
      if (trial) breaker.release(trial);
    }
  }

  private attemptInSlot(): Promise<Answer> {
    return this.provider.slots ? this.attemptIn(this.provider.slots) : this.attempt();
  }

  /** @throws GatewayError `overloaded` where the provider has no slot in time */
  private async attemptIn(slots: SlotQueue): Promise<Answer> {
    const { owner, stream, cancellation, deadline, log } = this.context;
    const startedAt = performance.now();
    let slot: Slot | null = null;
    try {
      slot = slots.take(owner, stream ? 'stream' : 'whole', deadline.leftMs());
      if (slot.ready) {
        cancellation.onCancel((reason) => slot?.end(() => reason));
        await slot.ready.finally(() => cancellation.onCancel(null));
        this.waitMs += Math.round(performance.now() - startedAt);
      }
    } catch (error) {
      slot?.end();
      if (error instanceof GatewayError) log.refuse(this.candidate, error);
      throw error;
    }
    return this.attempt().finally(() => slot.end());
  }

  private async attempt(): Promise<Answer> {
    const { provider, candidate, context } = this;
    const admission = context.admit?.(candidate);
    if (admission) await admission;
    this.number++;
    const startedAt = performance.now();
    this.sentAt = this.headersAt = null;
    const { affinity } = context;
    const { model } = candidate;
    const apiKey = nextKey(provider, { model, tried: this.refusedKeys, affinity });
    this.apiKey = apiKey;
    const stream = (this.wasStreamed = context.stream && !provider.unstreamed.has(model));
    const target: CallTarget = { provider, candidate, stream };
    const span = context.tracer?.attempt(target, startedAt) ?? null;
    try {
      const answer = await makeAttempt({
        provider,
        call: context.callOf(target),
        apiKey,
        limits: context.limits,
        cancellation: context.cancellation,
        deadline: context.deadline,
        timing: this,
        span,
        onFirstContent: this.isTrial ? () => this.succeeded(apiKey, startedAt) : null,
      });
      this.succeeded(apiKey, startedAt);
      provider.unreadable.delete(model);
      const record = this.record(startedAt, apiKey, null, answer.firstContentAt);
      if (answer.unknownFinish !== undefined) record.unknownFinish = answer.unknownFinish;
      context.log.report(record, null, null);
      span?.end(record, answer);
      return answer;
    } catch (failure) {
      if (!(failure instanceof AttemptFailure)) throw failure;
      throw this.afterFailure(failure, startedAt, apiKey, span);
    }
  }

  /** Reports a failed attempt. @returns the error to throw for it */
  private afterFailure(
    { error, progress, mayBeBilled }: AttemptFailure,
    startedAt: number,
    apiKey: string | null,
    span: AttemptSpan | null,
  ): GatewayError | BrokenStream {
    const { firstContentAt, contentLength, usage } = progress;
    const isFinal = progress.committed || error.code === 'client_closed';
    this.applyToProvider(error, apiKey);
    this.countFailure(error, startedAt, firstContentAt === null);
    const hasLost = error.code === 'hedge_lost';
    const use: FailedUse = {
      // the provider read its prompt, as it does where a client leaves
      contentLength: firstContentAt === null && !hasLost ? null : contentLength,
      isFinal,
      mayBeBilled,
      usage,
    };
    const record = this.record(startedAt, apiKey, error, firstContentAt);
    this.context.log.report(record, error, use);
    span?.end(record, use);
    if (!isFinal) return error;
    const { errorTrace } = this.context.log;
    return new BrokenStream(error, this.candidate, firstContentAt, use, errorTrace);
  }

  /** Retries as often as allowed. @throws the last failure */
  private retry(first: GatewayError): Promise<Answer> {
    let last = first;
    return pRetry(
      async () => {
        // another key, or asking without streaming, does not count as a retry
        if (last.recovery === 'retry' || last.recovery === 'once') this.retries++;
        this.isAskedAgain ||= last.recovery === 'once';
        this.waitMs = this.nextWaitMs;
        await wait(this.waitMs, this.context.cancellation, this.context.deadline);
        return this.attemptInSlot();
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

  /** Whether this candidate may be called again after that failure. Sets `nextWaitMs`. */
  private mayRetry(failure: GatewayError): boolean {
    const { cancellation, deadline } = this.context;
    if (cancellation.reason || !this.isRepeatable(failure)) return false;
    this.nextWaitMs = this.canUseAnotherKey(failure) ? 0 : retryWaitMs(this.retries + 1, failure);
    return this.nextWaitMs === 0 || this.nextWaitMs < deadline.leftMs() * (1 - minLeftShare);
  }

  private isRepeatable(failure: GatewayError): boolean {
    const { breaker, keys, unreadable } = this.provider;
    const { model } = this.candidate;
    if (failure.recovery === 'next_key') return this.refusedKeys.length < keys.size;
    if (failure.recovery === 'unstreamed') return this.wasStreamed;
    if (failure.recovery !== 'retry' && failure.recovery !== 'once') return false;
    const isOpen = this.isTrial || breaker.isSetAside(model);
    if (isOpen && !this.isLast) return false;
    if (this.retries >= this.context.limits.retriesPerCandidate) return false;
    return failure.recovery === 'once'
      ? !this.isAskedAgain && !unreadable.has(model)
      : (failure.retryAfterMs ?? 0) <= maxRetryWaitMs || this.canUseAnotherKey(failure);
  }

  /** Whether a key met its rate limit while another is available, so that no wait is needed. */
  private canUseAnotherKey(failure: GatewayError): boolean {
    const { keys, breaker } = this.provider;
    const { model } = this.candidate;
    const isFree = (mark: string): boolean => breaker.restUntil(model, mark) === 0;
    return failure.code === 'rate_limited' && keys.size > 1 && keys.marks.some(isFree);
  }

  private applyToProvider(failure: GatewayError, apiKey: string | null): void {
    const { keys, breaker } = this.provider;
    const { model } = this.candidate;
    if (failure.recovery === 'next_key') this.refusedKeys.push(apiKey);
    if (failure.recovery === 'next_key' || failure.code === 'rate_limited')
      breaker.rest(model, keys.markOf(apiKey), failure);
    else if (failure.recovery === 'unstreamed') remember(this.provider.unstreamed, model);
    // unreadable twice: later requests call the model once each, until an answer can be read
    else if (failure.recovery === 'once' && this.isAskedAgain)
      remember(this.provider.unreadable, model);
  }

  private countFailure(error: GatewayError, startedAt: number, isSilent: boolean): void {
    const { breaker, keys } = this.provider;
    const isForNextKey = error.recovery === 'next_key' && this.refusedKeys.length < keys.size;
    if (isForNextKey) return;
    // the request's deadline may be shorter than the timeout of a provider that hangs
    const isLong = performance.now() - startedAt > this.context.limits.totalTimeoutMs / 2;
    const hangs = error.code === 'deadline_exceeded' && isSilent && isLong;
    const isTimeout = hangs || error.code === 'upstream_timeout';
    breaker.failed(this.candidate.model, error, this.headersAt !== null, isTimeout);
  }

  private succeeded(apiKey: string | null, startedAt: number): void {
    const { breaker, keys } = this.provider;
    const { model } = this.candidate;
    if (!breaker.isCalm) breaker.succeeded(model, keys.markOf(apiKey), this.isTrial, startedAt);
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
      ...(this.context.hedged && { hedged: true }),
    };
  }
}
