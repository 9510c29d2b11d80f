import type { Point, Pool, Predictions } from '../../src/training/custom/cost-curve.js';
import { choiceAt } from '../../src/training/custom/cost-curve.js';

/**
 * What a way to choose makes of a pool: for each row and each setting of how dear quality may be, expected cost and score. Setting 0 is
 * quality at any price.
 */
export interface Profile {
  readonly settings: number;
  /** USD, row by row, `settings` each. */
  readonly costs: Float64Array;
  readonly scores: Float64Array;
}

/** What quality is worth, in costs between the cheapest and the dearest model; the first setting asks for no price. */
const worths = [0, ...Array.from({ length: 40 }, (_, step) => 10 ** (-2.5 + (step * 5) / 39))];

/** The profile of a router. Its last setting is always the cheapest model, whatever it predicts: `cheapest`, as `span`, is known beforehand. */
export function profileOfPredictions(
  pool: Pool,
  predictions: Predictions,
  { cheapest, span }: { readonly cheapest: number; readonly span: number },
): Profile {
  const width = pool.models.length,
    settings = worths.length + 1;
  const costs = new Float64Array(pool.rows * settings),
    scores = new Float64Array(costs.length);
  for (let row = 0; row < pool.rows; row++) {
    for (let setting = 0; setting < settings; setting++) {
      const model =
        setting === worths.length
          ? cheapest
          : choiceAt(predictions, width, row, worths[setting]! / span);
      costs[row * settings + setting] = pool.costs[row * width + model]!;
      scores[row * settings + setting] = pool.scores[row * width + model]!;
    }
  }
  return { settings, costs, scores };
}

/** The profile of choosing without looking at the prompt. @param shares by setting and model: how often it is called */
export function profileOfShares(pool: Pool, shares: readonly (readonly number[])[]): Profile {
  const width = pool.models.length,
    settings = shares.length;
  const costs = new Float64Array(pool.rows * settings),
    scores = new Float64Array(costs.length);
  for (let row = 0; row < pool.rows; row++) {
    for (let setting = 0; setting < settings; setting++) {
      for (let model = 0; model < width; model++) {
        const share = shares[setting]![model]!;
        costs[row * settings + setting]! += share * pool.costs[row * width + model]!;
        scores[row * settings + setting]! += share * pool.scores[row * width + model]!;
      }
    }
  }
  return { settings, costs, scores };
}

/** Profiles of the parts of a pool, one behind the other. */
export function joinProfiles(parts: readonly Profile[]): Profile {
  const settings = parts[0]!.settings;
  if (parts.some((part) => part.settings !== settings))
    throw new Error('profiles of different settings cannot be joined');
  return {
    settings,
    costs: joinNumbers(parts.map(({ costs }) => costs)),
    scores: joinNumbers(parts.map(({ scores }) => scores)),
  };
}

/** Arrays of numbers, one behind the other. */
export function joinNumbers(parts: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Mean cost and score of each setting. @param weights by row: how often it counts */
export function pointsOf({ settings, costs, scores }: Profile, weights: Float64Array): Point[] {
  const costSums = new Float64Array(settings),
    scoreSums = new Float64Array(settings);
  let whole = 0;
  for (let row = 0; row < weights.length; row++) {
    const weight = weights[row]!;
    if (weight === 0) continue;
    whole += weight;
    for (let setting = 0, at = row * settings; setting < settings; setting++, at++) {
      costSums[setting]! += weight * costs[at]!;
      scoreSums[setting]! += weight * scores[at]!;
    }
  }
  return Array.from(costSums, (cost, setting) => ({
    cost: cost / whole,
    score: scoreSums[setting]! / whole,
  }));
}
