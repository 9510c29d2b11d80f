import pRetry from 'p-retry';
import type { ChatRequest, Usage } from '../completion.js';
import { type ErrorCode, type ErrorTraceEntry, GatewayError } from '../errors.js';
import type { Plan, RankedCandidate } from '../routing/plan.js';
import type { AnswerWriter } from './answer-writer.js';
import { attempt, AttemptFailure, type AttemptResult } from './attempt.js';
import { maxRetryWaitMs, retryWaitMs, wait } from './backoff.js';
import type { Cancellation } from './cancellation.js';
import { Deadline } from './deadline.js';
import { exhausted } from './exhausted.js';
import { type Provider, rememberUnstreamed } from './provider.js';

/** The record of one upstream call, reported once. Times in ms. */
export interface Attempt {
  provider: string;
  model: string;
  /** Counts from 1 for each candidate. */
  number: number;
  outcome: 'ok' | ErrorCode;
  /** The provider's status, null where it never answered. */
  status: number | null;
  error: string | null;
  latencyMs: number;
  /** From the attempt's start to its first content; null where none came. */
  firstContentMs: number | null;
}

export interface PlanExecutionInput {
  plan: Plan;
  request: ChatRequest;
  /** Whether providers are asked to stream. */
  stream: boolean;
  writer: AnswerWriter;
  cancellation: Cancellation;
  providerOf: (candidate: RankedCandidate) => Provider | undefined;
  /** `unusedLength`: characters of content that a failed attempt had brought and nobody got; null where it had brought none, or they are told of in the end. */
  onAttempt: (attempt: Attempt, unusedLength: number | null) => void;
  /** Entries for candidates that were passed over before the plan was made. */
  errorTrace?: readonly ErrorTraceEntry[];
}

export interface Outcome {
  candidate: RankedCandidate;
  finishReason: string | null;
  usage: Usage | null;
  contentLength: number;
  /** `performance.now()` of the first content. */
  firstContentAt: number;
  attempts: number;
  errorTrace: readonly ErrorTraceEntry[];
}

/**
 * A failure that leaves something used behind: after the commit, where the stream has begun and its end must be told in it, and where the
 * client left while a provider was at work.
 */
export class BrokenStream extends Error {
  constructor(
    readonly error: GatewayError,
    readonly candidate: RankedCandidate,
    readonly firstContentAt: number | null,
    readonly contentLength: number,
    readonly attempts: number,
  ) {
    super(error.message, { cause: error });
  }
}

/**
 * Carries a plan out: its candidates in order, retries inside each, within one deadline for all.
 * @throws GatewayError with the error trace when nothing was committed; BrokenStream when something was, or the client left
 */
export function executePlan(input: PlanExecutionInput): Promise<Outcome> {
  return new PlanExecution(input).run();
}

class PlanExecution {
  private readonly trace: ErrorTraceEntry[];
  private readonly failures: GatewayError[] = [];
  private attempts = 0;
  readonly deadline: Deadline;

  constructor(private readonly input: PlanExecutionInput) {
    this.deadline = new Deadline(input.plan.limits.totalTimeoutMs);
    this.trace = [...(input.errorTrace ?? [])];
  }

  async run(): Promise<Outcome> {
    for (const candidate of this.input.plan.candidates) {
      try {
        const result = await this.tryCandidate(candidate);
        const { finishReason, usage, contentLength, firstContentAt } = result;
        return {
          candidate,
          finishReason,
          usage,
          contentLength,
          firstContentAt,
          attempts: this.attempts,
          errorTrace: this.trace,
        };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        if (error.recovery === 'stop') throw this.stopped(error);
      }
    }
    throw exhausted(this.failures, this.trace);
  }

  /** A client's or the deadline's end keeps its own code; the trace tells what had been tried. */
  private stopped(error: GatewayError): GatewayError {
    return new GatewayError(error.code, error.message, { cause: error, errorTrace: this.trace });
  }

  private async tryCandidate(candidate: RankedCandidate): Promise<AttemptResult> {
    const provider = this.input.providerOf(candidate);
    if (!provider) throw this.passOver(candidate);
    const tries = new CandidateAttempts(this, this.input, candidate, provider);
    try {
      return await tries.once();
    } catch (error) {
      // p-retry only once a first try has failed: wrapping every call costs 12-17 µs
      if (!(error instanceof GatewayError) || !tries.mayRetry(error)) throw error;
      return await tries.again(error);
    }
  }

  private passOver(candidate: RankedCandidate): GatewayError {
    const error = new GatewayError(
      'not_configured',
      `provider ${candidate.provider ?? '(none)'} is not configured`,
    );
    this.trace.push({
      provider: candidate.provider ?? '',
      model: candidate.model,
      error: error.message,
      status: null,
      attempt: 0,
      latency: 0,
    });
    return error;
  }

