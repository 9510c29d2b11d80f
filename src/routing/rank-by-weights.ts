import { placed } from './placed.js';
import type { Appraisal, Figures, RankedCandidate } from './plan.js';
import type { Weights } from './preference.js';
import { thousandths } from './numbers.js';

/**
 * What counts as half bad: the expected cost of an answer in USD, or where no ranker tells it the price in USD per million tokens, and
 * seconds to the first token. A thousand tokens at that price cost as much.
 */
const middleCost = 0.003;
const middlePrice = 3;
const middleLatency = 1;
/** For what nobody knows. */
const unknownShare = 0.5;

/** How bad a figure is, from 0 to almost 1: always rising, whatever the other candidates are. */
const badness = (figure: number | null, middle: number): number =>
  figure === null ? unknownShare : figure / (figure + middle);

const costBadness = ({ cost, price }: Figures): number =>
  cost === undefined ? badness(price, middlePrice) : badness(cost, middleCost);

/**
 * Orders candidates by what a preference says that quality, cost and latency are worth; scores are between 0 and 1. Cost is what this
 * conversation is expected to cost where the ranker tells it, else the price. A candidate's score does not depend on the others. Of equals
 * the better quality comes first, then the one given first.
 */
export function rankByWeights(
  candidates: readonly Appraisal[],
  { quality, cost, latency }: Weights,
): RankedCandidate[] {
  const whole = quality + cost + latency;
  const scoreOf = (known: Appraisal): number =>
    (quality * known.quality +
      cost * (1 - costBadness(known)) +
      latency * (1 - badness(known.latency, middleLatency))) /
    whole;
  const scored = candidates
    .map((known) => ({ known, score: scoreOf(known) }))
    .sort((a, b) => b.score - a.score || b.known.quality - a.known.quality);
  return scored.map(({ known, score }, index) =>
    placed(
      known,
      score,
      `${index === 0 ? 'best ' : ''}${thousandths(score)} by the weights of the preference`,
    ),
  );
}
