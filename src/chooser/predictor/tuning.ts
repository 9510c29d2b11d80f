import type { KindsOfTask } from '../figures.js';
import type { Features } from './features/features.js';
import type { Expectation } from './quality-predictor.js';
import type { Reading } from './request-reader.js';

/** One candidate as a tuning sees it. */
export interface TunedCandidate {
  readonly label: string;
  readonly provider: string | null;
  readonly model: string;
}

/** One request as it was read. */
export interface ReadRequest {
  readonly reading: Reading;
  readonly features: Features;
}

/** One request as a tuning sees it. */
export interface TunedRequest extends ReadRequest {
  readonly kinds: KindsOfTask;
}

/** The most that one tuning may move a prediction, in log odds. */
const maxOdds = 4;

/** Log odds, limited to what one tuning may move. */
export const keptOdds = (odds: number): number => Math.max(-maxOdds, Math.min(maxOdds, odds));

/** What is expected of one candidate before a tuning. */
export type Expected = Pick<Expectation, 'quality' | 'uncertainty'>;

/** What a tuning says about one candidate. */
export interface Adjustment {
  /** Log odds to add to the predicted quality; between -4 and 4. */
  readonly odds: number;
  /** The standard deviation of the quality after it; absent: unchanged. */
  readonly uncertainty?: number;
  /** The reason in a few words, for explanations. */
  readonly reason: string;
}

/**
 * What an account's own evaluations, feedback and outcomes taught, in addition to the shipped
 * predictor. Synchronous and cheap: it is asked for each candidate of each request.
 */
export interface Tuning {
  /** Null if it does not know the candidate. `expected`: before this tuning. Never throws. */
  adjust(candidate: TunedCandidate, request: TunedRequest, expected: Expected): Adjustment | null;
}
