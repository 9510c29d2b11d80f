import { type ErrorTraceEntry, GatewayError } from '../errors.js';
import type { Candidate, Limits } from '../chooser/plan.js';
import { AttemptLog, type OnAttempt } from './attempt-log.js';
import { type Admission, type AttemptContext, CandidateAttempts } from './candidate-attempts.js';
import { type Cancellation, Deadline } from './cancellation.js';
import type { ChatAnswer } from './chat-call.js';
import { exhausted, type RefusalAnswer } from './exhausted.js';
import type { Provider } from './provider.js';
import type { AttemptAnswer, CallTarget, UpstreamCall } from './upstream-call.js';

export { BrokenStream } from './candidate-attempts.js';
export type { Attempt } from './attempt-log.js';

/** What is executed: a plan, and the calls to make for it. */
export interface PlanExecutionInput<Answer extends AttemptAnswer> {
  plan: { readonly candidates: readonly Candidate[]; readonly limits: Limits };
  /** Whether providers are asked to stream. */
  stream: boolean;
  /** Makes the call of one attempt: `chatCalls`, or that of an embedding. */
  callOf: (target: CallTarget) => UpstreamCall<Answer>;
  cancellation: Cancellation;
  /** Undefined where the candidate's provider is not configured. */
  providerOf: (candidate: Candidate) => Provider | undefined;
  onAttempt: OnAttempt;
  /** Absent: every attempt is admitted. */
  admit?: Admission;
  /** Entries for candidates that were skipped before the plan was made. */
  errorTrace?: readonly ErrorTraceEntry[];
  /** How a request is answered that every candidate refused. Default: with 422. */
  refusal?: RefusalAnswer;
}

/** Which candidate answered, and what it took. */
export interface ExecutionRecord {
  candidate: Candidate;
  attempts: number;
  errorTrace: readonly ErrorTraceEntry[];
}

/** What the execution of a chat request returns. */
export type ChatOutcome = ChatAnswer & ExecutionRecord;

/**
 * Executes a plan: its candidates in order, each with its retries, within one deadline for all.
 * @throws GatewayError with the error trace where nothing was committed; BrokenStream where
 *   something was, or the client left
 */
export function executePlan<Answer extends AttemptAnswer>(
  input: PlanExecutionInput<Answer>,
): Promise<Answer & ExecutionRecord> {
  return new PlanExecution(input).run();
}

class PlanExecution<Answer extends AttemptAnswer> {
  private readonly log: AttemptLog;
  private readonly context: AttemptContext<Answer>;

  constructor(private readonly input: PlanExecutionInput<Answer>) {
    const { plan, stream, callOf, cancellation, admit = null } = input;
    this.log = new AttemptLog(input.onAttempt, input.errorTrace);
    this.context = {
      limits: plan.limits,
      stream,
      callOf,
      cancellation,
      deadline: new Deadline(plan.limits.totalTimeoutMs),
      log: this.log,
      admit,
    };
  }

  async run(): Promise<Answer & ExecutionRecord> {
    const { log } = this;
    for (const candidate of this.input.plan.candidates) {
      try {
        const answer = await this.tryCandidate(candidate);
        return { candidate, attempts: log.count, errorTrace: log.errorTrace, ...answer };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        if (error.recovery === 'stop') throw this.withTrace(error);
      }
    }
    throw exhausted(log.failures, log.errorTrace, this.input.refusal);
  }

  private tryCandidate(candidate: Candidate): Promise<Answer> {
    const provider = this.input.providerOf(candidate);
    if (!provider) throw this.log.skip(candidate);
    return new CandidateAttempts(this.context, candidate, provider).run();
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
