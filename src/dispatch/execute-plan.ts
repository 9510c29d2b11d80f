import { type ErrorTraceEntry, GatewayError, type ClientError, type ErrorCode } from '../errors.js';
import type { Candidate, Limits } from '../chooser/plan.js';
import { AttemptLog, type OnAttempt } from './attempt-log.js';
import { type Admission, type AttemptContext, CandidateAttempts } from './candidate-attempts.js';
import { type Cancellation, Deadline } from './cancellation.js';
import type { ChatAnswer } from './chat-call.js';
import type { Demotion } from './breaker.js';
import { type CandidateCall, type Hedge, Race } from './race.js';
import type { Provider } from './provider.js';
import type { SlotOwner } from '../async/slot-queue.js';
import type { AttemptAnswer, AttemptTracer, CallTarget, UpstreamCall } from './upstream-call.js';

export { type Attempt, BrokenStream } from './attempt-log.js';
export type { OpenCircuit } from './provider.js';
export type { AttemptSpan, AttemptTracer, CallTarget } from './upstream-call.js';

/** What is executed: a plan, and the calls to make for it. */
export interface PlanExecutionInput<Answer extends AttemptAnswer> {
  plan: { readonly candidates: readonly Candidate[]; readonly limits: Limits };
  /** Whether providers are asked to stream. */
  stream: boolean;
  /** Makes the call of one attempt: `ChatCall`, or that of an embedding. */
  callOf: (target: CallTarget) => UpstreamCall<Answer>;
  cancellation: Cancellation;
  /** Undefined where the candidate's provider is not configured. */
  providerOf: (candidate: Candidate) => Provider | undefined;
  onAttempt: OnAttempt;
  /** Absent: every attempt is admitted. */
  admit?: Admission;
  /** The account that takes slots of busy providers. Absent: the gateway itself. */
  owner?: SlotOwner;
  /** Identifies the conversation, as in `KeyRing.next`. Absent: there is none. */
  affinity?: () => string;
  /** Absent or null: the request is not traced. */
  tracer?: AttemptTracer | null;
  /** Entries for candidates that were skipped before the plan was made. */
  errorTrace?: readonly ErrorTraceEntry[];
  /** How a request is answered that every candidate refused. Default: with 422. */
  refusal?: RefusalAnswer;
  /** Absent: one call at a time. Only calls that ask for a stream are hedged. */
  hedge?: Hedge | undefined;
}

/** Which candidate answered, and what it took. */
export interface ExecutionRecord {
  candidate: Candidate;
  attempts: number;
  errorTrace: readonly ErrorTraceEntry[];
  /** The second call of a hedged request answered. Absent: it did not. */
  hedged?: true;
}

/** What the execution of a chat request returns. */
export type ChatOutcome = ChatAnswer & ExecutionRecord;

/**
 * Executes a plan: its candidates in order, each with its retries, within one deadline for all.
 * @throws GatewayError with the error trace where nothing was committed; BrokenStream where
 *   something was, or the client left
 */
export const executePlan = <Answer extends AttemptAnswer>(
  input: PlanExecutionInput<Answer>,
): Promise<Answer & ExecutionRecord> => new PlanExecution(input).run();

const gatewayItself: SlotOwner = { accountId: '', weight: 1 };

class PlanExecution<Answer extends AttemptAnswer> {
  private readonly log: AttemptLog;
  private readonly context: AttemptContext<Answer>;
  /** Candidates that have not been tried. */
  private left = 0;
  /** The place of the next one in the plan. */
  private at = 0;
  /** Candidates that are called after all others. */
  private readonly demoted: (readonly [Demotion, Candidate])[] = [];
  /** One that a race gave back. */
  private spare: Candidate | null = null;

