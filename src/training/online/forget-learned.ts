import { decodeOnline, encodeOnline } from '../../routing/predictor/online-codec.js';
import { type Retraction, withoutLessons } from '../../routing/predictor/take-back.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import type { Store } from '../../store/contracts/store.js';

/**
 * Forgets what a scope has learned, or a part of it, in the database. False if nothing that it names
 * was stored.
 * @param part null: everything
 * @param now ms since 1970
 */
export async function forgetLearned(
  { learnings }: Pick<Store, 'learnings'>,
  scope: LearningScope,
  part: Retraction | null,
  now: number,
): Promise<boolean> {
  if (part === null) {
    return learnings.forget(scope);
  }
  let isAny = false;
  await learnings.change([
    [
      scope,
      (state) => {
        const before = decodeOnline(state),
          after = withoutLessons(before, part, now);
        isAny =
          after.lessons.length < before.lessons.length || after.served.size < before.served.size;
        // only what is taken back of a time also keeps out what arrives late
        return isAny || after.takenBack !== before.takenBack ? encodeOnline(after) : state;
      },
    ],
  ]);
  return isAny;
}
