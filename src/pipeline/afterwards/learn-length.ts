import { statedAnswerTokens } from '../../models/max-cost.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';

/**
 * Tells the metrics, and later predictions of this process, how long an answer was beside what was
 * expected of it. An answer that was cut short, or expected to reach the client's limit, tells
 * nothing, nor does one whose tokens no provider counted.
 */
export function learnLength({ metrics }: GatewayParts, request: GatewayRequest): void {
  const { record, plan, call, caller, surface, snapshot } = request;
  const { provider, model, completionTokens, reasoningTokens, finishReason } = record;
  if (plan === null || record.code !== null || surface === 'model_select') return;
  if (model === null || completionTokens === null || finishReason === 'length') return;
  const answered = plan.candidates.find(
    (candidate) => candidate.model === model && candidate.provider === provider,
  );
  const expected = answered?.why.outputTokens;
  if (expected === undefined || reasoningTokens === null) return;
  const limit = call ? statedAnswerTokens(call.chat) : null;
  if (limit !== null && expected >= limit) return;
  const actual = completionTokens / (call?.chat.n ?? 1);
  if (expected > 0) metrics.answerLength(provider ?? '', model, actual / expected);
  snapshot.corrections.add(model, caller.accountId, expected, actual);
}
