/** A point of a cost-quality curve: mean USD for a request, and mean score. */
export interface Point {
  readonly cost: number;
  readonly score: number;
}

/** Scores and costs of a pool of models, by row and model. */
export interface Pool {
  readonly models: readonly string[];
  readonly rows: number;
  /** Row by row, `models.length` each. */
  readonly scores: Float64Array;
  /** USD. */
  readonly costs: Float64Array;
}

/** Predicted quality and cost of a pool, in the pool's layout. */
export interface Predictions {
  readonly quality: Float64Array;
  readonly cost: Float64Array;
}

/** The upper convex hull, from the cheapest point to the best: what mixtures of points reach. */
export function hullOf(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.cost - b.cost || b.score - a.score);
  const hull: Point[] = [];
  for (const point of sorted) {
    if (hull.length > 0 && point.score <= hull.at(-1)!.score) continue;
    while (hull.length >= 2 && isBelow(hull.at(-2)!, hull.at(-1)!, point)) hull.pop();
    hull.push(point);
  }
  return hull;
}

const isBelow = (a: Point, b: Point, c: Point): boolean =>
  (b.score - a.score) * (c.cost - a.cost) <= (c.score - a.score) * (b.cost - a.cost);

/** The score that a hull reaches for a cost. */
export function scoreAtCost(hull: readonly Point[], cost: number): number {
  const next = hull.findIndex((point) => point.cost >= cost);
  if (next < 0) return hull.at(-1)!.score;
  if (next === 0) return hull[0]!.score;
  const a = hull[next - 1]!,
    b = hull[next]!;
  return a.score + ((b.score - a.score) * (cost - a.cost)) / (b.cost - a.cost);
}

/** Average improvement in quality (RouterBench): the mean height of a hull between two costs. */
export function averageQuality(hull: readonly Point[], from: number, to: number): number {
  const steps = 400;
  let sum = 0;
  for (let step = 0; step < steps; step++)
    sum += scoreAtCost(hull, from + ((step + 0.5) * (to - from)) / steps);
  return sum / steps;
}

/** The mean cost and score of each model of a pool. */
export function singlesOf({ models, rows, scores, costs }: Pool): Point[] {
  const cost = sumsOf(costs, models.length).sums,
    score = sumsOf(scores, models.length).sums;
  return models.map((_, model) => ({ cost: cost[model]! / rows, score: score[model]! / rows }));
}

/** By model: the sum of its values, and how many of them are known (not NaN). */
export function sumsOf(
  values: Float32Array | Float64Array,
  models: number,
): { readonly sums: Float64Array; readonly counts: Float64Array } {
  const sums = new Float64Array(models),
    counts = new Float64Array(models);
  values.forEach((value, at) => {
    if (Number.isNaN(value)) return;
    sums[at % models]! += value;
    counts[at % models]!++;
  });
  return { sums, counts };
}

/** What a dollar may be worth, in shares of quality: from nothing to everything. */
export const worths: readonly number[] = [
  0,
  ...Array.from({ length: 80 }, (_, step) => 0.3 * 10 ** ((step * 5.2) / 79)),
];

/** The place of the model that is chosen in a row if a dollar is worth that much quality. */
export function choiceAt(
  { quality, cost }: Predictions,
  models: number,
  row: number,
  worth: number,
): number {
  let best = 0,
    highest = -Infinity;
  for (let model = 0; model < models; model++) {
    const value = quality[row * models + model]! - worth * cost[row * models + model]!;
    if (value > highest) {
      highest = value;
      best = model;
    }
  }
  return best;
}

/** The curve of predictions: one point for each worth of a dollar. */
export function curveOf(pool: Pool, predictions: Predictions): Point[] {
  const width = pool.models.length;
  return worths.map((worth) => {
    let cost = 0,
      score = 0;
    for (let row = 0; row < pool.rows; row++) {
      const at = row * width + choiceAt(predictions, width, row, worth);
      cost += pool.costs[at]!;
      score += pool.scores[at]!;
    }
    return { cost: cost / pool.rows, score: score / pool.rows };
  });
}
