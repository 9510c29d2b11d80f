import { explanationOf } from './figures.js';
import type { CandidateFigures, RankedCandidate } from './plan.js';

/** A candidate with its score and the reason for its place. */
export function placed(
  { candidate, figures }: CandidateFigures,
  score: number,
  reason: string,
): RankedCandidate {
  const { label, provider, model, price, latency, attributes, effort } = candidate;
  const why = explanationOf(figures, reason);
  const result: RankedCandidate = { label, provider, model, score, why };
  if (price !== undefined) result.price = price;
  if (latency !== undefined) result.latency = latency;
  if (attributes !== undefined) result.attributes = attributes;
  if (effort !== undefined) result.effort = effort;
  return result;
}
