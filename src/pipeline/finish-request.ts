import { statedAnswerTokens } from '../routing/max-cost.js';
import { outcomesOf } from '../training/online/outcomes.js';
import type { CompletionCall } from './completion-call.js';
import type { Parts } from './parts.js';
import type { GatewayRequest } from './request.js';

/**
 * Reports a request that is over, once: to the metrics, the log, the request log and the learner.
 */
export function finishRequest(parts: Parts, request: GatewayRequest): void {
  parts.metrics.request(request);
  parts.log.request(request);
  parts.state.requestLog.addRequest(request);
  if (request.call) learnOutcomes(parts, request, request.call);
}

/** Teaches the account's later choices how the models of a completion did. */
function learnOutcomes({ state }: Parts, request: GatewayRequest, call: CompletionCall): void {
  const { caller, snapshot, record } = request;
  const { attempts, finishReason, preferenceId } = record;
  if (!snapshot.routing.learning.enabled || attempts.length === 0) return;
  // an answer that was cut at the client's or the budget's own bound is no fault of the model
  const isBounded = statedAnswerTokens(call.chat) !== null;
  state.outcomes.add(
    { accountId: caller.accountId, preferenceId: preferenceId ?? '' },
    outcomesOf({ attempts, finishReason, isBounded }),
  );
}
