import type { KindsOfTask } from '../figures.js';
import { dayMs } from './fading.js';
import { largestShares } from './largest-shares.js';
import { keptLessons } from './kept-lessons.js';
import { type Lesson, type OnlineState, ratedName } from './online-state.js';
import { isTakenBack } from './take-back.js';

/** One rating or signal as the learner takes it. */
export type NewLesson = Omit<Lesson, 'kinds'> & { readonly kinds: KindsOfTask | null };

/** The most that a scope's traffic may move a model, in log odds. */
export const maxMove = 2;

/** What one signal counts for at most, and those of one key on one day (UTC), in ratings. */
const maxSignal = 0.1;
const maxSignalsOfDay = 0.5;
const minSignal = 1e-6;

const isShare = (value: number): boolean => value >= 0 && value <= 1;

/**
 * The state after one more lesson. A key that rates the same model of the same decision again
 * replaces what it said before. A lesson that cannot be used changes nothing.
 */
export function withLesson(state: OnlineState, given: NewLesson): OnlineState {
  const model = ratedName(given.model);
  if (
    model === null ||
    !isShare(given.score) ||
    !isShare(given.predicted) ||
    !isShare(given.weight) ||
    !Number.isSafeInteger(given.at) ||
    isTakenBack(state, given)
  )
    return state;
  const router = given.kinds?.router ?? state.router;
  const known = router === state.router ? state : { ...withoutKinds(state), router };
  const weight = weightOf(known, given);
  if (weight <= 0) return state;
  const lesson: Lesson = { ...given, model, weight, kinds: sharesOf(given.kinds) };
  const others =
    lesson.subject === '' ? known.lessons : known.lessons.filter((one) => !isSameWord(one, lesson));
  return { ...known, lessons: keptLessons([...others, lesson]) };
}

/** A rating counts 1; a signal little, and all of one key on one day together not much more. */
function weightOf({ lessons }: OnlineState, { cause, key, weight, at }: NewLesson): number {
  if (cause === 'rating') return weight;
  const day = Math.floor(at / dayMs);
  const sum = lessons
    .filter(
      (one) => one.cause !== 'rating' && one.key === key && Math.floor(one.at / dayMs) === day,
    )
    .reduce((all, one) => all + one.weight, 0);
  const left = maxSignalsOfDay - sum;
  return left < minSignal ? 0 : Math.min(maxSignal, weight, left);
}

const isSameWord = (one: Lesson, other: Lesson): boolean =>
  one.subject === other.subject &&
  one.model === other.model &&
  one.key === other.key &&
  one.cause === other.cause;

/** The time of the last rating; null: never. */
export function ratedAt({ lessons }: OnlineState): number | null {
  let last: number | null = null;
  for (const { cause, at } of lessons)
    if (cause === 'rating' && (last === null || at > last)) last = at;
  return last;
}

/** Stored shares may hold anything. */
function sharesOf(kinds: KindsOfTask | null): [kind: number, share: number][] {
  const shares = new Map<number, number>();
  for (const [kind, part] of kinds?.shares ?? [])
    if (Number.isInteger(kind) && kind >= 0 && kind < 10_000 && isShare(part))
      shares.set(kind, part);
  return largestShares(shares);
}

/** The state without its kinds of task, which another predictor had numbered. */
function withoutKinds(state: OnlineState): OnlineState {
  return {
    ...state,
    router: null,
    lessons: state.lessons.map((lesson) => ({ ...lesson, kinds: [] })),
  };
}
