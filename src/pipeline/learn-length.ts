import { statedAnswerTokens } from '../routing/max-cost.js';
import type { GatewayRequest } from './request.js';

/**
 * Tells later predictions of this process how long an answer was beside what was expected of it. An
 * answer that was cut short, or expected to reach the client's limit, tells nothing.
 */
export function learnLength({ record, plan, call, surface, snapshot }: GatewayRequest): void {
  const { provider, model, completionTokens, finishReason } = record;
  if (plan === null || record.code !== null || surface === 'model_select') return;
  if (model === null || completionTokens === null || finishReason === 'length') return;
  const answered = plan.candidates.find(
    (candidate) => candidate.model === model && candidate.provider === provider,
  );
  const expected = answered?.why.outputTokens;
  if (expected === undefined) return;
  const limit = call ? statedAnswerTokens(call.chat) : null;
  if (limit !== null && expected >= limit) return;
  snapshot.corrections.add(model, expected, completionTokens / (call?.chat.n ?? 1));
}
