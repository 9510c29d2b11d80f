import { type Margins, rankByTradeoff } from '../rank-by-tradeoff.js';
import type { Ranker } from '../plan.js';

/** Ranks by what is known beforehand: stated quality, else the ability of the model's family. */
export const createPriorRanker = (margins: Margins): Ranker => ({
  name: 'prior',
  rank: (request, candidates) => rankByTradeoff(request, candidates, margins),
});
