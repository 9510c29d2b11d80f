import { type CandidateExplanation, explainPlan } from '../routing/make-plan.js';
import type { Plan } from '../routing/plan.js';

/** A plan as it is stored. */
export interface KeptPlan {
  readonly reason: string;
  /** What `explainPlan` tells, best first. */
  readonly candidates: readonly CandidateExplanation[];
  /** How many more there were, where they were too many to keep. */
  readonly omitted?: number;
}

/** About 64 KB of JSON. */
const mostText = 65_536;
const figuresText = 160;

const sizeOf = ({ label, provider, model, reason, excluded }: CandidateExplanation): number =>
  figuresText + label.length + (provider?.length ?? 0) + model.length + (reason?.length ?? 0) + (excluded?.length ?? 0);

/** What is kept of a plan: nothing of the request that it was made for but its size. */
export function keptPlan(plan: Plan): KeptPlan {
  const all = explainPlan(plan);
  let left = mostText;
  const tooMuch = all.findIndex((candidate) => (left -= sizeOf(candidate)) < 0);
  const candidates = tooMuch === -1 ? all : all.slice(0, tooMuch);
  return { reason: cut(plan.reason, 1_000), candidates, ...(tooMuch === -1 ? {} : { omitted: all.length - candidates.length }) };
}

/** A text of at most `longest` characters. */
export const cut = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
