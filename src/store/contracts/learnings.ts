import type { FeedbackRow } from './requests.js';
import type { Changes } from './page.js';

/** What is learned together: an account's requests with one preference, or with none (''). */
export interface LearningScope {
  readonly accountId: string;
  readonly preferenceId: string;
}

/** Names a scope in memory. */
export const scopeKey = ({ accountId, preferenceId }: LearningScope): string =>
  `${accountId} ${preferenceId}`;

/** The learned state of a scope. */
export interface LearningRecord extends LearningScope {
  /** In the learner's format; null: nothing was learned, or it was forgotten. */
  readonly state: string | null;
  readonly updatedAt: number;
}

/**
 * Computes the new state of a scope. May be called several times when a transaction is retried, so
 * it must have no side effects.
 * @param forgottenAt when the scope was forgotten, ms since 1970; null: never, or something was
 * learned since
 */
export type ChangeLearning = (state: string | null, forgottenAt: number | null) => string | null;

/** The learned states. Concurrent changes of the same scope are applied one after the other. */
export interface LearningStore {
  /** Null if nothing was ever learned. */
  find(scope: LearningScope): Promise<LearningRecord | null>;
  /** Changes several scopes, all or none. Scopes of deleted preferences are skipped. */
  change(changes: readonly (readonly [LearningScope, ChangeLearning])[]): Promise<void>;
  /**
   * Stores feedback on one scope, in order, together with the state after it; all or nothing.
   * @param learn computes that state; as `ChangeLearning`, it may be called several times
   */
  rate(
    scope: LearningScope,
    feedback: readonly FeedbackRow[],
    learn: (state: string | null) => string | null,
  ): Promise<void>;
  /**
   * Forgets a scope. Other processes see it as changed even if nothing was stored, because they may
   * have counts that are not stored yet. False if nothing was stored.
   */
  forget(scope: LearningScope): Promise<boolean>;
  /** The scopes that have changed since the revision, including forgotten ones. */
  changedSince(revision: number): Promise<Changes<LearningRecord>>;
}
