import { logit, type Evaluations } from './evaluations.js';
import { sigmoid } from '../../../src/models/numbers.js';
import { difficultyOf, fitDifficulty, type Difficulty } from './fit-difficulty.js';
import type { Scaling } from './fit-embedding.js';
import type { Tables } from './tables.js';

/** Weight of a slope of 1, in units of the squared difficulty of rows. */
const prior = 2;
const rounds = 6;

/**
 * Fits how strongly each model is affected by a text's difficulty; 1 is average. The difficulty of
 * a
 * row comes from a fit to the other half of the rows, because a fit memorises its own rows.
 * @returns by model: its slope, 0..3
 */
export function fitDifficultySlopes(
  evaluations: Evaluations,
  rows: Int32Array,
  tables: Tables,
  scaling: Scaling,
  seed: number,
): Float32Array {
  const difficulties = crossFitted(evaluations, rows, tables, scaling, seed);
  return Float32Array.from(evaluations.models, (_, model) =>
    slopeOf(evaluations, rows, tables, difficulties, model),
  );
}

/** Logistic regression on one input with offsets, by Newton's method. */
function slopeOf(
  { models, scores, tasks }: Evaluations,
  rows: Int32Array,
  { shares }: Tables,
  difficulties: Float64Array,
  model: number,
): number {
  let slope = 1;
  for (let round = 0; round < rounds; round++) {
    let gradient = prior * (slope - 1),
      curve = prior;
    rows.forEach((row, at) => {
      const score = scores[row * models.length + model]!;
      if (Number.isNaN(score)) return;
      const chance = sigmoid(
        logit(shares[tasks[row]! * models.length + model]!) - slope * difficulties[at]!,
      );
      gradient -= (chance - score) * difficulties[at]!;
      curve += chance * (1 - chance) * difficulties[at]! ** 2;
    });
    slope -= gradient / curve;
  }
  return Math.min(3, Math.max(0, slope));
}

/** By row: its difficulty beyond the mean of its task, from the fit to the other half. */
function crossFitted(
  evaluations: Evaluations,
  rows: Int32Array,
  tables: Tables,
  scaling: Scaling,
  seed: number,
): Float64Array {
  const halves = [0, 1].map((half) =>
    rows.filter((row) => halfOf(evaluations.groups[row]!) === half),
  );
  const fits: Difficulty[] = [halves[1]!, halves[0]!].map((half) =>
    fitDifficulty(evaluations, half, tables, scaling, seed),
  );
  return Float64Array.from(rows, (row) => {
    const fit = fits[halfOf(evaluations.groups[row]!)]!;
    return (
      difficultyOf(evaluations.features[row]!, fit.grams, fit.dense, scaling) -
      fit.means[evaluations.tasks[row]!]!
    );
  });
}

/** Puts all rows of a group into the same half. */
function halfOf(group: string): number {
  let sum = 0;
  for (let at = 0; at < group.length; at++) sum = (sum * 31 + group.charCodeAt(at)) | 0;
  return (sum >>> 3) & 1;
}
