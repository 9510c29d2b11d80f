import { defaultAffinity } from '../affinity.js';
import { featuresOf } from '../learned/features.js';
import { createFindModel, type FindModel } from '../learned/known-models.js';
import type { Expectation, Router } from '../learned/router.js';
import type { TunedRequest, Tuning } from '../learned/tuning.js';
import type { Appraisal, Ranker, RoutingRequest } from '../plan.js';
import { predicted } from '../predicted.js';
import { type Margins, rankByTradeoff } from '../rank-by-tradeoff.js';
import { defaultTolerance } from './prior-ranker.js';

/** What is left out of the margins is as usual. */
export interface LearnedRankerOptions extends Partial<Margins> {
  readonly router: Router;
}

const mostOdds = 4;

/** The prediction after all tunings: log odds added up, the quality kept between 0 and 1, and why. */
function tuned(known: Appraisal, expectation: Expectation, tunings: readonly Tuning[], seen: TunedRequest, request: RoutingRequest): Appraisal {
  let odds = Math.log(expectation.quality / (1 - expectation.quality));
  let { uncertainty } = expectation;
  const learned: string[] = [];
  for (const tuning of tunings) {
    const adjustment = tuning.adjust(known.candidate, seen, expectation);
    if (adjustment === null || !Number.isFinite(adjustment.odds)) continue;
    odds += Math.max(-mostOdds, Math.min(mostOdds, adjustment.odds));
    if (adjustment.uncertainty !== undefined && adjustment.uncertainty >= 0) uncertainty = adjustment.uncertainty;
    if (adjustment.odds !== 0) learned.push(adjustment.reason);
  }
  const quality = Math.max(0.001, Math.min(0.999, 1 / (1 + Math.exp(-odds))));
  const told = predicted(known, { quality, uncertainty, outputTokens: expectation.outputTokens }, request, seen.reading.gate);
  if (learned.length > 0) told.learned = learned;
  return told;
}

/**
 * Ranks by what was learned: how well each model will answer this conversation, and what that will cost. A model that nobody measured is
 * judged by what is publicly known of its family. A quality that the caller or the configuration states is taken as it is.
 */
export function createLearnedRanker({ router, tolerance = defaultTolerance, affinity = defaultAffinity }: LearnedRankerOptions): Ranker {
  const find: FindModel = createFindModel(router.weights.models);
  const margins = { tolerance, affinity };
  return {
    name: 'learned',
    rank(request, candidates) {
      const features = featuresOf(request);
      const seen = { features, reading: router.read(features) };
      const { reading } = seen;
      const { tunings = [] } = request;
      const known = candidates.map((one) => {
        const place = find(one.candidate.model);
        const expectation = place < 0 ? router.guess(reading, one.quality) : router.expect(reading, place);
        if (tunings.length === 0 || one.qualityStated) return predicted(one, expectation, request, reading.gate);
        return tuned(one, expectation, tunings, seen, request);
      });
      return rankByTradeoff(request, known, margins);
    },
  };
}
