import { decodeEvidence, encodeEvidence } from './evidence-codec.js';
import { ratedName, type Retraction, withoutEvidence } from './evidence.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import type { Store } from '../../store/contracts/store.js';
import type { FeedbackStore } from '../../store/contracts/requests.js';

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
  if (part === null) return learnings.forget(scope);
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

/**
 * Takes ratings that a scope forgets out of the receipt too. They stay in the list of feedback.
 * False if there are none.
 * @param part null: all of the scope
 */
export async function forgetRatings(
  feedback: FeedbackStore,
  { accountId, preferenceId }: LearningScope,
  part: Retraction | null,
): Promise<boolean> {
  const { from = null, keys = null, model = null } = part ?? {};
  const name = model === null ? null : ratedName(model);
  const models =
    model === null
      ? null
      : (await feedback.ratedModels(accountId)).filter((rated) => ratedName(rated) === name);
  return feedback.forget({ accountId, preferenceId, from, keyIds: keys, models });
}
