import { placed } from './placed.js';
import type { Appraisal, RankedCandidate } from './plan.js';
import type { Weights } from './preference.js';

/** The price, in USD per million tokens, and the latency, in seconds, that count as half bad. */
const middlePrice = 3;
const middleLatency = 1;
/** For what nobody knows. */
const unknownShare = 0.5;

/** How bad a figure is, from 0 to almost 1: always rising, whatever the other candidates are. */
const badness = (figure: number | null, middle: number): number => (figure === null ? unknownShare : figure / (figure + middle));

const short = (value: number): number => Math.round(value * 1000) / 1000;

/**
 * Orders candidates by what a preference says that quality, cost and latency are worth; scores are between 0 and 1. A candidate's score does
 * not depend on the others. Of equals the better quality comes first, then the one given first.
 */
export function rankByWeights(candidates: readonly Appraisal[], { quality, cost, latency }: Weights): RankedCandidate[] {
  const whole = quality + cost + latency;
  const scoreOf = (known: Appraisal): number =>
    (quality * known.quality + cost * (1 - badness(known.price, middlePrice)) + latency * (1 - badness(known.latency, middleLatency))) / whole;
  const scored = candidates.map((known) => ({ known, score: scoreOf(known) })).sort((a, b) => b.score - a.score || b.known.quality - a.known.quality);
  return scored.map(({ known, score }, index) => placed(known, score, `${index === 0 ? 'best ' : ''}${short(score)} by the weights of the preference`));
}
