import { isContinued } from './affinity.js';
import type { Expectation } from './predictor/quality-predictor.js';
import { type KindsOfTask, withPrediction } from './figures.js';
import type { Appraisal, CandidateFigures, RoutingRequest } from './plan.js';

/**
 * Expected USD for a prompt of so many tokens, before its answer; null if the price is unknown.
 * @param cachedTokens of the prompt: what its provider has read before
 */
function promptCost(
  { rates: { input, output, cachedInput, request = 0 } }: Appraisal,
  promptTokens: number,
  cachedTokens: number,
): number | null {
  if (input === null && output === null) return null;
  const rate = input ?? output ?? 0;
  const cached = Math.min(cachedTokens, promptTokens);
  return ((promptTokens - cached) * rate + cached * (cachedInput ?? rate)) / 1e6 + request;
}

/** Expected USD for an answer of so many tokens; null if the price is unknown. */
function answerCostOf({ rates: { input, output } }: Appraisal, tokens: number): number | null {
  const rate = output ?? input;
  return rate === null ? null : (tokens * rate) / 1e6;
}

/** What was understood of a request, the same for all candidates. */
export interface Understood {
  readonly gate: number;
  readonly kinds: KindsOfTask;
}

/**
 * A candidate's figures with what is predicted for this request. A stated quality is left as it is.
 */
export function predicted(
  known: Appraisal,
  { quality, uncertainty, outputTokens: usual }: Expectation,
  request: RoutingRequest,
  { gate, kinds }: Understood,
): CandidateFigures {
  const { candidate, figures, qualityStated, maxOutput } = known;
  const { promptTokens = 0, maxTokens, continued } = request;
  const outputTokens = Math.min(usual, maxTokens ?? Infinity, maxOutput ?? Infinity);
  const cachedTokens = continued && isContinued(candidate, continued) ? continued.cachedTokens : 0;
  const answerCost = answerCostOf(known, outputTokens);
  const prompt = promptCost(known, promptTokens, cachedTokens);
  return {
    candidate,
    figures: withPrediction(figures, {
      quality: qualityStated ? figures.quality : quality,
      uncertainty: qualityStated ? 0 : uncertainty,
      cost: prompt === null || answerCost === null ? null : prompt + answerCost,
      answerCost,
      outputTokens,
      gate,
      kinds,
    }),
  };
}
