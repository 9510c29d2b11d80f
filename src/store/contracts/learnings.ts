import type { FeedbackRow } from './requests.js';
import type { Changes } from './store.js';

/** What is learned of: an account's requests with one of its preferences; without any, `preferenceId` is ''. */
export interface LearningScope {
  readonly accountId: string;
  readonly preferenceId: string;
}

/** What one scope has learned of its traffic. */
export interface LearningRecord extends LearningScope {
  /** As the learner writes it; null: nothing, or forgotten. */
  readonly state: string | null;
  readonly updatedAt: number;
}

/**
 * Changes the state of a scope. May be called several times where the database asks for it, so it does nothing else.
 * @param forgottenAt when the scope was forgotten, ms since 1970; null: it never was, or something was learned since
 */
export type ChangeLearning = (state: string | null, forgottenAt: number | null) => string | null;

/**
 * Takes ratings in. May be called several times where the database asks for it, so it does nothing else.
 * @param earlier for each of them the score that this account gave the same model on the same decision or answer before, null where it gave none
 */
export type LearnRatings = (
  state: string | null,
  earlier: readonly (number | null)[],
) => string | null;

/** What accounts and their preferences have learned. Of two that change the same scope at once, the second goes on from what the first has left. */
export interface LearningStore {
  /** Null where nothing was ever learned. */
  find(scope: LearningScope): Promise<LearningRecord | null>;
  /** Changes several scopes, all or none. A preference that is gone learns nothing. */
  change(changes: readonly (readonly [LearningScope, ChangeLearning])[]): Promise<void>;
  /** Stores feedback on one scope, in the order given, and what it teaches, all or nothing. */
  rate(scope: LearningScope, feedback: readonly FeedbackRow[], learn: LearnRatings): Promise<void>;
  /** Forgets; other processes hear of it, even where there was nothing: they may have counted what is not stored yet. False where there was nothing. */
  forget(scope: LearningScope): Promise<boolean>;
  /** Those that have changed since then, forgotten ones too. */
  changedSince(revision: number): Promise<Changes<LearningRecord>>;
  /** Removes at most so many that have not changed since then. */
  removeBefore(at: number, atMost: number): Promise<number>;
}
