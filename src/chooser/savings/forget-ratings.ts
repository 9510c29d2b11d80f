import { ratedName } from '../learning/evidence.js';
import type { Retraction } from '../learning/evidence.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import type { FeedbackStore } from '../../store/contracts/requests.js';

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