  /** Reports an attempt, once. */
  report(record: Attempt, failure: GatewayError | null, unusedLength: number | null): void {
    this.attempts++;
    if (failure && failure.code !== 'client_closed') {
      this.failures.push(failure);
      this.trace.push({
        provider: record.provider,
        model: record.model,
        error: failure.message,
        status: record.status,
        attempt: record.number,
        latency: record.latencyMs,
      });
    }
    this.input.onAttempt(record, unusedLength);
  }

  get attemptCount(): number {
    return this.attempts;
  }
}

/** The tries at one candidate. */
class CandidateAttempts {
  private number = 0;
  private retries = 0;
  /** Whether the last try asked for a stream. */
  private streamed = false;
  private readonly triedKeys: (string | null)[] = [];

  constructor(
    private readonly journey: PlanExecution,
    private readonly input: PlanExecutionInput,
    private readonly candidate: RankedCandidate,
    private readonly provider: Provider,
  ) {}

  async once(): Promise<AttemptResult> {
    const { provider, candidate, input } = this;
    this.number++;
    const startedAt = performance.now();
    const apiKey = provider.keys.next(this.triedKeys);
    const stream = input.stream && !provider.unstreamed.has(candidate.model);
    this.streamed = stream;
    try {
      const result = await attempt({
        provider,
        candidate,
        call: { request: input.request, model: candidate.model, stream },
        apiKey,
        writer: input.writer,
        cancellation: input.cancellation,
        deadline: this.journey.deadline,
      });
      this.journey.report(this.record(startedAt, null, result.firstContentAt), null, null);
      return result;
    } catch (error) {
      if (!(error instanceof AttemptFailure)) throw error;
      this.learn(error.error, apiKey);
      const isLast = error.committed || error.error.code === 'client_closed';
      this.journey.report(
        this.record(startedAt, error.error, error.firstContentAt),
        error.error,
        isLast || error.firstContentAt === null ? null : error.contentLength,
      );
      if (isLast)
        throw new BrokenStream(
          error.error,
          candidate,
          error.firstContentAt,
          error.contentLength,
          this.journey.attemptCount,
        );
      throw error.error;
    }
  }

  /** Tries again, as often as allowed. @throws the last failure */
  again(first: GatewayError): Promise<AttemptResult> {
    let last = first;
    return pRetry(
      async () => {
        // another key or another form of the same question is no retry
        if (last.recovery === 'retry') this.retries++;
        await wait(
          this.anotherKey(last) ? 0 : retryWaitMs(this.retries, last),
          this.input.cancellation,
          this.journey.deadline,
        );
        return this.once();
      },
      {
        // counted here: p-retry's own count would end before a key's or a form's second chance
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

  /** Whether this candidate may be asked again after that failure. */
  mayRetry(failure: GatewayError): boolean {
    if (this.input.cancellation.reason) return false;
    switch (failure.recovery) {
      case 'retry':
        return (
          this.retries < this.input.plan.limits.retriesPerCandidate &&
          ((failure.retryAfterMs ?? 0) <= maxRetryWaitMs || this.anotherKey(failure))
        );
      case 'next_key':
        return this.triedKeys.length < this.provider.keys.size;
      case 'unstreamed':
        return this.streamed;
      default:
        return false;
    }
  }

  /** Where one key has met its limit and another has not, there is nothing to wait for. */
  private anotherKey(failure: GatewayError): boolean {
    return (
      failure.code === 'rate_limited' && this.provider.keys.size > 1 && this.provider.keys.hasFree()
    );
  }

  private learn(failure: GatewayError, apiKey: string | null): void {
    const { keys } = this.provider;
    if (failure.recovery === 'next_key') {
      this.triedKeys.push(apiKey);
      keys.setAside(apiKey, 'refused');
    } else if (failure.code === 'rate_limited')
      keys.setAside(apiKey, failure.retryAfterMs ?? 1_000);
    else if (failure.recovery === 'unstreamed')
      rememberUnstreamed(this.provider, this.candidate.model);
  }

  private record(
    startedAt: number,
    failure: GatewayError | null,
    firstContentAt: number | null,
  ): Attempt {
    return {
      provider: this.provider.name,
      model: this.candidate.model,
      number: this.number,
      outcome: failure?.code ?? 'ok',
      status: failure ? failure.upstreamStatus : 200,
      error: failure?.message ?? null,
      latencyMs: Math.round(performance.now() - startedAt),
      firstContentMs: firstContentAt === null ? null : firstContentAt - startedAt,
    };
  }
}
