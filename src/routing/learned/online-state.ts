import { canonicalName } from '../model-name.js';

/** What is held of one number: a normal distribution, in log odds. */
export interface Belief {
  readonly mean: number;
  readonly variance: number;
}

/** What ratings taught of one model. Times in ms since 1970. */
export interface RatedModel {
  readonly offset: Belief;
  /** By kind of task, on top of the offset. */
  readonly kinds: ReadonlyMap<number, Belief>;
  readonly ratings: number;
  /** Of all scores. */
  readonly scoreSum: number;
  readonly at: number;
}

/** A belief as it was at that time, ms since 1970. */
export interface RatedBelief extends Belief {
  readonly at: number;
}

/** How often one provider's model answered lately, and how often it could have and did not; both fade. */
export interface Served {
  readonly answers: number;
  readonly faults: number;
  readonly at: number;
}

/** What one scope (an account's default, or one of its preferences) has learned of its traffic. */
export interface OnlineState {
  /** The router whose kinds of task are meant; null before the first rating. */
  readonly router: string | null;
  /** What ratings taught of all models alike: how strictly they are given here. It changes no order, and is not told of any model. */
  readonly strictness: RatedBelief;
  /** By the model's name, whoever serves it. */
  readonly models: ReadonlyMap<string, RatedModel>;
  /** By `<provider>/<model>`. */
  readonly served: ReadonlyMap<string, Served>;
  /** When something was last rated; null: never. */
  readonly ratedAt: number | null;
}

/**
 * What is held beforehand of what ratings will teach: of all models alike, of one model as a whole, and of it on one kind of task. In log odds; of
 * the spreads tried on kinds of task that a router had not seen, those with the least regret (2026-11).
 */
export const priors = { strictness: { mean: 0, variance: 1 }, offset: { mean: 0, variance: 0.25 }, kind: { mean: 0, variance: 0.49 } } as const satisfies Record<string, Belief>;

/** Nothing was learned yet. */
export const nothingLearned: OnlineState = { router: null, strictness: { ...priors.strictness, at: 0 }, models: new Map(), served: new Map(), ratedAt: null };

const longestName = 200;

/** By which name a model's ratings are kept; null for a name that is no model's. A fine-tuned model is not the one that it was made from. */
export function ratedName(model: string): string | null {
  if (model.length > longestName) return null;
  const name = model.startsWith('ft:') ? model : canonicalName(model);
  return name === '' ? null : name;
}

/** By which name a provider's answers are counted; null where it is too long to be one. */
export function servedName(provider: string | null, model: string): string | null {
  const name = `${provider ?? ''}/${model}`;
  return name.length > longestName ? null : name;
}

const leastShare = 0.1;
const mostShares = 4;

/** The kinds of task that make up much of a request: at most four, the largest first. */
export function largestShares(shares: ArrayLike<number>): [task: number, share: number][] {
  const large: [number, number][] = [];
  for (let task = 0; task < shares.length; task++) if (shares[task]! >= leastShare) large.push([task, shares[task]!]);
  return large.sort((a, b) => b[1] - a[1]).slice(0, mostShares);
}
