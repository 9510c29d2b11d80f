import type { Features } from './features/features.js';
import type { Expectation } from './quality-predictor.js';
import type { Reading } from './request-reader.js';

/** One candidate as a tuning sees it: a part of routing's `Candidate`, which this folder does not know. */
export interface TunedCandidate {
  readonly label: string;
  readonly provider: string | null;
  readonly model: string;
}

/** One request as a tuning sees it. */
export interface TunedRequest {
  readonly reading: Reading;
  readonly features: Features;
}

/** The most that one tuning moves a prediction, in log odds. */
const maxOdds = 4;

/** Log odds as far as one tuning may move a prediction. */
export const keptOdds = (odds: number): number => Math.max(-maxOdds, Math.min(maxOdds, odds));

/** What a tuning says of one candidate. */
export interface Adjustment {
  /** Log odds to add to the predicted quality; between -4 and 4. */
  readonly odds: number;
  /** Standard deviation of the quality with it; absent: as it was. */
  readonly uncertainty?: number;
  /** Why, in a few words, for explanations. */
  readonly reason: string;
}

/**
 * What an account's own evaluations, feedback and outcomes taught beyond the shipped router. Synchronous and cheap: it is asked for each
 * candidate of each request.
 */
export interface Tuning {
  /** Null where it knows nothing of the candidate. `expected` is the router's own word, before any tuning. Never throws. */
  adjust(
    candidate: TunedCandidate,
    request: TunedRequest,
    expected: Expectation,
  ): Adjustment | null;
}
