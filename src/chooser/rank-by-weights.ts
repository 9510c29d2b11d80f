import { rankedCandidate } from './ranked-candidate.js';
import { expectedCost } from './rank-by-worth.js';
import type { CandidateFigures, RankedCandidate } from './plan.js';
import { thousandths } from '../models/numbers.js';
import type { Weights } from '../store/contracts/preferences.js';

/** The expected cost in USD, and the seconds to the first token, that count as half bad. */
const middleCost = 0.003;
const middleLatency = 1;
/** How bad an unknown figure counts. */
const unknownShare = 0.5;

/**
 * How bad a figure is, from 0 to almost 1: it rises with the figure and does not depend on the
 * other candidates.
 */
const badness = (figure: number | null, middle: number): number =>
  figure === null ? unknownShare : figure / (figure + middle);

/**
 * Orders candidates by a preference's weights of quality, cost and latency; scores are between 0
 * and 1. Cost is as `expectedCost` says.
 * A candidate's score does not depend on the others. Of equal scores the better quality comes
 * first, then the given order.
 */
export function rankByWeights(
  candidates: readonly CandidateFigures[],
  { quality, cost, latency }: Weights,
): RankedCandidate[] {
  const whole = quality + cost + latency;
  const scoreOf = ({ figures }: CandidateFigures): number =>
    (quality * figures.quality +
      cost * (1 - badness(expectedCost(figures), middleCost)) +
      latency * (1 - badness(figures.latency, middleLatency))) /
    whole;
  const scored = candidates
    .map((known) => ({ known, score: scoreOf(known) }))
    .sort((a, b) => b.score - a.score || b.known.figures.quality - a.known.figures.quality);
  return scored.map(({ known, score }, index) =>
    rankedCandidate(
      known,
      score,
      `${index === 0 ? 'best ' : ''}${thousandths(score)} by the weights of the preference`,
    ),
  );
}
