import { featuresOf } from '../learned/features.js';
import { createFindModel } from '../learned/known-models.js';
import type { Expectation, Router } from '../learned/router.js';
import type { Appraisal, Ranker, RoutingRequest } from '../plan.js';
import { rankByTradeoff } from '../rank-by-tradeoff.js';
import { defaultTolerance } from './prior-ranker.js';

export interface LearnedRankerOptions {
  readonly router: Router;
  /** How far below the best predicted quality a cheaper or faster model may be. */
  readonly tolerance?: number;
}

/** Expected USD for a prompt and an answer of so many tokens; null where the price is not known. */
function expectedCost({ rates: { input, output } }: Appraisal, promptTokens: number, outputTokens: number): number | null {
  if (input === null && output === null) return null;
  return (promptTokens * (input ?? output ?? 0) + outputTokens * (output ?? input ?? 0)) / 1e6;
}

function foreseen(known: Appraisal, { quality, uncertainty, outputTokens }: Expectation, { promptTokens = 0, maxTokens }: RoutingRequest): Appraisal {
  const answer = Math.min(outputTokens, maxTokens ?? Infinity);
  return { ...known, quality: known.qualityStated ? known.quality : quality, uncertainty: known.qualityStated ? 0 : uncertainty, cost: expectedCost(known, promptTokens, answer) };
}

/**
 * Ranks by what was learned: how well each model will answer this conversation, and what that will cost. A model that nobody measured is
 * judged by what is publicly known of its family. A quality that the caller or the configuration states is taken as it is.
 */
export function createLearnedRanker({ router, tolerance = defaultTolerance }: LearnedRankerOptions): Ranker {
  const find = createFindModel(router.weights.models);
  return {
    name: 'learned',
    rank(request, candidates) {
      const reading = router.read(featuresOf(request));
      const known = candidates.map((one) => {
        const place = find(one.candidate.model);
        return foreseen(one, place < 0 ? router.guess(reading, one.quality) : router.expect(reading, place), request);
      });
      return rankByTradeoff(request, known, tolerance);
    },
  };
}
