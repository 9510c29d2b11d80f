import { type ExplainedFigures, exact, explainFigures, type Figures } from './figures.js';
import { thousandths } from '../models/numbers.js';
import type { Candidate, Exclusion, Plan, RankedCandidate } from './plan.js';

/** What `?explain=true` shows of a candidate: a `score` or `excluded`; unknown figures are null. */
export interface CandidateExplanation
  extends ExplainedFigures, Pick<Candidate, 'label' | 'provider' | 'model' | 'effort'> {
  /** It was put first to be tried; absent: it was not. */
  explored?: true;
  score: number | null;
  reason?: string;
  /** Why it cannot serve the request. */
  excluded?: string;
}

function explain(
  { label, provider, model, effort }: Candidate,
  figures: Figures | undefined,
  score: number | null,
): CandidateExplanation {
  const explanation: CandidateExplanation = {
    label,
    provider,
    model,
    quality: null,
    price: null,
    latency: null,
    score: exact(score),
  };
  if (effort !== undefined) explanation.effort = effort;
  explainFigures(figures, explanation);
  return explanation;
}

/** How familiar the request was; absent if the ranker does not predict it. */
export const gateOf = ({ gate }: Pick<Plan, 'gate'>): { gate?: number } =>
  gate === undefined ? {} : { gate: thousandths(gate) };

/** Explains a plan candidate by candidate: those that serve, best first, then those that cannot. */
export function explainPlan({
  candidates,
  excluded,
}: {
  readonly candidates: readonly RankedCandidate[];
  readonly excluded: readonly Exclusion[];
}): CandidateExplanation[] {
  const explanations = candidates.map((candidate) => {
    const one = explain(candidate, candidate.why, candidate.score);
    one.reason = candidate.why.reason;
    if (candidate.why.explored) one.explored = true;
    return one;
  });
  for (const { candidate, reason, figures } of excluded) {
    const one = explain(candidate, figures, null);
    one.excluded = reason;
    explanations.push(one);
  }
  return explanations;
}
