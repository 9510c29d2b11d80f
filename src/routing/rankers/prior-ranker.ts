import { defaultAffinity } from '../affinity.js';
import { type Margins, rankByTradeoff } from '../rank-by-tradeoff.js';
import type { Ranker } from '../plan.js';

/** How far below the best predicted quality a cheaper or faster model may be, unless configured. */
export const defaultTolerance = 0.05;

/** Ranks by what is known beforehand: stated quality, else the ability of the model's family, whatever the conversation. */
export function createPriorRanker({
  tolerance = defaultTolerance,
  affinity = defaultAffinity,
}: Partial<Margins> = {}): Ranker {
  const margins = { tolerance, affinity };
  return {
    name: 'prior',
    rank: (request, candidates) => rankByTradeoff(request, candidates, margins),
  };
}
