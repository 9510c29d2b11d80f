import type { Figure } from './compare.js';

/** Choosing compared with always calling one model. A figure that nobody can know is null. */
export interface Alternative {
  /** `<provider>/<model>`. */
  readonly model: string;
  /** In how many choices it was a candidate, and in how many it was chosen. */
  readonly candidateIn: number;
  readonly chosenIn: number;
  /** What always calling it would have cost; where it was no candidate, what was chosen did. */
  readonly alwaysUsd: Figure | null;
  /** `alwaysUsd` less what the choices cost. */
  readonly savedUsd: Figure | null;
  /** By how much its mean quality is higher than what was chosen, where it was a candidate. */
  readonly quality: Figure;
  /** Why a cost is null, or leaves some choices out; null: it is known. */
  readonly reason: string | null;
}

/** Of the candidates in more than half of the choices the one with the highest `quality`. */
export interface BestAlternative extends Omit<Alternative, 'quality'> {
  /** The expected quality that choosing gives up, 0..1; below 0: choosing is expected to be better. */
  readonly qualityGivenUp: Figure;
}

/** All requests of a period, with a choice or without. */
export interface PeriodUsage {
  readonly requests: number;
  /** What prompt caches saved in them. */
  readonly cacheSavedUsd: number;
}

/** What choosing has saved in some requests. */
export interface Receipt {
  /** Requests in which at least two candidates were weighed. */
  readonly choices: number;
  /** How many of them the gateway called the model for, or was told the usage of. */
  readonly measured: number;
  /** Rated answers that narrow the quality, as many as they count for. */
  readonly ratings: number;
  /** Requests that a second candidate answered too, and those of which both answers are rated. */
  readonly pairs: number;
  readonly ratedPairs: number;
  /** What the second answers cost, in addition to `spentUsd`. */
  readonly pairsUsd: number;
  /** What the choices cost; null: nobody can know. */
  readonly spentUsd: Figure | null;
  /** Why `spentUsd` is null, estimated, or leaves some choices out; null: it is exact. */
  readonly spentReason: string | null;
  /** Null if there was no choice, or no model was a candidate in more than half of them. */
  readonly best: BestAlternative | null;
  /** All: candidates in more than half of the choices first, and those of the best quality first. */
  readonly candidates: readonly Alternative[];
  readonly summary: string;
}
