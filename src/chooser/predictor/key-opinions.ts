import { fitBeliefs } from './fit-beliefs.js';
import { type WeighedLessons, weighed } from './key-shares.js';
import type { Beliefs, Move } from './online-beliefs.js';
import type { Belief, Lesson } from './online-state.js';

/**
 * A move is reduced by this many standard deviations: on kinds of task that no predictor had seen,
 * smaller moves made choices worse as often as better (2026-11).
 */
const leftOut = 0.5;
/** So many of the keys that count most are left out in turn. */
const maxLeftOut = 4;
/**
 * A key was first to rate a model if half of its ratings, or so many, came before any of the other
 * key, and at least so few.
 */
const enoughBefore = 10,
  leastBefore = 2;
/** The keys with few ratings say something together from so many on. */
const minFew = 5;
/** By this part a key's ratings must reduce the variance of a move to bound what another says. */
const minKnown = 0.1;

/** Stands for all keys with few ratings, which count as one. */
const few = Symbol('few');
type Rater = string | null | typeof few;

/** The part of a belief that moves a model: 0 if it may well be chance. */
const surePart = ({ mean, variance }: Belief): number =>
  Math.sign(mean) * Math.max(0, Math.abs(mean) - leftOut * Math.sqrt(variance));

/** What the keys of a scope say of its models, each alone and together. */
export class KeyOpinions {
  private readonly raters: ReadonlySet<Rater>;
  private readonly order: readonly Rater[];
  private readonly fits = new Map<string, Beliefs>();

  constructor(
    private readonly lessons: readonly Lesson[],
    { raters }: WeighedLessons,
    /** What all say together, each key with its share. */
    readonly whole: Beliefs,
    private readonly now: number,
  ) {
    this.raters = new Set(raters);
    this.order = [...raters, few];
  }

  /**
   * By how much a model moves. If one key has rated it on the kind, as that key says. If two have,
   * as both say within what each leaves uncertain; where they contradict each other, as the key says
   * that rated the model first, and not at all if none was first. If more have, as far as it would
   * without any one of them, but no less than all say for sure without the one that rates most.
   * @param kind null: on kinds on which it was not rated
   * @returns log odds
   */
  moveOf(model: string, kind: number | null): number {
    const shares = kind === null ? [] : ([[kind, 1]] as const);
    const speakers = this.speakers(model, kind);
    const all = surePart(this.whole.moveOf(model, shares));
    if (speakers.length === 0) return all;
    const alone = (rater: Rater): Move => this.fitOf(rater, true).moveOf(model, shares);
    if (speakers.length === 1) return surePart(alone(speakers[0]!));
    if (speakers.length > 2) {
      const others = speakers
        .slice(0, maxLeftOut)
        .map((one) => this.fitOf(one, false).moveOf(model, shares));
      return within(agreed([all, ...others.map(surePart)]), rangeOf(others[0]!));
    }
    const [earlier, later] = this.byTime(model, speakers[0]!, speakers[1]!) ?? [null, null];
    if (earlier === null) return together(all, alone(speakers[0]!), alone(speakers[1]!));
    return within(within(all, rangeOf(alone(later))), rangeOf(alone(earlier)));
  }

  /** Those who have rated a model on a kind of task, who count most first. */
  private speakers(model: string, kind: number | null): Rater[] {
    const found = new Set<Rater>();
    let others = 0;
    for (const lesson of this.lessons) {
      if (lesson.cause !== 'rating' || lesson.model !== model) continue;
      if (kind !== null && !lesson.kinds.some(([one]) => one === kind)) continue;
      const rater = this.raterOf(lesson);
      if (rater === few) others += lesson.weight;
      else found.add(rater);
    }
    // a few ratings by others are neither a second opinion nor worth a bound
    if (others >= minFew) found.add(few);
    return this.order.filter((one) => found.has(one));
  }

  /** Who rated a model first, and who later; null if neither did clearly. */
  private byTime(model: string, a: Rater, b: Rater): [Rater, Rater] | null {
    const raters = this.lessons
      .filter((one) => one.cause === 'rating' && one.model === model)
      .map((one) => this.raterOf(one));
    const isFirst = (one: Rater, other: Rater): boolean => {
      const countOf = (some: readonly Rater[]): number => some.filter((by) => by === one).length;
      const needed = Math.min(enoughBefore, Math.max(leastBefore, countOf(raters) / 2));
      return countOf(raters.slice(0, raters.indexOf(other))) >= needed;
    };
    if (isFirst(a, b)) return [a, b];
    return isFirst(b, a) ? [b, a] : null;
  }

  private raterOf({ key }: Lesson): Rater {
    return this.raters.has(key) ? key : few;
  }

  private fitOf(rater: Rater, isAlone: boolean): Beliefs {
    const id = `${isAlone} ${this.order.indexOf(rater)}`;
    let fit = this.fits.get(id);
    if (!fit) {
      const lessons = this.lessons.filter((one) => (this.raterOf(one) === rater) === isAlone);
      this.fits.set(id, (fit = fitBeliefs(weighed(lessons, this.now).all)));
    }
    return fit;
  }
}

type Range = readonly [low: number, high: number];

const isKnown = ({ variance, before }: Move): boolean => 1 - variance / before >= minKnown;

/** What a key's own ratings leave open to another: everything, where they say next to nothing. */
function rangeOf(move: Move): Range {
  if (!isKnown(move)) return [-Infinity, Infinity];
  const sure = surePart(move);
  return [Math.min(sure, move.mean), Math.max(sure, move.mean)];
}

const within = (move: number, [low, high]: Range): number => Math.max(low, Math.min(high, move));

/** What two keys agree on that have both said enough; else what the one says that has. */
function together(all: number, a: Move, b: Move): number {
  const said = [a, b].filter(isKnown);
  if (said.length === 1) return within(all, rangeOf(said[0]!));
  return said.length === 0 ? all : agreed([all, ...said.map(surePart)]);
}

/** The smallest of the moves; 0 if they differ in their direction. */
function agreed(moves: readonly number[]): number {
  const least = Math.min(...moves),
    most = Math.max(...moves);
  return least > 0 ? least : most < 0 ? most : 0;
}
