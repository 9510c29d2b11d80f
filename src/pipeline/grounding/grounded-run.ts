import type { FailedUse } from '../../dispatch/attempt-log.js';
import type { Cancellation } from '../../dispatch/cancellation.js';
import type { ChatAnswer, ChatAsk } from '../../dispatch/chat-call.js';
import type { CallTarget, ChatOutcome, PlanExecutionInput } from '../../dispatch/execute-plan.js';
import type { FinishedAnswer, PlannedCompletion } from '../completion-call.js';
import type { CompletionUsage } from '../completion-usage.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';
import type { HedgedCall } from '../hedged-call.js';
import type { RequestReservation } from '../request-reservation.js';
import type { AnswerGrounding, GroundingProgress, PlannedGrounding } from './grounding-call.js';

/** A completion of several model calls, with tool calls or searches between them. */
export interface GroundedRun {
  /**
   * @returns the last model call; what the others used is in the figures
   * @throws GatewayError, BrokenStream as `executePlan`
   */
  run(): Promise<ChatOutcome>;
  /** Writes the end of the answer. @returns its sources and citations */
  end(answer: FinishedAnswer): AnswerGrounding;
}

/** Executes the plan once: the model call of one round. */
export type ExecuteRound = (
  round: Pick<PlanExecutionInput<ChatAnswer>, 'plan' | 'admit' | 'errorTrace'> & {
    readonly askOf: (target: CallTarget) => ChatAsk;
    /** Absent: the round is not hedged. */
    readonly hedge?: HedgedCall | undefined;
    /** Default: the request's. */
    readonly cancellation?: Cancellation;
    /** Default: the request's. */
    readonly reservation?: RequestReservation | null;
    readonly continuesAt?: number;
    /** Receives what each attempt that failed used. */
    readonly onFailed?: (failed: FailedUse) => void;
  },
) => Promise<ChatOutcome>;

/** The inputs of a completion of several model calls. */
export interface GroundedInput {
  readonly parts: GatewayParts;
  readonly request: GatewayRequest;
  readonly planned: PlannedCompletion;
  readonly grounding: PlannedGrounding;
  readonly figures: CompletionUsage;
  readonly execute: ExecuteRound;
  readonly tell: (progress: GroundingProgress) => void;
}
