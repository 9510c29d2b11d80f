import { lengthOf } from '../models/numbers.js';

/**
 * How far an account's own requests put a model from what published results let expect, in log odds
 * (standard deviation): even a model that is measured well may do better or worse there.
 */
const ownSpread = 0.3;

/**
 * The standard deviation of a predicted quality on one account's requests; 0 for a stated quality.
 * @param uncertainty as far as it is the model's, by published results
 */
export const ownUncertainty = (quality: number, uncertainty: number): number =>
  uncertainty > 0 ? lengthOf(uncertainty, ownSpread * quality * (1 - quality)) : 0;
