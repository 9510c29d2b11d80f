import { isContinued } from './affinity.js';
import type { Expectation } from './predictor/quality-predictor.js';
import type { Appraisal, KindsOfTask, RoutingRequest } from './plan.js';

/**
 * Expected USD for a prompt and an answer of so many tokens; null where the price is not known.
 * @param cachedTokens of the prompt: what its provider has read before
 */
function expectedCost(
  { rates: { input, output, cachedInput, request = 0 } }: Appraisal,
  promptTokens: number,
  cachedTokens: number,
  outputTokens: number,
): number | null {
  if (input === null && output === null) return null;
  const rate = input ?? output ?? 0;
  const cached = Math.min(cachedTokens, promptTokens);
  return (
    ((promptTokens - cached) * rate +
      cached * (cachedInput ?? rate) +
      outputTokens * (output ?? rate)) /
      1e6 +
    request
  );
}

/** What was understood of a request, the same for all candidates. */
export interface Understood {
  readonly gate: number;
  readonly kinds: KindsOfTask;
}

/** What is known of a candidate, with what is predicted of it for this request. A stated quality is left as it is. */
export function predicted(
  known: Appraisal,
  { quality, uncertainty, outputTokens: usual }: Expectation,
  request: RoutingRequest,
  { gate, kinds }: Understood,
): Appraisal {
  const { promptTokens = 0, maxTokens, continued } = request;
  const outputTokens = Math.min(usual, maxTokens ?? Infinity, known.maxOutput ?? Infinity);
  const cachedTokens =
    continued && isContinued(known.candidate, continued) ? continued.cachedTokens : 0;
  // field by field: forty spreads cost as much as forty predictions
  return {
    candidate: known.candidate,
    quality: known.qualityStated ? known.quality : quality,
    uncertainty: known.qualityStated ? 0 : uncertainty,
    qualityStated: known.qualityStated,
    price: known.price,
    rates: known.rates,
    cost: expectedCost(known, promptTokens, cachedTokens, outputTokens),
    outputTokens,
    gate,
    kinds,
    latency: known.latency,
    contextLength: known.contextLength,
    maxOutput: known.maxOutput,
    tools: known.tools,
    images: known.images,
  };
}
