import { mapEstimate } from '../../savings/compare.js';
import { type Estimate, estimateOf, seeded } from './bootstrap.js';
import { meanCosts, pricedPool, valuesOf } from './choices.js';
import { choiceAt, hullOf, type Pool, type Predictions, worths } from './cost-curve.js';
import type { HeldOut } from './cross-validate.js';
import type { CustomRows } from './custom-rows.js';

/** The curve has a point for every third of the worths of a dollar that are tried. */
const worthStep = 3;
const draws = 300;

/**
 * Judges choices by cost and score, on prompts that the fits never saw; null: too few rows with all
 * of both, or no prices.
 */
export function judgeCostQuality(rows: CustomRows, heldOut: HeldOut, seed: number) {
  const own = pricedPool(rows);
  const isPriced = !rows.expectedCosts.some(Number.isNaN);
  const priced = own ?? (isPriced ? pricedPool({ ...rows, costs: rows.expectedCosts }) : null);
  if (priced === null) return null;
  const { pool } = priced,
    width = pool.models.length;
  const groups = priced.rows.map((row) => rows.groups[row]!);
  const seen = isPriced
    ? valuesOf(rows.expectedCosts, priced.rows, width)
    : meanCosts(pool.costs, width);
  const choices = (predicted: Float32Array): Int32Array[] =>
    choicesOf(pool, { quality: valuesOf(predicted, priced.rows, width), cost: seen });
  const [trained, shipped] = [choices(heldOut.fitted), choices(heldOut.router)];
  const always = pool.models.map((_, model) => new Int32Array(pool.rows).fill(model));
  const points = judged(pool, groups, [...always, ...trained, ...shipped], seed);
  const singles = points.slice(0, always.length);
  return {
    source: own ? ('evaluations' as const) : ('prices' as const),
    rows: pool.rows,
    singles: singles.map((point, model) => ({ model: pool.models[model]!, ...point })),
    hull: hullOf(singles.map(({ cost, score }) => ({ cost: cost.value, score: score.value }))),
    trained: points.slice(always.length, always.length + trained.length),
    shipped: points.slice(always.length + trained.length),
  };
}

/** By row the chosen place, for each worth of a dollar that changes a choice. */
function choicesOf(pool: Pool, predictions: Predictions): Int32Array[] {
  const all = worths
    .filter((_, at) => at % worthStep === 0)
    .map((worth) =>
      Int32Array.from({ length: pool.rows }, (_, row) =>
        choiceAt(predictions, pool.models.length, row, worth),
      ),
    );
  return all.filter((places, at) => {
    const before = all[at - 1];
    return before === undefined || places.some((place, row) => place !== before[row]);
  });
}

/**
 * Mean cost in USD and score of each way to choose, with their 95 % intervals, by the same draws;
 * equal prompts are drawn together.
 */
function judged(pool: Pool, groups: Int32Array, ways: readonly Int32Array[], seed: number) {
  const sums = groupSums(pool, groups, ways);
  const { count, width } = sums;
  const random = seeded(seed);
  const means = Array.from({ length: draws }, () => {
    const total = new Float64Array(width);
    for (let drawn = 0; drawn < count; drawn++) {
      const from = Math.floor(random() * count) * width;
      for (let at = 0; at < width; at++) total[at]! += sums.values[from + at]!;
    }
    return total.map((sum) => sum / total[0]!);
  });
  const whole = new Float64Array(width);
  sums.values.forEach((value, at) => (whole[at % width]! += value));
  const estimate = (at: number): Estimate => {
    const draws = means.map((mean) => mean[at]!);
    // reports are stored: six digits are more than is known
    return mapEstimate(estimateOf(whole[at]! / whole[0]!, draws), (figure) =>
      Number(figure.toPrecision(6)),
    );
  };
  return ways.map((_, way) => ({ cost: estimate(1 + 2 * way), score: estimate(2 + 2 * way) }));
}

/** By group: its rows, and then the cost and the score of each way, summed up. */
function groupSums(
  { rows, costs, scores, models: { length } }: Pool,
  groups: Int32Array,
  ways: readonly Int32Array[],
): { readonly count: number; readonly width: number; readonly values: Float64Array } {
  const places = new Map<number, number>();
  for (const group of groups) if (!places.has(group)) places.set(group, places.size);
  const width = 1 + 2 * ways.length;
  const values = new Float64Array(places.size * width);
  for (let row = 0; row < rows; row++) {
    const from = places.get(groups[row]!)! * width;
    values[from]! += 1;
    ways.forEach((chosen, way) => {
      const at = row * length + chosen[row]!;
      values[from + 1 + 2 * way]! += costs[at]!;
      values[from + 2 + 2 * way]! += scores[at]!;
    });
  }
  return { count: places.size, width, values };
}
