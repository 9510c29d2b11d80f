import { decodeEvidence, encodeEvidence } from './evidence-codec.js';
import type { Retraction } from './evidence.js';
import { withoutEvidence } from './take-back.js';
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
        const before = decodeEvidence(state),
          after = withoutEvidence(before, part, now);
        isAny = after.rows.length < before.rows.length;
        // what was taken back of a time keeps out what arrives late, also where nothing had come yet
        const isOfTime = part.keys === null && part.model === null;
        return isAny || isOfTime ? encodeEvidence(after) : state;
      },
    ],
  ]);
  return isAny;
}
