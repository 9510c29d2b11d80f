import { canonicalName } from '../model-name.js';

/** What is held of one number: a normal distribution, in log odds. */
export interface Belief {
  readonly mean: number;
  readonly variance: number;
}

/** What ratings of one model on one kind of task said beyond what was predicted, in log odds: as of a normal distribution. */
export interface Evidence {
  /** One over its variance. */
  readonly weight: number;
  /** Its mean times its weight. What was hardly in doubt has next to no weight and yet a sum: a surprise. */
  readonly sum: number;
}

/** What ratings said of one model. Times in ms since 1970. */
export interface RatedModel {
  /** By kind of task. */
  readonly evidence: ReadonlyMap<number, Evidence>;
  readonly ratings: number;
  /** Of all scores. */
  readonly scoreSum: number;
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
  /** By the model's name, whoever serves it. */
  readonly models: ReadonlyMap<string, RatedModel>;
  /** By `<provider>/<model>`. */
  readonly served: ReadonlyMap<string, Served>;
  /** When something was last rated; null: never. */
  readonly ratedAt: number | null;
}

/**
 * How widely what ratings will teach may lie from the predictions, beforehand: variances, in log odds, of how strictly all models are rated, of the
 * same on one kind of task, of one model beside the others, and of the same on one kind. Round figures, near what was measured on thirteen families
 * of benchmarks that a router had not seen (2026-11). Less strictness learns sooner where the router errs, and harms where all are rated low.
 */
export const priors = { strictness: 0.5, kindStrictness: 0.25, model: 0.25, kind: 0.25 } as const;

/** Nothing was learned yet. */
export const nothingLearned: OnlineState = {
  router: null,
  models: new Map(),
  served: new Map(),
  ratedAt: null,
};

const maxNameLength = 200;

/** By which name a model's ratings are kept; null for a name that is no model's. A fine-tuned model is not the one that it was made from. */
export function ratedName(model: string): string | null {
  if (model.length > maxNameLength) return null;
  const name = model.startsWith('ft:') ? model : canonicalName(model);
  return name === '' ? null : name;
}

/** By which name a provider's answers are counted; null where it is too long to be one. */
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