  constructor(private readonly input: PlanExecutionInput<Answer>) {
    const { plan, stream, callOf, cancellation, admit = null, affinity = null } = input;
    const { owner = gatewayItself } = input;
    this.log = new AttemptLog(input.onAttempt, input.errorTrace);
    this.context = {
      limits: plan.limits,
      stream,
      callOf,
      cancellation,
      deadline: new Deadline(plan.limits.totalTimeoutMs),
      log: this.log,
      admit,
      affinity,
      owner,
      hedged: false,
      tracer: input.tracer ?? null,
    };
  }

  async run(): Promise<Answer & ExecutionRecord> {
    const { log } = this;
    this.left = this.input.plan.candidates.length;
    let candidate = this.next() ?? this.nextSetAside();
    for (; candidate; candidate = this.next() ?? this.nextSetAside()) {
      const answer = await this.tryCandidate(candidate, this.input.providerOf(candidate));
      if (answer) return answer;
    }
    throw exhausted(log.failures, log.errorTrace, this.input.refusal);
  }

  private next(): Candidate | undefined {
    const { candidates } = this.input.plan;
    let candidate = this.spare ?? candidates[this.at++];
    this.spare = null;
    for (; candidate; candidate = candidates[this.at++]) {
      const provider = this.input.providerOf(candidate);
      const reason =
        candidates.length > 1 && provider?.breaker.demotion(candidate.model, provider.keys.marks);
      if (!reason) break;
      this.demoted.push([reason, candidate]);
      this.log.setAside(candidate, reason);
    }
    return candidate;
  }

  /** The candidate whose rest ends first. */
  private nextSetAside(): Candidate | undefined {
    this.demoted.sort(([one], [other]) => one.until - other.until);
    return this.demoted.shift()?.[1];
  }

  /** @returns null: the next candidate is to be tried */
  private async tryCandidate(
    candidate: Candidate,
    provider: Provider | undefined,
  ): Promise<(Answer & ExecutionRecord) | null> {
    const { log } = this;
    this.left--;
    try {
      if (!provider) throw log.skip(candidate);
      const isLast = this.left === 0;
      const { hedge } = this.input;
      const lateMs = hedge && this.context.stream ? hedge.afterMs(candidate) : null;
      if (hedge && lateMs !== null) {
        const call = { candidate, provider, isLast, usedKeys: [] };
        const won = await new Race(this.context, hedge, this).run(call, lateMs);
        return { ...won, attempts: log.count, errorTrace: log.errorTrace };
      }
      const answer = await new CandidateAttempts(this.context, candidate, provider, isLast).run();
      return { candidate, attempts: log.count, errorTrace: log.errorTrace, ...answer };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (error.recovery === 'stop') throw this.withTrace(error);
      return null;
    }
  }

  /** The second call of a race: the next candidate, or another key of the first. Null: neither. */
  takeSecond({ candidate, provider, apiKey }: CandidateAttempts<Answer>): CandidateCall | null {
    const next = this.next();
    const other = next && this.input.providerOf(next);
    if (next && other) {
      this.left--;
      return { candidate: next, provider: other, isLast: this.left === 0, usedKeys: [] };
    }
    this.spare = next ?? null;
    const { keys, breaker } = provider;
    const used = keys.markOf(apiKey);
    const isFree = keys.marks.some(
      (mark) => mark !== used && breaker.restUntil(candidate.model, mark) === 0,
    );
    return isFree ? { candidate, provider, isLast: true, usedKeys: [apiKey] } : null;
  }

  /** Takes back a candidate that has neither answered nor failed. */
  giveBack({ candidate, usedKeys }: CandidateCall): void {
    if (usedKeys.length > 0) return;
    this.spare = candidate;
    this.left++;
  }

  /**
   * Where the client, the deadline, a spent budget or a stop ended the execution, the error keeps its
   * code and gets the trace.
   */
  private withTrace(error: GatewayError): GatewayError {
    const { errorTrace } = this.log;
    const { retryAfterMs } = error;
    return new GatewayError(error.code, error.message, { cause: error, errorTrace, retryAfterMs });
  }
}

