import type { EvidenceRow } from './evidence.js';
import { kindName } from '../outlook/shipped-outlook.js';
import type { LearnedMoves } from './learned-moves.js';
import { thousandths } from '../../models/numbers.js';

/** What ratings have moved, most rated first. */
export const shownModels = (moves: LearnedMoves): object[] =>
  [...groupedBy(moves.ratings, ({ model }) => model)]
    .map(([model, ratings]) => ({
      model,
      ratings: ratings.length,
      score: thousandths(ratings.reduce((sum, { score }) => sum + score, 0) / ratings.length),
      ...shownMoves(moves, model, ratings),
      keys: [...groupedBy(ratings, ({ key }) => key)].map(([keyId, ofKey]) => ({
        keyId,
        ratings: ofKey.length,
      })),
      updatedAt: lastOf(ratings),
    }))
    .sort((a, b) => b.ratings - a.ratings);

/** Whose ratings these are, most ratings first. */
export const shownKeys = ({ ratings }: LearnedMoves): object[] =>
  [...groupedBy(ratings, ({ key }) => key)]
    .map(([keyId, ofKey]) => ({ keyId, ratings: ofKey.length, updatedAt: lastOf(ofKey) }))
    .sort((a, b) => b.ratings - a.ratings);

/** What came when, of which key and about which model, the last day first. */
export const shownDays = ({ ratings }: LearnedMoves): object[] =>
  [...groupedBy(ratings, ({ at, key, model }) => `${shownDay(at)} ${key ?? ''} ${model}`).values()]
    .map((group) => {
      const [{ at, key, model }] = group as [EvidenceRow];
      return { day: shownDay(at), keyId: key, model, ratings: group.length };
    })
    .sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0));

const isoOf = (at: number): string => new Date(at).toISOString();

/** A day of UTC, such as `2027-01-31`. */
export const shownDay = (at: number): string => isoOf(at).slice(0, 10);

function shownMoves(
  { models, places }: LearnedMoves,
  name: string,
  ratings: readonly EvidenceRow[],
): object {
  const { odds, spread } = models.get(name)!;
  const own = new Set(ratings.flatMap(({ kinds }) => kinds.map(([kind]) => kind)));
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

const lastOf = (ratings: readonly EvidenceRow[]): string =>
  isoOf(Math.max(...ratings.map(({ at }) => at)));

function groupedBy<K>(
  ratings: readonly EvidenceRow[],
  of: (rating: EvidenceRow) => K,
): Map<K, EvidenceRow[]> {
  const groups = new Map<K, EvidenceRow[]>();
  for (const rating of ratings) {
    const group = groups.get(of(rating));
    if (group) group.push(rating);
    else groups.set(of(rating), [rating]);
  }
  return groups;
}
