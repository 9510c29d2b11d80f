import type { Lesson } from './online-state.js';

/** The most that is kept: ratings of one model, ratings, signals, and different models. */
const maxOfModel = 500;
const maxRatings = 1_000;
const maxSignals = 300;
const maxModels = 200;

/**
 * The lessons within the limits, after one more. Beyond them the oldest goes of the key that has
 * most, so that no key can crowd out what others have said.
 */
export function keptLessons(lessons: readonly Lesson[]): readonly Lesson[] {
  const added = lessons.at(-1);
  if (!added) return lessons;
  const isRating = added.cause === 'rating';
  const isAlike = (one: Lesson): boolean => (one.cause === 'rating') === isRating;
  let kept = lessons;
  if (isRating) kept = within(kept, maxOfModel, (one) => isAlike(one) && one.model === added.model);
  kept = within(kept, isRating ? maxRatings : maxSignals, isAlike);
  while (new Set(kept.map(({ model }) => model)).size > maxModels) kept = withoutOldest(kept);
  return kept;
}

function within(
  lessons: readonly Lesson[],
  most: number,
  isCounted: (lesson: Lesson) => boolean,
): readonly Lesson[] {
  return lessons.length > most && lessons.filter(isCounted).length > most
    ? withoutOldest(lessons, isCounted)
    : lessons;
}

/**
 * Without the oldest of those that are counted, of the key that has most of them, so that no key
 * crowds out another.
 */
export function withoutOldest<T extends Pick<Lesson, 'key' | 'at'>>(
  lessons: readonly T[],
  isCounted: (lesson: T) => boolean = () => true,
): readonly T[] {
  const counts = new Map<string | null, number>();
  for (const lesson of lessons)
    if (isCounted(lesson)) counts.set(lesson.key, (counts.get(lesson.key) ?? 0) + 1);
  const most = Math.max(...counts.values());
  let oldest: T | null = null;
  for (const lesson of lessons)
    if (
      isCounted(lesson) &&
      counts.get(lesson.key) === most &&
      (oldest === null || lesson.at < oldest.at)
    )
      oldest = lesson;
  return lessons.filter((lesson) => lesson !== oldest);
}
