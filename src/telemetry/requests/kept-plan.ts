import { type CandidateExplanation, explainPlan, gateOf } from '../../chooser/explain-plan.js';
import type { KindsOfTask, Plan } from '../../chooser/plan.js';

/** A plan as it is stored. */
export interface KeptPlan {
  readonly reason: string;
  /** 0..1: how familiar the request was; absent if the ranker predicted nothing. */
  readonly gate?: number;
  /** Kinds of task, for ratings after the content is gone; absent without a prediction. */
  readonly kinds?: KindsOfTask;
  /** As `explainPlan` makes them, best first. */
  readonly candidates: readonly CandidateExplanation[];
  /** How many more candidates there were than are stored. */
  readonly omitted?: number;
}

/**
 * How many candidates are stored, the best first, then excluded ones: forty candidates cost more to
 * store than to rank.
 */
const maxCandidates = 16;
const maxName = 512;
const maxReason = 1_000;

/** The part of a plan that is stored. Of the request it contains only the size. */
export function keptPlan(plan: Plan): KeptPlan {
  const candidates = plan.candidates.slice(0, maxCandidates);
  const excluded = plan.excluded.slice(0, maxCandidates - candidates.length);
  const omitted =
    plan.candidates.length + plan.excluded.length - candidates.length - excluded.length;
  return {
    reason: cut(plan.reason, maxReason),
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

/** A client chooses the names of candidates, so they may be long. */
function shortened(candidate: CandidateExplanation): CandidateExplanation {
  if (
    candidate.label.length +
      candidate.model.length +
      (candidate.provider?.length ?? 0) +
      (candidate.excluded?.length ?? 0) <
    maxName
  )
    return candidate;
  const provider = candidate.provider === null ? null : cut(candidate.provider, maxName);
  const excluded =
    candidate.excluded === undefined ? {} : { excluded: cut(candidate.excluded, maxReason) };
  return {
    ...candidate,
    label: cut(candidate.label, maxName),
    model: cut(candidate.model, maxName),
    provider,
    ...excluded,
  };
}

/** A text of at most `maxLength` characters; a longer one ends with an ellipsis. */
export const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
