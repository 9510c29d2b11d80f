import { RandomForestRegression } from 'ml-random-forest';
import type { Features } from '../../../src/chooser/predictor/features/features.js';
import { createRandomStream } from '../random.js';
import type { AnsweredRows, Learner } from './learner.js';

/**
 * The library tries every border between different targets as a split, so that a tree takes
 * quadratic
 * time. Few different values of a feature, and rows in the order of their targets, leave few such
 * borders: ten times faster on frontier-12 at the same error.
 */
const bins = 8;
/** More rows take minutes for each model. */
const maxRows = 2500;

const options = {
  nEstimators: 25,
  /** Features of each tree, drawn at random. */
  maxFeatures: 20,
  replacement: false,
  // bagging would shuffle the rows
  useSampleBagging: false,
  noOOB: true,
  treeOptions: { minNumSamples: 20, maxDepth: 10 },
};

/** Replaces each dense feature by the number of its bin; bins have about equally many rows. */
function createBinning(features: readonly Features[]): (features: Features) => number[] {
  const bounds = Array.from(features[0]!.dense, (_, at) => {
    const sorted = features.map(({ dense }) => dense[at]!).sort((a, b) => a - b);
    const cuts = Array.from(
      { length: bins - 1 },
      (__, bin) => sorted[Math.floor(((bin + 1) * sorted.length) / bins)]!,
    );
    return [...new Set(cuts)];
  });
  return ({ dense }) => bounds.map((cuts, at) => cuts.filter((cut) => dense[at]! > cut).length);
}

/** The score of one model as a forest predicts it. */
type Forest = (inputs: number[]) => number;

function fitForest(inputs: readonly number[][], targets: readonly number[], seed: number): Forest {
  const first = targets[0]!;
  // the library fails if there is nothing to split by
  if (targets.every((target) => target === first)) return () => first;
  const order = [...targets.keys()].sort((a, b) => targets[a]! - targets[b]!);
  const forest = new RandomForestRegression({ ...options, seed });
  forest.train(
    order.map((row) => inputs[row]!),
    order.map((row) => targets[row]!),
  );
  return (one) => forest.predict([one])[0]!;
}

function drawRows({ features }: AnsweredRows, seed: number): number[] {
  return [...createRandomStream(seed).order(features.length).subarray(0, maxRows)];
}

/** For each model 25 regression trees on binned dense features, from at most 2,500 rows. */
export const randomForest: Learner = (rows, seed) => {
  const drawn = drawRows(rows, seed);
  const binned = createBinning(rows.features);
  const inputs = drawn.map((row) => binned(rows.features[row]!));
  const forests = rows.models.map((_, model) =>
    fitForest(
      inputs,
      drawn.map((row) => rows.scores[row * rows.models.length + model]!),
      seed,
    ),
  );
  return ({ features }) => {
    const one = binned(features);
    return Float64Array.from(forests, (forest) => forest(one));
  };
};
