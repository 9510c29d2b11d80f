import { fitBeliefs } from './fit-beliefs.js';
import { KeyOpinions } from './key-opinions.js';
import { type WeighedLessons, weighed } from './key-shares.js';
import type { Move } from './online-beliefs.js';
import type { OnlineState } from './online-state.js';

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

/** Stands for the kinds on which a model was not rated: it moves there as on any other. */
const unrated = -2;

/**
 * What ratings teach at a time. Where several keys have rated a model on a kind of task, none of them
 * moves it alone.
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
  const whole = fitBeliefs(given.all);
  const opinions = new KeyOpinions(usable, given, whole, now);
  const kinds = whole.kinds;
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
          opinions,
        ),
      ]),
    ),
    places: new Map(kinds.map((kind, at) => [kind, at + 1])),
    lessons: given,
  };
}

/** @param kinds by place, from the second on */
function movesOf(name: string, kinds: readonly number[], opinions: KeyOpinions): ModelMoves {
  const odds = new Float64Array(kinds.length + 1),
    doubts = new Float64Array(kinds.length + 1);
  const { whole } = opinions;
  for (const [place, kind] of [unrated, ...kinds].entries()) {
    odds[place] = opinions.moveOf(name, kind === unrated ? null : kind);
    doubts[place] = doubtOf(whole.moveOf(name, [[kind, 1]]));
  }
  return { odds, doubts, spread: Math.sqrt(whole.moveOf(name, []).variance) };
}

const doubtOf = ({ variance, before }: Move): number => Math.sqrt(variance / before);
