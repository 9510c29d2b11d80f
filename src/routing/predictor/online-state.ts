import { canonicalName } from '../model-name.js';

/** A normal distribution of one number, in log odds. */
export interface Belief {
  readonly mean: number;
  readonly variance: number;
}

/**
 * What ratings of one model on one kind of task said beyond the predictions, as a normal
 * distribution in log odds.
 */
export interface Evidence {
  /** The inverse of its variance. */
  readonly weight: number;
  /**
   * Its mean times its weight. An answer that was almost certain has next to no weight, but a
   * surprise still has a sum.
   */
  readonly sum: number;
}

/** What ratings said about one model. Times in ms since 1970. */
export interface RatedModel {
  /** By kind of task. */
  readonly evidence: ReadonlyMap<number, Evidence>;
  readonly ratings: number;
  /** The sum of all scores. */
  readonly scoreSum: number;
  readonly at: number;
}

/** The recent answers of one provider's model and how many of them failed; both fade with time. */
export interface Served {
  readonly answers: number;
  readonly faults: number;
  readonly at: number;
}

/**
 * What one scope (an account's default, or one of its preferences) has learned from its traffic.
 */
export interface OnlineState {
  /**
   * The name of the predictor that numbers the kinds of task; null before the first rating. Stored
   * under this key.
   */
  readonly router: string | null;
  /** By the model's name, whatever its provider. */
  readonly models: ReadonlyMap<string, RatedModel>;
  /** By `<provider>/<model>`. */
  readonly served: ReadonlyMap<string, Served>;
  /** The time of the last rating; null: never. */
  readonly ratedAt: number | null;
}

/**
 * Prior variances, in log odds, of what ratings will teach beyond the predictions: of how strictly
 * all models are rated, of the same on one kind of task, of one model compared to the others, and
 * of the same on one kind. Round figures, close to what was measured on thirteen families of
 * benchmarks that the predictor had not seen (2026-11). A smaller `strictness` learns sooner where
 * the predictor errs, but harms where all models are rated low.
 */
export const priors = { strictness: 0.5, kindStrictness: 0.25, model: 0.25, kind: 0.25 } as const;

/** The state before anything was learned. */
export const nothingLearned: OnlineState = {
  router: null,
  models: new Map(),
  served: new Map(),
  ratedAt: null,
};

const maxNameLength = 200;

/**
 * The name under which a model's ratings are kept; null for a text that cannot be a model's name. A
 * fine-tuned model is kept apart from its base model.
 */
export function ratedName(model: string): string | null {
  if (model.length > maxNameLength) return null;
  const name = model.startsWith('ft:') ? model : canonicalName(model);
  return name === '' ? null : name;
}

/** The name under which a provider's answers are counted; null if it is too long. */
export function servedName(provider: string | null, model: string): string | null {
  const name = `${provider ?? ''}/${model}`;
  return name.length > maxNameLength ? null : name;
}

const minShare = 0.1;
const maxShares = 4;

/** The kinds of task that make up much of a request: at most four, the largest first. */
export function largestShares(shares: ArrayLike<number>): [task: number, share: number][] {
  const large: [number, number][] = [];
  for (let task = 0; task < shares.length; task++)
    if (shares[task]! >= minShare) large.push([task, shares[task]!]);
  return large.sort((a, b) => b[1] - a[1]).slice(0, maxShares);
}
