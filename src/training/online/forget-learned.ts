import { decodeOnline, encodeOnline } from '../../routing/predictor/online-codec.js';
import { type Retraction, withoutLessons } from '../../routing/predictor/take-back.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import type { Store } from '../../store/contracts/store.js';

/**
 * Forgets what a scope has learned, or a part of it, in the database.
 * @param part null: everything
 * @param now ms since 1970
 */
export async function forgetLearned(
  { learnings }: Pick<Store, 'learnings'>,
  scope: LearningScope,
  part: Retraction | null,
  now: number,
): Promise<void> {
  if (part === null) {
    await learnings.forget(scope);
    return;
  }
  await learnings.change([
    [scope, (state) => encodeOnline(withoutLessons(decodeOnline(state), part, now))],
  ]);
}
