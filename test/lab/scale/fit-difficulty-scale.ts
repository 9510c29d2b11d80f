import { sigmoid } from '../../../src/models/numbers.js';
import { scaledDense } from '../../../src/chooser/predictor/columns.js';
import type { Features } from '../../../src/chooser/predictor/features/features.js';
import type { Scaling } from '../fit/fit-embedding.js';
import { type Decay, LinearPart } from './linear-part.js';
import { seeded, shuffle } from '../../../src/chooser/training/custom/bootstrap.js';

/** A text, and who answered it well, or how hard it is said to be. */
export interface DifficultyRow {
  readonly features: Features;
  readonly weight: number;
  /** By answer: the ability of the model, and the score, 0..1. */
  readonly abilities: Float32Array;
  readonly scores: Float32Array;
  /** Stated by people, where there are no scores; null: the scores decide. */
  readonly stated: number | null;
}

/** What governs a fit. */
export interface DifficultyOptions {
  readonly epochs: number;
  readonly rate: number;
  readonly decay: Decay;
  readonly ceilingDecay: Decay;
  readonly slope: number;
  readonly seed: number;
}

/**
 * Chosen by families held out (2026-11-22): with half of this decay n-grams told benchmarks apart,
 * and difficulty within a new one worse.
 */
export const usualDifficulty: DifficultyOptions = {
  epochs: 6,
  rate: 0.08,
  decay: { grams: 0.014, dense: 0.0005 },
  ceilingDecay: { grams: 0.02, dense: 0.0005 },
  slope: 1.3,
  seed: 1,
};

/** Difficulty on the scale of abilities, and the log odds of the ceiling. */
export interface DifficultyScale {
  readonly difficulty: LinearPart;
  readonly ceiling: LinearPart;
}

const firstDifficulty = -0.5,
  firstCeiling = 2;
/** People's tiers weigh less than scores, and say that somebody answers such requests well. */
const statedWeight = 0.5,
  statedCeiling = 4;
const usualCeiling = 3,
  ceilingPull = 0.02;
/** Qualities are kept from the ends, where one wrong label would outweigh all others. */
const least = 0.02;

/**
 * Fits `quality = ceiling * sigmoid(slope * (ability - difficulty))` to who answered which text
 * well, with both linear in the text's features.
 */
export function fitDifficultyScale(
  rows: readonly DifficultyRow[],
  scaling: Scaling,
  { epochs, rate, decay, ceilingDecay, slope, seed }: DifficultyOptions = usualDifficulty,
): DifficultyScale {
  const difficulty = new LinearPart(firstDifficulty, decay),
    ceiling = new LinearPart(firstCeiling, ceilingDecay);
  const dense = rows.map(({ features }) => scaledDense(features.dense, scaling));
  const order = Int32Array.from(rows, (_, at) => at);
  const random = seeded(seed);
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const at of order) {
      const row = rows[at]!,
        values = dense[at]!;
      const now = row.weight * rate * (1 - step++ / (rows.length * epochs));
      const hard = difficulty.at(row.features, values),
        top = ceiling.at(row.features, values);
      const { byDifficulty, byCeiling } = gradientsOf(row, hard, top, slope);
      difficulty.step(row.features, values, byDifficulty, now);
      ceiling.step(row.features, values, byCeiling, now);
    }
  }
  return { difficulty, ceiling };
}

function gradientsOf(
  { abilities, scores, stated }: DifficultyRow,
  hard: number,
  ceilingOdds: number,
  slope: number,
): { byDifficulty: number; byCeiling: number } {
  if (stated !== null)
    return {
      byDifficulty: statedWeight * (hard - stated),
      byCeiling: 0.3 * statedWeight * (ceilingOdds - statedCeiling),
    };
  const top = sigmoid(ceilingOdds);
  let byDifficulty = 0,
    byCeiling = 0;
  for (let at = 0; at < scores.length; at++) {
    const share = sigmoid(slope * (abilities[at]! - hard));
    const quality = Math.min(1 - least, Math.max(least, top * share));
    const error = (quality - scores[at]!) / (quality * (1 - quality));
    byDifficulty -= error * top * slope * share * (1 - share);
    byCeiling += error * share * top * (1 - top);
  }
  return {
    byDifficulty: byDifficulty / scores.length,
    byCeiling: byCeiling / scores.length + ceilingPull * (ceilingOdds - usualCeiling),
  };
}