/** How a request is answered that every provider refused. */
export interface RefusalAnswer {
  /**
   * True: with the status and code of the first refusal, which clients of OpenAI's dialect branch
   * on. False: with 422, where all refused it for the same reason.
   */
  readonly keepsStatus: boolean;
  /** The request's field that names the first model, for messages. */
  readonly modelField: string;
}

/** How long a client should wait where no provider states a wait, in ms. */
const defaultWaitMs = 5_000;

/** Codes that are kept where all attempts failed with the same one. */
const sharedCodes: readonly ErrorCode[] = [
  'rate_limited',
  'quota_exhausted',
  'upstream_overloaded',
  'overloaded',
  'upstream_timeout',
  'request_refused',
  'model_not_found',
];

/** The client's own mistakes, as far as a provider can tell. */
const refusals: readonly ErrorCode[] = ['request_refused', 'model_not_found', 'stream_refused'];

/** Statuses of refusals that clients know; others of the same kind become 400 and 404. */
const keptStatuses: readonly number[] = [400, 404, 413, 422];

/**
 * The error for a request whose candidates all failed: `all_failed`, or the code that all failures
 * share; `not_configured` where no candidate could be called.
 */
function exhausted(
  failures: readonly GatewayError[],
  errorTrace: readonly ErrorTraceEntry[],
  refusal: RefusalAnswer = { keepsStatus: false, modelField: 'model' },
): GatewayError {
  const last = failures.at(-1);
  if (!last)
    return new GatewayError(
      'not_configured',
      errorTrace.at(-1)?.error ?? 'no candidate could be called',
      { errorTrace },
    );
  if (refusal.keepsStatus && failures.every(({ code }) => refusals.includes(code)))
    return firstRefusal(failures, errorTrace);
  const code = sharedCodes.find((shared) => failures.every((failure) => failure.code === shared));
  if (!code)
    return new GatewayError('all_failed', summary(failures, last), { cause: last, errorTrace });
  if (code === 'model_not_found')
    return new GatewayError(code, `${refusal.modelField}: ${summary(failures, last)}`, {
      cause: last,
      errorTrace,
      status: 422,
      field: refusal.modelField,
      upstreamStatus: last.upstreamStatus,
    });
  const isTemporary = ['rate_limited', 'upstream_overloaded', 'overloaded'].includes(code);
  return new GatewayError(code, summary(failures, last), {
    cause: last,
    errorTrace,
    retryAfterMs: isTemporary ? shortestWaitMs(failures) : null,
    upstreamStatus: last.upstreamStatus,
    ...(code === 'quota_exhausted' ? { clientError: last.clientError } : {}),
  });
}

/**
 * The first candidate's refusal with its own status. A refusal to stream counts only where there is
 * no other, because the same model is then asked again without streaming.
 */
function firstRefusal(
  failures: readonly GatewayError[],
  errorTrace: readonly ErrorTraceEntry[],
): GatewayError {
  const first = failures.find(({ code }) => code !== 'stream_refused') ?? failures[0]!;
  const { code, upstreamStatus } = first;
  const kept = keptStatuses.find((status) => status === upstreamStatus);
  return new GatewayError(code, first.message, {
    cause: first,
    errorTrace,
    status: kept ?? (code === 'model_not_found' ? 404 : 400),
    upstreamStatus,
    field: first.field,
    clientError: first.clientError ?? (upstreamStatus === null ? unsupported(first) : null),
  });
}

/** The client error where the adapter refused, without a call, what its provider does not have. */
const unsupported = ({ field }: GatewayError): ClientError => ({
  code: 'unsupported_value',
  param: field,
  type: 'invalid_request_error',
});

function shortestWaitMs(failures: readonly GatewayError[]): number {
  const waits = failures.map((failure) => failure.retryAfterMs).filter((ms) => ms !== null);
  return waits.length > 0 ? Math.min(...waits) : defaultWaitMs;
}

const summary = (failures: readonly GatewayError[], last: GatewayError): string =>
  failures.length === 1
    ? last.message
    : `${failures.length === 2 ? 'both' : `all ${failures.length}`} attempts failed; the last: ${last.message}`;
