import type { Features } from '../../../src/routing/predictor/features/features.js';
import { seeded } from '../../../src/training/custom/seeded.js';
import type { AnsweredRows, Learner } from './learner.js';

const trees = 100,
  leastLeaf = 10,
  deepest = 14,
  bins = 32;

/** A branch sends a value up to `bound` left; a leaf holds the mean of each model. */
type Node =
  | { readonly feature: number; readonly bound: number; readonly left: Node; readonly right: Node }
  | { readonly means: Float64Array };

/** Dense features in at most 32 bins each, by how many rows have less. */
interface Binned {
  readonly values: Uint8Array;
  /** By feature: the largest value of each bin but the last. */
  readonly bounds: readonly (readonly number[])[];
}

function binned(features: readonly Features[]): Binned {
  const width = features[0]?.dense.length ?? 0;
  const values = new Uint8Array(features.length * width);
  const bounds = Array.from({ length: width }, (_, at) => {
    const sorted = features.map(({ dense }) => dense[at]!).sort((a, b) => a - b);
    const cuts = [
      ...new Set(
        Array.from(
          { length: bins - 1 },
          (__, bin) => sorted[Math.floor(((bin + 1) * sorted.length) / bins)]!,
        ),
      ),
    ].filter((cut) => cut < sorted.at(-1)!);
    features.forEach(({ dense }, row) => {
      let bin = 0;
      while (bin < cuts.length && dense[at]! > cuts[bin]!) bin++;
      values[row * width + at] = bin;
    });
    return cuts;
  });
  return { values, bounds };
}

class Tree {
  private readonly counts = new Float64Array(bins);
  private readonly sums: Float64Array;
  private readonly tried: number;

  constructor(
    private readonly rows: AnsweredRows,
    private readonly known: Binned,
    private readonly random: () => number,
  ) {
    this.sums = new Float64Array(bins * rows.models.length);
    this.tried = Math.max(1, Math.round(Math.sqrt(known.bounds.length)));
  }

  grow(places: Int32Array, depth: number): Node {
    const split = depth < deepest && places.length >= 2 * leastLeaf ? this.bestSplit(places) : null;
    if (split === null) return { means: this.meansAt(places) };
    const wide = this.known.bounds.length;
    const isLeft = (row: number): boolean =>
      this.known.values[row * wide + split.feature]! <= split.bin;
    const left = this.grow(places.filter(isLeft), depth + 1),
      right = this.grow(
        places.filter((row) => !isLeft(row)),
        depth + 1,
      );
    return {
      feature: split.feature,
      bound: this.known.bounds[split.feature]![split.bin]!,
      left,
      right,
    };
  }

  private meansAt(places: Int32Array): Float64Array {
    const width = this.rows.models.length,
      means = new Float64Array(width);
    for (const row of places)
      for (let model = 0; model < width; model++)
        means[model]! += this.rows.scores[row * width + model]! / places.length;
    return means;
  }

  /** The split, of some features drawn at random, after which the scores of all models vary least; null where there is none. */
  private bestSplit(places: Int32Array): { feature: number; bin: number } | null {
    let best: { feature: number; bin: number } | null = null,
      most = -Infinity;
    for (let tried = 0; tried < this.tried; tried++) {
      const feature = Math.floor(this.random() * this.known.bounds.length);
      this.count(places, feature);
      const { bin, gain } = this.bestBin(places.length, this.known.bounds[feature]!.length);
      if (gain <= most) continue;
      most = gain;
      best = { feature, bin };
    }
    return best;
  }

  private count(places: Int32Array, feature: number): void {
    const width = this.rows.models.length,
      wide = this.known.bounds.length;
    this.counts.fill(0);
    this.sums.fill(0);
    for (const row of places) {
      const bin = this.known.values[row * wide + feature]!;
      this.counts[bin]!++;
      for (let model = 0; model < width; model++)
        this.sums[bin * width + model]! += this.rows.scores[row * width + model]!;
    }
  }

  private bestBin(rows: number, cuts: number): { bin: number; gain: number } {
    const width = this.rows.models.length;
    const whole = new Float64Array(width),
      left = new Float64Array(width);
    for (let at = 0; at < this.sums.length; at++) whole[at % width]! += this.sums[at]!;
    let best = { bin: 0, gain: -Infinity },
      count = 0;
    for (let bin = 0; bin < cuts; bin++) {
      count += this.counts[bin]!;
      let gain = 0;
      for (let model = 0; model < width; model++) {
        left[model]! += this.sums[bin * width + model]!;
        gain += left[model]! ** 2 / count + (whole[model]! - left[model]!) ** 2 / (rows - count);
      }
      if (count >= leastLeaf && rows - count >= leastLeaf && gain > best.gain) best = { bin, gain };
    }
    return best;
  }
}

function leafOf(node: Node, { dense }: Features): Float64Array {
  let at = node;
  while (!('means' in at)) at = dense[at.feature]! <= at.bound ? at.left : at.right;
  return at.means;
}

/** A hundred trees on the dense features, each on a draw of the rows, leaves of at least ten rows, all models in one tree. */
export const randomForest: Learner = (rows, seed) => {
  const random = seeded(seed),
    known = binned(rows.features),
    { length } = rows.features;
  const forest = Array.from({ length: trees }, () =>
    new Tree(rows, known, random).grow(
      Int32Array.from({ length }, () => Math.floor(random() * length)),
      0,
    ),
  );
  return (features) => {
    const sums = new Float64Array(rows.models.length);
    for (const tree of forest)
      leafOf(tree, features).forEach((mean, model) => (sums[model]! += mean / trees));
    return sums;
  };
};
