import { type Margins, rankByTradeoff } from '../rank-by-tradeoff.js';
import type { Ranker } from '../plan.js';

/**
 * Ranks by what is known beforehand: stated quality, else the ability of the model's family,
 * whatever the conversation.
 */
export function createPriorRanker(margins: Margins): Ranker {
  return {
    name: 'prior',
    rank: (request, candidates) => rankByTradeoff(request, candidates, margins),
  };
}
