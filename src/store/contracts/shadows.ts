import type { ChoiceFilter, RatedQuality } from './choices.js';

/** One of the two answers to a request that was shadowed, and what was predicted of it. */
export interface ComparedAnswer {
  /** `<provider>/<model>`. */
  readonly model: string;
  /** Predicted, 0..1, and its standard deviation. */
  readonly quality: number;
  readonly uncertainty: number;
  /** Of the answer, and how many were predicted; 0: unknown. */
  readonly tokens: number;
  readonly expectedTokens: number;
}

/** An answered request that was sent to a second model too. */
export interface NewShadow {
  readonly preferenceId: string | null;
  /** The id under which the client knows the first answer, which `chosen` gave. */
  readonly responseId: string | null;
  readonly chosen: ComparedAnswer;
  readonly shadow: ComparedAnswer;
  /** False: the second model gave no whole answer, so that there is nothing to compare. */
  readonly isPair: boolean;
  /** What the second answer is charged. */
  readonly costUsd: number;
}

/** Sums over the pairs of answers of two models to the same requests. */
export interface PairSums {
  readonly chosen: string;
  readonly shadow: string;
  readonly pairs: number;
  /** Pairs whose two lengths and their predictions are known. */
  readonly measured: number;
  /**
   * Sums over those of `ln((length2 / predicted2) / (length1 / predicted1))`, where 2 is the second
   * answer, and of its square.
   */
  readonly logRatio: number;
  readonly logRatioSquares: number;
  /** What the second answers cost, in USD. */
  readonly costUsd: number;
}

/** Sums over the pairs of which both answers were rated. */
export interface RatedPairs extends Pick<PairSums, 'chosen' | 'shadow' | 'pairs'> {
  /** Sums of how much more the second answer exceeded its prediction than the first, and of the square. */
  readonly difference: number;
  readonly squares: number;
  /** Sums of the standard deviations of the predictions. */
  readonly uncertainty: number;
  readonly chosenUncertainty: number;
  /** The same ratings as ratings of single answers: those of the first, then of the second. */
  readonly singles: readonly RatedQuality[];
}

/** The same of pairs of which one key rated both answers. */
export interface KeyRatedPairs extends RatedPairs {
  readonly accountId: string;
  /** '': without a key. */
  readonly keyId: string;
}

/** The requests that were sent to a second model too, and the accounts that want none. */
export interface ShadowStore {
  pairs(filter: ChoiceFilter): Promise<PairSums[]>;
  rated(filter: ChoiceFilter): Promise<KeyRatedPairs[]>;
  /** The id in the request log of what shadowed the request with this plan; null: nothing did. */
  ofPlan(accountId: string, planId: string): Promise<string | null>;
  /** What was charged on a UTC day, of all accounts. */
  spentUsd(day: string): Promise<number>;
  /** Whether requests of the account may be shadowed. */
  isAllowed(accountId: string): Promise<boolean>;
  allow(accountId: string, isAllowed: boolean, at: number): Promise<void>;
}
