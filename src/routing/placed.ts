import type { Appraisal, RankedCandidate } from './plan.js';

/** A candidate with its score and why it stands where it stands. */
export function placed(
  {
    candidate,
    quality,
    price,
    latency,
    uncertainty,
    cost,
    outputTokens,
    learned,
    qualityBefore,
    gate,
    kinds,
  }: Appraisal,
  score: number,
  reason: string,
): RankedCandidate {
  // field by field: a spread cost half of the whole plan
  const result: RankedCandidate = {
    label: candidate.label,
    provider: candidate.provider,
    model: candidate.model,
    score,
    why: { quality, price, latency, reason },
  };
  if (uncertainty !== undefined) result.why.uncertainty = uncertainty;
  if (cost !== undefined) result.why.cost = cost;
  if (outputTokens !== undefined) result.why.outputTokens = outputTokens;
  if (learned !== undefined) result.why.learned = learned;
  if (qualityBefore !== undefined) result.why.qualityBefore = qualityBefore;
  if (gate !== undefined) result.why.gate = gate;
  if (kinds !== undefined) result.why.kinds = kinds;
  if (candidate.price !== undefined) result.price = candidate.price;
  if (candidate.latency !== undefined) result.latency = candidate.latency;
  if (candidate.attributes !== undefined) result.attributes = candidate.attributes;
  return result;
}
