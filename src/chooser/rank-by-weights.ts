import { rankedCandidate } from './ranked-candidate.js';
import type { Figures } from './figures.js';
import type { CandidateFigures, RankedCandidate } from './plan.js';
import { thousandths } from '../models/numbers.js';
import type { Weights } from '../store/contracts/preferences.js';

/**
 * The figures that count as half bad: the expected cost of an answer in USD (or, if the ranker does
 * not predict it, the price in USD per million tokens) and the seconds to the first token. A
 * thousand tokens at `middlePrice` cost `middleCost`.
 */
const middleCost = 0.003;
const middlePrice = 3;
const middleLatency = 1;
/** How bad an unknown figure counts. */
const unknownShare = 0.5;

/**
 * How bad a figure is, from 0 to almost 1: it rises with the figure and does not depend on the
 * other candidates.
 */
const badness = (figure: number | null, middle: number): number =>
  figure === null ? unknownShare : figure / (figure + middle);

const costBadness = ({ cost, price }: Figures): number =>
  cost === undefined ? badness(price, middlePrice) : badness(cost, middleCost);

/**
 * Orders candidates by a preference's weights of quality, cost and latency; scores are between 0
 * and 1. Cost is the expected cost of this conversation if the ranker predicts it, else the price.
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
      cost * (1 - costBadness(figures)) +
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
