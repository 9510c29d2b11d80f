/** How each candidate of a choice was judged, as far as sums of choices need it. */
export interface WeighedCandidates {
  /** `<provider>/<model>`. */
  readonly names: readonly string[];
  /**
   * Four figures of each candidate, one after the other: the predicted quality, its standard
   * deviation, USD for the prompt, and USD for the answer. NaN: the price is unknown. One list of
   * numbers, because many choices wait to be written, and the garbage collector takes longer for
   * objects, and longest for buffers outside of the heap.
   */
  readonly figures: readonly number[];
}

/** How many figures each candidate has. */
export const weighedFigures = 4;

/** A choice between candidates, to be added to the sums of its day. */
export interface NewChoice extends WeighedCandidates {
  readonly preferenceId: string | null;
  /** The place of the candidate that was chosen, or that answered. */
  readonly chosen: number;
  /** What the answer was; null: the gateway did not see it. */
  readonly measured: MeasuredAnswer | null;
  /** The same choice as it was counted before its answer was known. */
  readonly replaces?: NewChoice;
}

/** What is known of an answer. The costs of the other candidates are scaled to it. */
export interface MeasuredAnswer {
  /** Null: the price is unknown. */
  readonly costUsd: number | null;
  /** Of the answer, and how many were predicted. 0 if they are unknown. */
  readonly tokens: number;
  readonly expectedTokens: number;
}

/**
 * Choices of one model on one day, by account, key and preference ('': none), added up for each
 * candidate: 15 figures, in the order of the fields of `ChoiceSums` from `choices` on.
 */
export interface ChosenSums {
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly preferenceId: string;
  readonly isMeasured: boolean;
  readonly chosen: string;
  readonly candidates: Map<string, Float64Array>;
}

/** What sums of choices can be grouped by. `model` is the one that was chosen. */
export type ChoiceGrouping = 'preference' | 'key' | 'model';

/** Selects choices. Whole UTC days count. */
export interface ChoiceFilter {
  /** Null: all accounts. */
  readonly accountId: string | null;
  readonly keyIds?: readonly string[] | null;
  readonly from?: number | null;
  readonly to?: number | null;
}

/**
 * Sums over the choices in which one model was chosen and another (or the same) one was a
 * candidate. Money in USD; sums of money are over the `priced` choices, in which both prices are
 * known.
 */
export interface ChoiceSums {
  /** The value of the grouping; '' without one. */
  readonly group: string;
  readonly chosen: string;
  readonly candidate: string;
  /** Whether the gateway saw the answers. */
  readonly isMeasured: boolean;
  readonly choices: number;
  /** The candidate's predicted quality and its standard deviation. */
  readonly quality: number;
  readonly uncertainty: number;
  /** The same of the chosen model. */
  readonly chosenQuality: number;
  readonly chosenUncertainty: number;
  /** Variance of the difference of single answers. */
  readonly variance: number;
  readonly priced: number;
  /** What the candidate would have cost: for prompts, and for answers scaled to the given ones. */
  readonly promptUsd: number;
  readonly answerUsd: number;
  readonly answerSquares: number;
  /** What the chosen model did cost; 0 where the gateway did not see the answers. */
  readonly actualUsd: number;
  /** What the chosen model was expected to cost; 0 where the gateway saw the answers. */
  readonly chosenPromptUsd: number;
  readonly chosenAnswerUsd: number;
  /** Tokens of the answers, and how many were predicted. */
  readonly tokens: number;
  readonly expectedTokens: number;
}

/** A day's sums, as an export shows them. */
export interface ChoiceDay extends Omit<ChoiceSums, 'group'> {
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  readonly keyId: string | null;
  readonly preferenceId: string | null;
}

/** How ratings of a model differ from the quality that was predicted for the rated answers. */
export interface RatedQuality {
  readonly model: string;
  /** How many answers were rated; an answer may count in part. */
  readonly answers: number;
  /** Sums of score minus predicted quality, and of its square. */
  readonly difference: number;
  readonly squares: number;
}

/**
 * The same for the ratings by one key. If a key rated an answer several times, the mean counts; if
 * several keys rated it, each counts in equal parts.
 */
export interface KeyRatings extends RatedQuality {
  readonly accountId: string;
  /** '': without a key. */
  readonly keyId: string;
}

/** Sums of choices by day, which are kept as long as the sums of usage. */
export interface ChoiceStore {
  add(sums: readonly ChosenSums[]): Promise<void>;
  /** The sums of one group, or of each of several. */
  sums(
    filter: ChoiceFilter,
    by: ChoiceGrouping | null,
    groups: readonly string[] | null,
  ): Promise<ChoiceSums[]>;
  groups(filter: ChoiceFilter, by: ChoiceGrouping, limit: number): Promise<string[]>;
  ratings(filter: ChoiceFilter): Promise<KeyRatings[]>;
  /** The days that have choices of the account, oldest first. */
  days(accountId: string): Promise<string[]>;
  /** All sums of an account's day. */
  day(accountId: string, day: string): Promise<ChoiceDay[]>;
}
