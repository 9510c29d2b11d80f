import type { Ranker } from '../plan.js';
import { rankedCandidate } from '../ranked-candidate.js';

/** Keeps the order given, whatever is known; scores fall evenly from 1 towards 0. */
export const givenOrder: Ranker = {
  name: 'given',
  rank: (_request, candidates) =>
    candidates.map((known, index) =>
      rankedCandidate(
        known,
        1 - index / candidates.length,
        index === 0 ? 'first in the order given' : `number ${index + 1} in the order given`,
      ),
    ),
};
