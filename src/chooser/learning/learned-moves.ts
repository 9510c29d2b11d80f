import type { Belief, Beliefs, Move } from './beliefs.js';
import { agreedOn, type EvidenceRow, type LearnedState, leftOf, rowsOf } from './evidence.js';
import { fitBeliefs } from './fit-beliefs.js';

/** By how much the ratings of a scope move one model. */
export interface ModelMoves {
  /** In log odds: on kinds of task without ratings, and then by place of the kind. */
  readonly odds: Float64Array;
  /** The standard deviation of the quality after the ratings, as a part of that before them. */
  readonly doubts: Float64Array;
  /** The standard deviation of the move on kinds without ratings, in log odds. */
  readonly spread: number;
}

/** By how much the ratings of a scope move its models. */
export interface LearnedMoves {
  readonly models: ReadonlyMap<string, ModelMoves>;
  /** The places of the kinds of task in the moves: from 1 on. */
  readonly places: ReadonlyMap<number, number>;
  readonly ratings: readonly EvidenceRow[];
}

/**
 * A move is reduced by this many standard deviations: on kinds of task that no predictor had seen,
 * smaller moves made choices worse as often as better (2026-11).
 */
const deviationsLeftOut = 0.5;
/** Keys with fewer ratings, after fading, count together as one group. */
const minRatings = 5;
/** At most this many keys form groups of their own: those with the most ratings. */
const maxKeys = 20;

/** Stands for the kinds on which a model was not rated: it moves there as on any other. */
const unrated = -2;

/** The part of a belief that moves a model: 0 if it may well be chance. */
const surePart = ({ mean, variance }: Belief): number =>
  Math.sign(mean) * Math.max(0, Math.abs(mean) - deviationsLeftOut * Math.sqrt(variance));

/** The ratings of one key, or of all keys with few ratings, and what they say. */
interface RaterGroup {
  readonly rated: KindsByModel;
  readonly beliefs: Beliefs;
}

/** The kinds of task on which each model was rated. */
type KindsByModel = ReadonlyMap<string, ReadonlySet<number>>;

/**
 * What ratings teach at a time. A model moves on a kind of task by what the keys agree on that have
 * rated it there: see `agreedOn`.
 * @param router under this name kinds are numbered now; those of another router are not used
 * @param now ms since 1970
 */
export function learnedMoves(state: LearnedState, router: string, now: number): LearnedMoves {
  const all = rowsOf(state, 'rating');
  const ratings =
    state.router === router ? all : all.map((row) => ({ ...row, kinds: [] as const }));
  const whole = fitBeliefs(ratings, now);
  const groups = raterGroups(ratings, whole, now);
  const { kinds } = whole;
  const models = new Map<string, ModelMoves>();
  for (const [name, own] of kindsByModel(ratings)) {
    const known = [unrated, ...kinds.map((kind) => (own.has(kind) ? kind : unrated))];
    models.set(name, {
      odds: Float64Array.from(known, (kind) => moveOf(name, kind, groups)),
      doubts: Float64Array.from(known, (kind) => doubtOf(whole.moveOf(name, [[kind, 1]]))),
      spread: Math.sqrt(whole.moveOf(name, []).variance),
    });
  }
  return { models, places: new Map(kinds.map((kind, at) => [kind, at + 1])), ratings };
}

const doubtOf = ({ variance, before }: Move): number => Math.sqrt(variance / before);

function kindsByModel(ratings: readonly EvidenceRow[]): KindsByModel {
  const models = new Map<string, Set<number>>();
  for (const { model, kinds } of ratings) {
    const own = models.get(model) ?? new Set<number>();
    models.set(model, own);
    for (const [kind] of kinds) own.add(kind);
  }
  return models;
}

/** The groups whose agreement counts: each key with enough ratings, and all others together. */
function raterGroups(ratings: readonly EvidenceRow[], whole: Beliefs, now: number): RaterGroup[] {
  const sums = new Map<string | null, number>();
  for (const row of ratings) sums.set(row.key, (sums.get(row.key) ?? 0) + leftOf(row, now));
  const keys = [...sums]
    .filter(([, sum]) => sum >= minRatings)
    .sort(([, a], [, b]) => b - a)
    .slice(0, maxKeys)
    .map(([key]) => key);
  if (sums.size === 1 || keys.length === 0) {
    return [{ rated: kindsByModel(ratings), beliefs: whole }];
  }
  const groups = keys.map((key) => ratings.filter((row) => row.key === key));
  const others = ratings.filter(({ key }) => !keys.includes(key));
  const left = others.reduce((sum, row) => sum + leftOf(row, now), 0);
  if (left >= minRatings) groups.push(others);
  return groups.map((group) => ({ rated: kindsByModel(group), beliefs: fitBeliefs(group, now) }));
}

/** By how much a model moves, in log odds. @param kind `unrated`: on kinds without ratings */
function moveOf(model: string, kind: number, groups: readonly RaterGroup[]): number {
  const shares = kind === unrated ? [] : ([[kind, 1]] as const);
  const rating = groups.filter(({ rated }) =>
    kind === unrated ? rated.has(model) : rated.get(model)?.has(kind),
  );
  return agreedOn(rating.map(({ beliefs }) => surePart(beliefs.moveOf(model, shares))));
}
