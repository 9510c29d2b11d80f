import { type Lesson, unknownKey } from './online-state.js';
import { isCount, isTime, rowsOf, type Row } from './stored-rows.js';

/** More ratings of one model than this are taken over as so many. */
const maxTakenOver = 200;

/**
 * The ratings of a state that holds only sums of them, by model: so many with the mean score, and
 * with the prediction that they surprised as much. Their keys, decisions and kinds of task are
 * unknown.
 */
export const lessonsOfSums = (models: unknown): readonly Lesson[] =>
  rowsOf(models).flatMap(lessonsOfModel);

function lessonsOfModel([model, ratings, scoreSum, at, evidence]: Row): Lesson[] {
  if (typeof model !== 'string' || !isCount(ratings) || !isCount(scoreSum) || !isTime(at))
    return [];
  const count = Math.min(maxTakenOver, Math.round(ratings));
  if (count === 0) return [];
  const score = Math.min(1, scoreSum / ratings);
  const surprise = rowsOf(evidence).reduce(
    (sum, [, , one]) => sum + (typeof one === 'number' ? one : 0),
    0,
  );
  const predicted = Math.max(0, Math.min(1, score - surprise / ratings));
  return Array.from({ length: count }, () => ({
    cause: 'rating' as const,
    key: unknownKey,
    subject: '',
    model,
    kinds: [],
    predicted,
    score,
    weight: 1,
    at,
  }));
}
