import { canonicalName } from '../../models/model-name.js';

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

/** What a lesson was taken from: somebody's rating, or a signal that needs none. */
export const causes = [
  'rating',
  'retry',
  'correction',
  'truncation',
  'refusal',
  'bad_tool_call',
  'tool_error',
] as const;
export type Cause = (typeof causes)[number];

/** Stands for the keys of ratings from an earlier version, which did not keep them. */
export const unknownKey = '';

/** One rating or signal, from which a scope learns. */
export interface Lesson {
  readonly cause: Cause;
  /** The id of the key that it came with; null: without a key. */
  readonly key: string | null;
  /** Identifies the decision or answer, so that the last word of a key counts; '': unknown. */
  readonly subject: string;
  /** The model's name, whatever its provider. */
  readonly model: string;
  /** The request's kinds of task, as parts of a whole; empty: unknown. */
  readonly kinds: readonly (readonly [kind: number, share: number])[];
  /** 0..1: the predicted chance of a good answer, before anything learned here moved it. */
  readonly predicted: number;
  /** 0..1. */
  readonly score: number;
  /** How much it counts; a rating counts 1. */
  readonly weight: number;
  /** Ms since 1970. */
  readonly at: number;
}

/**
 * Answers of one provider's model to one key on one day (UTC), and how many of them failed. They fade
 * with time.
 */
export interface Served {
  /** `<provider>/<model>` */
  readonly name: string;
  /** The id of the key; null: without a key. */
  readonly key: string | null;
  readonly answers: number;
  /** Of these: failures of the provider. */
  readonly faults: number;
  /** Of these: refused, or cut off although the client had set no limit. */
  readonly spoilt: number;
  /** When the last was counted, ms since 1970. */
  readonly at: number;
}

/** Which lessons and counts are taken back: those that all of these name. Null: any. */
export interface Retraction {
  /** Those from this time on, ms since 1970. */
  readonly from: number | null;
  /** Those of these keys. */
  readonly keys: readonly string[] | null;
  readonly model: string | null;
}

/** What was taken back at a time, ms since 1970: what came before and arrives late is not learned. */
export interface TakenBack extends Retraction {
  readonly until: number;
}

/**
 * What one scope (an account's default, or one of its preferences) has learned from its traffic.
 */
export interface OnlineState {
  /** Under this name the kinds of task are numbered; null before the first. */
  readonly router: string | null;
  /** In the order in which they came. */
  readonly lessons: readonly Lesson[];
  readonly served: readonly Served[];
  /** The last ones. */
  readonly takenBack: readonly TakenBack[];
}

/**
 * Prior variances, in log odds, of what ratings will teach beyond the predictions: of how strictly
 * all models are rated, of the same on one kind of task, of one model compared to the others, and
 * of the same on one kind. The last is four times the one before it, so that ratings on one kind
 * move a model there first, and elsewhere once several kinds agree. A smaller `strictness` learns
 * sooner where the predictor errs, but harms where all models are rated low.
 */
export const priors = { strictness: 0.5, kindStrictness: 0.25, model: 0.1, kind: 0.4 } as const;

/** The state before anything was learned. */
export const nothingLearned: OnlineState = {
  router: null,
  lessons: [],
  served: [],
  takenBack: [],
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

/** The model's name in the name under which a provider's answers are counted. */
export const modelOfServed = (name: string): string => name.slice(name.indexOf('/') + 1);
