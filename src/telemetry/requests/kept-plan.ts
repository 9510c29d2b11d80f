import { type CandidateExplanation, explainPlan, gateOf } from '../../routing/explain-plan.js';
import type { KindsOfTask, Plan } from '../../routing/plan.js';

/** A plan as it is stored. */
export interface KeptPlan {
  readonly reason: string;
  /** 0..1: how familiar the request was. Absent where the ranker did not tell. */
  readonly gate?: number;
  /** The kinds of task that it was made of: what a rating needs when its content is gone. Absent where the ranker did not tell. */
  readonly kinds?: KindsOfTask;
  /** What `explainPlan` tells, best first. */
  readonly candidates: readonly CandidateExplanation[];
  /** How many more there were, where they were too many to keep. */
  readonly omitted?: number;
}

/** The best ones are told, and as many of the excluded as there is room for: forty candidates cost more to keep than to rank. */
const mostCandidates = 16;
const longestName = 512;
const longestReason = 1_000;

/** What is kept of a plan: nothing of the request that it was made for but its size. */
export function keptPlan(plan: Plan): KeptPlan {
  const candidates = plan.candidates.slice(0, mostCandidates);
  const excluded = plan.excluded.slice(0, mostCandidates - candidates.length);
  const omitted =
    plan.candidates.length + plan.excluded.length - candidates.length - excluded.length;
  return {
    reason: cut(plan.reason, longestReason),
    ...gateOf(plan),
    ...kindsOf(plan),
    candidates: explainPlan({ candidates, excluded }).map(shortened),
    ...(omitted === 0 ? {} : { omitted }),
  };
}

function kindsOf({ kinds }: Plan): { kinds?: KindsOfTask } {
  if (kinds === undefined || kinds.shares.length === 0) return {};
  return {
    kinds: {
      router: kinds.router,
      shares: kinds.shares.map(([task, share]) => [task, Math.round(share * 1000) / 1000]),
    },
  };
}

/** A candidate's names are the client's words. */
function shortened(told: CandidateExplanation): CandidateExplanation {
  if (
    told.label.length +
      told.model.length +
      (told.provider?.length ?? 0) +
      (told.excluded?.length ?? 0) <
    longestName
  )
    return told;
  const provider = told.provider === null ? null : cut(told.provider, longestName);
  const excluded =
    told.excluded === undefined ? {} : { excluded: cut(told.excluded, longestReason) };
  return {
    ...told,
    label: cut(told.label, longestName),
    model: cut(told.model, longestName),
    provider,
    ...excluded,
  };
}

/** A text of at most `longest` characters. */
export const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
