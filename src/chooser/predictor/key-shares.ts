import { leftOf, ratingHalfLifeMs } from './fading.js';
import { type Lesson, unknownKey } from './online-state.js';

/** A lesson with what it counts for now. */
export interface WeighedLesson {
  readonly lesson: Lesson;
  readonly weight: number;
}

/** The lessons of a scope with their weights. */
export interface WeighedLessons {
  readonly all: readonly WeighedLesson[];
  /** The keys that rate, those that count most first. */
  readonly raters: readonly (string | null)[];
  /** By key: what its ratings count for, of all ratings, 0..1. */
  readonly shares: ReadonlyMap<string | null, number>;
}

/** The most that one key's ratings count for, of all, if three or more keys rate. */
const maxShare = 1 / 3;
/** So many of the last ratings by one key of one model count. */
const maxOfModel = 200;
/**
 * A key with fewer ratings, after fading, does not count as one that rates: its say is what its
 * ratings are, and it bounds nobody else's.
 */
export const minRatings = 5;
/** The most that the signals of one key count for together, in ratings. */
const maxSignals = 3;

/**
 * What each lesson counts for at a time: it fades, the ratings of one key count for no more than
 * their share, and its signals for no more than a few ratings. Ratings of unknown keys, from an
 * earlier version, only fade.
 * @param now ms since 1970
 */
export function weighed(lessons: readonly Lesson[], now: number): WeighedLessons {
  const faded = latest(lessons).map((lesson) => ({
    lesson,
    weight: lesson.weight * leftOf(lesson.at, now, ratingHalfLifeMs),
  }));
  const ratings = sumsByKey(faded, true),
    signals = sumsByKey(faded, false);
  const most = shareBound([...ratings].flatMap(([key, sum]) => (key === unknownKey ? [] : [sum])));
  const limitOf = (key: string | null): number => (key === unknownKey ? Infinity : most);
  const kept = new Map([...ratings].map(([key, sum]) => [key, Math.min(sum, limitOf(key))]));
  const whole = [...kept.values()].reduce((sum, one) => sum + one, 0);
  return {
    all: faded.map(({ lesson, weight }) => {
      const isRating = lesson.cause === 'rating',
        sum = (isRating ? ratings : signals).get(lesson.key) ?? 0;
      const limit = isRating ? limitOf(lesson.key) : maxSignals;
      return { lesson, weight: sum > limit ? (weight * limit) / sum : weight };
    }),
    raters: [...ratings]
      .filter(([key, sum]) => key !== unknownKey && sum >= minRatings)
      .sort(([, a], [, b]) => b - a)
      .map(([key]) => key),
    shares: new Map([...kept].map(([key, sum]) => [key, whole > 0 ? sum / whole : 0])),
  };
}

/** The last lessons of each key about each model, so that a model can become better. */
function latest(lessons: readonly Lesson[]): Lesson[] {
  const counts = new Map<string, number>();
  return lessons
    .toReversed()
    .filter(({ key, model }) => {
      const id = `${key ?? ' '} ${model}`,
        count = (counts.get(id) ?? 0) + 1;
      counts.set(id, count);
      return count <= maxOfModel;
    })
    .reverse();
}

function sumsByKey(
  lessons: readonly WeighedLesson[],
  isOfRatings: boolean,
): Map<string | null, number> {
  const sums = new Map<string | null, number>();
  for (const { lesson, weight } of lessons)
    if ((lesson.cause === 'rating') === isOfRatings)
      sums.set(lesson.key, (sums.get(lesson.key) ?? 0) + weight);
  return sums;
}

/**
 * The most that one key may count for, given what each key's ratings would: with it as the bound of each, no key has more than a third
 * of the sum, or than its part of it where fewer than three rate.
 */
export function shareBound(sums: readonly number[]): number {
  const raters = sums.filter((sum) => sum >= minRatings).length;
  if (raters < 2) return Infinity;
  const share = Math.max(maxShare, 1 / raters);
  const sorted = [...sums].sort((a, b) => b - a);
  let rest = sorted.reduce((sum, one) => sum + one, 0);
  for (const [bounded, sum] of sorted.entries()) {
    // `bounded` keys count for the bound each, the others for what they have
    const bound = (share * rest) / (1 - share * bounded);
    if (sum <= bound * (1 + 1e-9)) return bound;
    rest -= sum;
  }
  return sorted.at(-1) ?? Infinity;
}
