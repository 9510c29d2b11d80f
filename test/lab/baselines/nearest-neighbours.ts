import type { Features } from '../../../src/routing/predictor/features/features.js';
import { gramBuckets } from '../../../src/routing/predictor/features/grams.js';
import { meansOf, type Learner } from './learner.js';

const neighbours = 40;
/** What the overall mean weighs beside the neighbours, in similarity. */
const prior = 0.5;
/** An n-gram that nearly every prompt has tells nothing. */
const leastTelling = 0.3;

/** Weights of a text's n-grams by how telling they are, of unit length. */
function weigh({ buckets, weights }: Features, telling: Float32Array): Float32Array {
  const weighed = weights.map((weight, at) => weight * telling[buckets[at]!]!);
  const length = Math.sqrt(weighed.reduce((sum, weight) => sum + weight * weight, 0)) || 1;
  return weighed.map((weight) => weight / length);
}

function tellingOf(features: readonly Features[]): Float32Array {
  const counts = new Float32Array(gramBuckets);
  for (const { buckets } of features) for (const bucket of buckets) counts[bucket]!++;
  return counts.map((count) => {
    const telling = Math.log((1 + features.length) / (1 + count));
    return telling < leastTelling ? 0 : telling;
  });
}

/** The mean of the 40 most similar prompts, by the cosine of their n-grams, rare ones counting more (TF-IDF). */
export const nearestNeighbours: Learner = (rows) => {
  const width = rows.models.length,
    means = meansOf(rows),
    telling = tellingOf(rows.features);
  const lists = Array.from({ length: gramBuckets }, (): { rows: number[]; weights: number[] } => ({
    rows: [],
    weights: [],
  }));
  rows.features.forEach((features, row) => {
    weigh(features, telling).forEach((weight, at) => {
      if (weight === 0) return;
      const list = lists[features.buckets[at]!]!;
      list.rows.push(row);
      list.weights.push(weight);
    });
  });
  const similarities = new Float32Array(rows.features.length);
  return (features) => {
    similarities.fill(0);
    weigh(features, telling).forEach((weight, at) => {
      if (weight === 0) return;
      const list = lists[features.buckets[at]!]!;
      for (let place = 0; place < list.rows.length; place++)
        similarities[list.rows[place]!]! += weight * list.weights[place]!;
    });
    const least = similarities.slice().sort().at(-Math.min(neighbours, similarities.length))!;
    let whole = prior;
    const sums = means.map((mean) => mean * prior);
    similarities.forEach((similarity, row) => {
      if (similarity < least || similarity <= 0) return;
      whole += similarity;
      for (let model = 0; model < width; model++)
        sums[model]! += similarity * rows.scores[row * width + model]!;
    });
    return sums.map((sum) => sum / whole);
  };
};
