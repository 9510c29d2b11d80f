import type { Candidate, Exclusion, Figures, Plan, RankedCandidate } from './plan.js';
import { thousandths } from './numbers.js';

/** What `?explain=true` tells of one candidate; the figures are null where nobody knows, `score` and `excluded` exclude each other. */
export interface CandidateExplanation {
  label: string;
  provider: string | null;
  model: string;
  quality: number | null;
  /** USD per million tokens, blended. */
  price: number | null;
  /** Seconds to the first token. */
  latency: number | null;
  /** Standard deviation of the quality; absent where the ranker does not tell. */
  uncertainty?: number;
  /** Expected USD for answering this conversation; absent where the ranker does not tell. */
  cost?: number | null;
  /** Tokens that the answer is expected to have; absent where the ranker does not tell. */
  output_tokens?: number;
  /** What the account's own traffic has changed in the quality; absent: nothing. */
  learned?: readonly string[];
  /** The quality before the account's feedback and outcomes moved it; absent: they did not. */
  quality_before?: number;
  /** It stands first to be tried; absent: it was not. */
  explored?: true;
  score: number | null;
  /** Why it stands where it stands. */
  reason?: string;
  /** Why it cannot serve the request. */
  excluded?: string;
}

/** Without the dust of binary fractions. */
const dusted = (figure: number | null | undefined): number | null =>
  figure === null || figure === undefined ? null : Math.round(figure * 1e9) / 1e9;

function explain(
  { label, provider, model }: Candidate,
  figures: Figures | undefined,
  score: number | null,
): CandidateExplanation {
  const told: CandidateExplanation = {
    label,
    provider,
    model,
    quality: dusted(figures?.quality),
    price: dusted(figures?.price),
    latency: dusted(figures?.latency),
    score: dusted(score),
  };
  if (figures?.uncertainty !== undefined) told.uncertainty = thousandths(figures.uncertainty);
  if (figures?.cost !== undefined) told.cost = dusted(figures.cost);
  if (figures?.outputTokens !== undefined) told.output_tokens = Math.round(figures.outputTokens);
  if (figures?.learned !== undefined) told.learned = figures.learned;
  if (figures?.qualityBefore !== undefined)
    told.quality_before = thousandths(figures.qualityBefore);
  return told;
}

/** How familiar the request was, as precise as it is known; absent where the ranker does not tell. */
export function gateOf({ gate }: Pick<Plan, 'gate'>): { gate?: number } {
  return gate === undefined ? {} : { gate: thousandths(gate) };
}

/** Explains a plan candidate by candidate: those that serve, best first, then those that cannot. */
export function explainPlan({
  candidates,
  excluded,
}: {
  readonly candidates: readonly RankedCandidate[];
  readonly excluded: readonly Exclusion[];
}): CandidateExplanation[] {
  // no spreads: they cost more than the rest of it
  const told = candidates.map((candidate) => {
    const one = explain(candidate, candidate.why, candidate.score);
    one.reason = candidate.why.reason;
    if (candidate.why.explored) one.explored = true;
    return one;
  });
  for (const { candidate, reason, figures } of excluded) {
    const one = explain(candidate, figures, null);
    one.excluded = reason;
    told.push(one);
  }
  return told;
}
