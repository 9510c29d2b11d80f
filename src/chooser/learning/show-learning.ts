import { type LearnedMoves, learnedMoves } from './learned-moves.js';
import { decodeEvidence } from './evidence-codec.js';
import type { LearnedState } from './evidence.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import type { Store } from '../../store/contracts/store.js';

/** What a scope has learned, for display. */
export interface ShownLearning {
  readonly state: LearnedState;
  readonly moves: LearnedMoves;
  /** Ms since 1970; null: nothing was ever learned. */
  readonly updatedAt: number | null;
}

/**
 * Reads what a scope has learned from the database.
 * @param router under this name kinds of task are numbered
 * @param now ms since 1970
 */
export async function showLearning(
  { learnings }: Pick<Store, 'learnings'>,
  scope: LearningScope,
  router: string,
  now: number,
): Promise<ShownLearning> {
  const record = await learnings.find(scope);
  const state = decodeEvidence(record?.state ?? null);
  return {
    state,
    moves: learnedMoves(state, router, now),
    updatedAt: record && record.state !== null ? record.updatedAt : null,
  };
}
