import { statedAnswerTokens } from '../../models/max-cost.js';
import { outcomesOf } from '../../chooser/learning/outcomes.js';
import type { CompletionCall } from '../completion-call.js';
import { learnLength } from './learn-length.js';
import { learnPace } from './learn-pace.js';
import { learnSignals } from './learn-signals.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import { closeRecord, reportRequest } from './report-request.js';
import type { GatewayRequest } from '../request.js';
import { shadowAnswer } from './shadow-answer.js';
import { answeredChoice } from './weighed-choice.js';

/**
 * Reports a request that is over, once: to the metrics, the log, the request log and the learner.
 * Its client has the answer: what begins here delays nobody.
 */
export function finishRequest(parts: GatewayParts, request: GatewayRequest): void {
  closeRecord(request);
  request.record.choice = answeredChoice(request);
  reportRequest(parts, request);
  learnLength(parts, request);
  learnPace(request);
  if (!request.call) return;
  learnOutcomes(parts, request, request.call);
  learnSignals(parts, request, request.call);
  shadowAnswer(parts, request);
}

/** Teaches the account's later choices how the models of a completion did. */
function learnOutcomes(
  { state }: GatewayParts,
  request: GatewayRequest,
  call: CompletionCall,
): void {
  const { caller, snapshot, record } = request;
  const { attempts, finishReason, preferenceId } = record;
  if (!snapshot.routing.learning.enabled || attempts.length === 0) return;
  // an answer that was cut at the client's or the budget's own bound is no fault of the model
  const isBounded = statedAnswerTokens(call.chat) !== null;
  state.outcomes.add(
    { accountId: caller.accountId, preferenceId: preferenceId ?? '' },
    caller.keyId,
    outcomesOf({ attempts, finishReason, isBounded }),
  );
}
