import { statedAnswerTokens } from '../routing/max-cost.js';
import { outcomesOf } from '../training/online/outcomes.js';
import type { RequestRecord } from '../telemetry/observed-request.js';
import type { CompletionCall } from './completion-call.js';
import { explainFailure } from './explain-failure.js';
import { learnSignals } from './learn-signals.js';
import type { Parts } from './parts.js';
import type { GatewayRequest } from './request.js';
import { answeredChoice } from './weighed-choice.js';

/**
 * Reports a request that is over, once: to the metrics, the log, the request log and the learner.
 */
export function finishRequest(parts: Parts, request: GatewayRequest): void {
  explainFailure(request);
  request.record.summedAs = summedName(request);
  request.record.choice = answeredChoice(request);
  parts.metrics.request(request);
  parts.log.request(request);
  parts.state.requestLog.addRequest(request);
  if (!request.call) return;
  learnOutcomes(parts, request, request.call);
  learnSignals(parts, request, request.call);
}

/**
 * The names for the sums, which are kept for ever, so that clients cannot invent rows: a model that
 * did not answer and that is not known is `other`, and so is its provider if it is not configured.
 */
function summedName({ record, surface, snapshot }: GatewayRequest): RequestRecord['summedAs'] {
  const { provider, model, promptTokens } = record;
  const isClientsName = surface === 'model_select' || surface === 'reported';
  const hasAnswered = promptTokens !== null && !isClientsName;
  if (model === null || hasAnswered || snapshot.isKnownModel(provider ?? '', model)) return null;
  return { provider: snapshot.providers.has(provider ?? '') ? provider : 'other', model: 'other' };
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
