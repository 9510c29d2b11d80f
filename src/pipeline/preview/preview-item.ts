import type { CandidateExplanation } from '../../chooser/explain-plan.js';
import type { ChoiceSource } from './preview-choices.js';

/** Differences: of the winner to the runner-up, or to what wins now. Null: unknown. */
export interface Difference {
  readonly score: number | null;
  readonly quality: number | null;
  /** USD. */
  readonly cost: number | null;
  /** Seconds to the first token. */
  readonly latency: number | null;
}

/** What a preference would choose in one case. */
export interface PreviewItem extends ChoiceSource {
  /** Why `winner` comes first, or why nobody does. */
  readonly reason: string;
  readonly winner: CandidateExplanation | null;
  readonly runnerUp: CandidateExplanation | null;
  /** What wins under the setting that it is compared with. */
  readonly current: CandidateExplanation | null;
  readonly isChanged: boolean;
  /** The winner less the runner-up; null: there is none. */
  readonly lead: Difference | null;
  /** The winner less what wins now; null: one of them is missing. */
  readonly change: Omit<Difference, 'score'> | null;
  /** All candidates, best first, and then those that are ruled out; only if they are asked for. */
  readonly candidates?: readonly CandidateExplanation[];
}
