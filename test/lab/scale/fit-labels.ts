import { scaledDense } from '../../../src/chooser/predictor/columns.js';
import type { Features } from '../../../src/chooser/predictor/features/features.js';
import type { Scaling } from '../fit/fit-embedding.js';
import { LinearPart } from './linear-part.js';
import { seeded, shuffle } from '../../../src/chooser/training/custom/bootstrap.js';

/** A text and the number of its label. */
export interface LabelledRow {
  readonly features: Features;
  readonly weight: number;
  readonly label: number;
}

const epochs = 8;
const rate = 0.1;
const decay = { grams: 0.004, dense: 0.001 };

/** Softmax regression: the log odds of each label are linear in a text's features. */
export function fitLabels(
  rows: readonly LabelledRow[],
  labels: number,
  scaling: Scaling,
  seed: number,
): LinearPart[] {
  const parts = Array.from({ length: labels }, () => new LinearPart(0, decay));
  const dense = rows.map(({ features }) => scaledDense(features.dense, scaling));
  const order = Int32Array.from(rows, (_, at) => at);
  const random = seeded(seed);
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const at of order) {
      const { features, weight, label } = rows[at]!;
      const now = weight * rate * (1 - step++ / (rows.length * epochs));
      const chances = chancesOf(parts.map((part) => part.at(features, dense[at]!)));
      parts.forEach((part, one) =>
        part.step(features, dense[at]!, chances[one]! - (one === label ? 1 : 0), now),
      );
    }
  }
  return parts;
}

/** The chances whose log odds are given. */
function chancesOf(odds: readonly number[]): number[] {
  const highest = Math.max(...odds);
  const parts = odds.map((one) => Math.exp(one - highest));
  const whole = parts.reduce((sum, one) => sum + one, 0);
  return parts.map((one) => one / whole);
}
