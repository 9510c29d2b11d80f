import { fitBeliefs } from './fit-beliefs.js';
import { type WeighedLessons, weighed } from './key-shares.js';
import type { Beliefs, Move } from './online-beliefs.js';
import type { Belief, Lesson, OnlineState } from './online-state.js';

/** By how much the ratings of a scope move one model. */
export interface ModelMoves {
  /** In log odds: on kinds of task that nobody rated, and then by place of the kind. */
  readonly odds: Float64Array;
  /** The standard deviation of the quality after the ratings, as a part of that before them. */
  readonly doubts: Float64Array;
  /** The standard deviation of the move on kinds that nobody rated, in log odds. */
  readonly spread: number;
}

/** By how much the ratings of a scope move its models. */
export interface LearnedMoves {
  readonly models: ReadonlyMap<string, ModelMoves>;
  /** The places of the kinds of task in the moves: from 1 on. */
  readonly places: ReadonlyMap<number, number>;
  readonly lessons: WeighedLessons;
}

/**
 * A move is reduced by this many standard deviations: on kinds of task that no predictor had seen,
 * smaller moves made choices worse as often as better (2026-11).
 */
const leftOut = 0.5;
/** So many of the keys that count most are left out in turn. */
const maxLeftOut = 4;
/** Stands for the kinds on which a model was not rated: it moves there as on any other. */
const unrated = -2;

/** The part of a belief that moves a model: 0 if it may well be chance. */
const surePart = ({ mean, variance }: Belief): number =>
  Math.sign(mean) * Math.max(0, Math.abs(mean) - leftOut * Math.sqrt(variance));

/**
 * What ratings teach at a time. Where several keys rate, a model moves only as far as it would
 * without any one of them, so that no key can move a model alone.
 * @param router under this name kinds are numbered now; those of another router are not used
 * @param now ms since 1970
 */
export function learnedMoves(
  { lessons, router: known }: OnlineState,
  router: string,
  now: number,
): LearnedMoves {
  const usable =
    known === router ? lessons : lessons.map((lesson) => ({ ...lesson, kinds: [] as const }));
  const given = weighed(usable, now);
  const fits = [fitBeliefs(given.all), ...fitsWithoutOne(usable, given, now)];
  const kinds = fits[0]!.kinds;
  const rated = new Map<string, Set<number>>();
  for (const { model, kinds: own } of usable) {
    const all = rated.get(model) ?? new Set<number>();
    rated.set(model, all);
    for (const [kind] of own) all.add(kind);
  }
  return {
    models: new Map(
      [...rated].map(([name, own]) => [
        name,
        movesOf(
          name,
          kinds.map((kind) => (own.has(kind) ? kind : unrated)),
          fits,
        ),
      ]),
    ),
    places: new Map(kinds.map((kind, at) => [kind, at + 1])),
    lessons: given,
  };
}

/** What the others say, for each of the keys that count most: as if this key had said nothing. */
const fitsWithoutOne = (
  lessons: readonly Lesson[],
  { raters }: WeighedLessons,
  now: number,
): Beliefs[] =>
  raters.length < 2
    ? []
    : raters.slice(0, maxLeftOut).map((left) => {
        const others = lessons.filter(({ key }) => key !== left);
        return fitBeliefs(weighed(others, now).all);
      });

/** @param kinds by place, from the second on */
function movesOf(name: string, kinds: readonly number[], fits: readonly Beliefs[]): ModelMoves {
  const odds = new Float64Array(kinds.length + 1),
    doubts = new Float64Array(kinds.length + 1);
  const [whole] = fits;
  for (const [place, kind] of [unrated, ...kinds].entries()) {
    const shares = kind === unrated ? [] : ([[kind, 1]] as const);
    odds[place] = agreed(fits.map((fit) => surePart(fit.moveOf(name, shares))));
    doubts[place] = doubtOf(whole!.moveOf(name, [[kind, 1]]));
  }
  return { odds, doubts, spread: Math.sqrt(whole!.moveOf(name, []).variance) };
}

const doubtOf = ({ variance, before }: Move): number => Math.sqrt(variance / before);

/** The smallest of the moves; 0 if they differ in their direction. */
function agreed(moves: readonly number[]): number {
  const least = Math.min(...moves),
    most = Math.max(...moves);
  return least > 0 ? least : most < 0 ? most : 0;
}
