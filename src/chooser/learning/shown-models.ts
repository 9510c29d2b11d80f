import type { WeighedLesson } from '../predictor/key-shares.js';
import { kindName } from '../outlook/shipped-outlook.js';
import type { LearnedMoves } from '../predictor/learned-moves.js';
import { unknownKey } from '../predictor/online-state.js';
import { thousandths } from '../../models/numbers.js';

/** What ratings and signals have moved, most rated first. */
export const shownModels = (moves: LearnedMoves): object[] =>
  [...groupedBy(moves.lessons.all, ({ lesson }) => lesson.model)]
    .map(([model, lessons]) => ({ model, lessons, ...countsOf(lessons) }))
    .sort((a, b) => b.ratings - a.ratings || b.signals - a.signals)
    .map(({ model, lessons, ratings, signals }) => ({
      model,
      ratings,
      signals,
      score: meanScore(lessons),
      ...shownMoves(moves, model, lessons),
      causes: causesOf(lessons),
      keys: [...groupedBy(lessons, ({ lesson }) => lesson.key)].map(([key, ofKey]) => ({
        keyId: shownKey(key),
        ...countsOf(ofKey),
      })),
      updatedAt: lastOf(lessons),
    }));

/** Whose ratings and signals these are, and what the ratings of each key count for. */
/** The id of a key; null also where an earlier version did not keep it. */
export const shownKeys = ({ lessons: { all, shares } }: LearnedMoves): object[] =>
  [...groupedBy(all, ({ lesson }) => lesson.key)]
    .map(([key, lessons]) => ({
      keyId: shownKey(key),
      ...countsOf(lessons),
      share: thousandths(shares.get(key) ?? 0),
      updatedAt: lastOf(lessons),
    }))
    .sort((a, b) => b.ratings - a.ratings || b.signals - a.signals);

/** What came when, of which key and about which model, the last day first. */
export const shownDays = ({ lessons: { all } }: LearnedMoves): object[] =>
  [
    ...groupedBy(
      all,
      ({ lesson: { at, key, model } }) => `${shownDay(at)} ${key ?? ''} ${model}`,
    ).values(),
  ]
    .map((lessons) => {
      const [{ lesson }] = lessons as [WeighedLesson];
      const { at, key, model } = lesson;
      return { day: shownDay(at), keyId: shownKey(key), model, ...countsOf(lessons) };
    })
    .sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0));

const isoOf = (at: number): string => new Date(at).toISOString();

/** A day of UTC, such as `2027-01-31`. */
export const shownDay = (at: number): string => isoOf(at).slice(0, 10);

/** The id of a key; null also where an earlier version did not keep it. */
export const shownKey = (key: string | null): string | null => (key === unknownKey ? null : key);

function shownMoves(
  { models, places }: LearnedMoves,
  name: string,
  lessons: readonly WeighedLesson[],
): object {
  const { odds, spread } = models.get(name)!;
  const own = new Set(lessons.flatMap(({ lesson }) => lesson.kinds.map(([kind]) => kind)));
  const [move = 0] = odds;
  return {
    move: thousandths(move),
    spread: thousandths(spread),
    kinds: [...own]
      .filter((kind) => places.has(kind))
      .map((kind) => ({
        kind,
        name: kindName(kind),
        move: thousandths(odds[places.get(kind)!]! - move),
      })),
  };
}

function countsOf(lessons: readonly WeighedLesson[]): { ratings: number; signals: number } {
  const ratings = lessons.filter(({ lesson }) => lesson.cause === 'rating').length;
  return { ratings, signals: lessons.length - ratings };
}

function causesOf(lessons: readonly WeighedLesson[]): Record<string, number> {
  const causes: Record<string, number> = {};
  for (const { lesson } of lessons)
    if (lesson.cause !== 'rating') causes[lesson.cause] = (causes[lesson.cause] ?? 0) + 1;
  return causes;
}

function meanScore(lessons: readonly WeighedLesson[]): number | null {
  const scores = lessons.flatMap(({ lesson }) => (lesson.cause === 'rating' ? [lesson.score] : []));
  return scores.length === 0
    ? null
    : thousandths(scores.reduce((sum, score) => sum + score, 0) / scores.length);
}

const lastOf = (lessons: readonly WeighedLesson[]): string =>
  isoOf(Math.max(...lessons.map(({ lesson }) => lesson.at)));

function groupedBy<K>(
  lessons: readonly WeighedLesson[],
  of: (lesson: WeighedLesson) => K,
): Map<K, WeighedLesson[]> {
  const groups = new Map<K, WeighedLesson[]>();
  for (const lesson of lessons) {
    const group = groups.get(of(lesson));
    if (group) group.push(lesson);
    else groups.set(of(lesson), [lesson]);
  }
  return groups;
}
