import { choiceAt, type Point, type Pool } from '../../src/chooser/training/custom/cost-curve.js';
import type { Predictions } from '../../src/chooser/training/custom/cost-curve.js';

/**
 * What a method makes of a pool: the expected cost and score of each row at each setting of the
 * price of quality. Setting 0 is quality at any price.
 */
export interface Profile {
  readonly settings: number;
  /** USD, row by row, one for each setting. */
  readonly costs: Float64Array;
  /** Laid out as the costs. */
  readonly scores: Float64Array;
}

/**
 * Prices of quality, in units of the cost between the cheapest and the most expensive model. The
 * first one ignores costs.
 */
const prices = [0, ...Array.from({ length: 40 }, (_, step) => 10 ** (-2.5 + (step * 5) / 39))];

/** What is known before a pool is tested: its cheapest model, and the spread of costs in USD. */
export interface KnownCosts {
  readonly cheapest: number;
  readonly span: number;
}

/** The profile of a predictor. Its last setting always takes the cheapest model. */
export function profileOfPredictions(
  pool: Pool,
  predictions: Predictions,
  { cheapest, span }: KnownCosts,
): Profile {
  const width = pool.models.length;
  const settings = prices.length + 1;
  const profile = emptyProfile(pool.rows, settings);
  for (let row = 0; row < pool.rows; row++) {
    for (let setting = 0; setting < settings; setting++) {
      const model =
        setting === prices.length
          ? cheapest
          : choiceAt(predictions, width, row, prices[setting]! / span);
      profile.costs[row * settings + setting] = pool.costs[row * width + model]!;
      profile.scores[row * settings + setting] = pool.scores[row * width + model]!;
    }
  }
  return profile;
}

/**
 * The profile of choosing without reading the prompt.
 * @param shares by setting and model: how often the model is called
 */
export function profileOfShares(pool: Pool, shares: readonly (readonly number[])[]): Profile {
  const width = pool.models.length;
  const settings = shares.length;
  const profile = emptyProfile(pool.rows, settings);
  for (let row = 0; row < pool.rows; row++) {
    for (let setting = 0; setting < settings; setting++) {
      for (let model = 0; model < width; model++) {
        const share = shares[setting]![model]!;
        profile.costs[row * settings + setting]! += share * pool.costs[row * width + model]!;
        profile.scores[row * settings + setting]! += share * pool.scores[row * width + model]!;
      }
    }
  }
  return profile;
}

function emptyProfile(rows: number, settings: number): Profile {
  return {
    settings,
    costs: new Float64Array(rows * settings),
    scores: new Float64Array(rows * settings),
  };
}

/** Concatenates the profiles of the parts of a pool. @throws Error if their settings differ */
export function joinProfiles(parts: readonly Profile[]): Profile {
  const settings = parts[0]!.settings;
  if (parts.some((part) => part.settings !== settings))
    throw new Error('profiles with different settings cannot be joined');
  return {
    settings,
    costs: joinNumbers(parts.map(({ costs }) => costs)),
    scores: joinNumbers(parts.map(({ scores }) => scores)),
  };
}

/** Concatenates arrays of numbers. */
export function joinNumbers(parts: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Mean cost and score of each setting. @param weights by row: how often the row counts */
export function pointsOf({ settings, costs, scores }: Profile, weights: Float64Array): Point[] {
  const costSums = new Float64Array(settings);
  const scoreSums = new Float64Array(settings);
  let total = 0;
  for (let row = 0; row < weights.length; row++) {
    const weight = weights[row]!;
    if (weight === 0) continue;
    total += weight;
    for (let setting = 0, at = row * settings; setting < settings; setting++, at++) {
      costSums[setting]! += weight * costs[at]!;
      scoreSums[setting]! += weight * scores[at]!;
    }
  }
  return Array.from(costSums, (cost, setting) => ({
    cost: cost / total,
    score: scoreSums[setting]! / total,
  }));
}
