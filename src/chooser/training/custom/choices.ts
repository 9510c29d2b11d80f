import type { CustomRows } from './custom-rows.js';
import { averageQuality, curveOf, hullOf, type Pool, singlesOf, sumsOf } from './cost-curve.js';

/** Predicted qualities by row and model, each predicted without having seen the row. */
export type Predicted = Float32Array;

/** By row: the place of the chosen model; -1 if fewer than two models have a score there. */
export function chosenPlaces(
  { models, scores, count }: CustomRows,
  preference: (row: number, model: number) => number,
): Int32Array {
  const width = models.length;
  return Int32Array.from({ length: count }, (_, row) => {
    let best = -1,
      highest = -Infinity,
      measured = 0;
    for (let model = 0; model < width; model++) {
      if (Number.isNaN(scores[row * width + model]!)) continue;
      measured++;
      const value = preference(row, model);
      if (value <= highest) continue;
      highest = value;
      best = model;
    }
    return measured < 2 ? -1 : best;
  });
}

/**
 * By row: what is called if one model is called wherever it was measured, and elsewhere the best of
 * those measured there.
 * @param means by model
 */
export const alwaysCalling = (rows: CustomRows, place: number, means: Float64Array): Int32Array =>
  chosenPlaces(rows, (_row, model) => (model === place ? 2 : means[model]!));

/** By row: the number of the chosen model; NaN where none was chosen. */
export const valuesAt = (
  values: Float32Array,
  places: Int32Array,
  { models }: Pick<CustomRows, 'models'>,
): Float64Array =>
  Float64Array.from(places, (place, row) =>
    place < 0 ? NaN : values[row * models.length + place]!,
  );

/** The mean of the values at the chosen places, as `valuesAt` finds them. */
export const meanAt = (
  values: Float32Array,
  places: Int32Array,
  rows: Pick<CustomRows, 'models'>,
): number => meanOf(valuesAt(values, places, rows));

/** The mean of all values that are not NaN. */
export function meanOf(values: Float64Array): number {
  let sum = 0,
    count = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  return count === 0 ? NaN : sum / count;
}

/** Each model's mean cost in the place of its cost in every row. */
export function meanCosts<Costs extends Float32Array | Float64Array>(
  costs: Costs,
  models: number,
): Costs {
  const { sums, counts } = sumsOf(costs, models);
  return costs.map((_, at) => sums[at % models]! / counts[at % models]!) as Costs;
}

/** By model: its mean score, drawn towards the mean of all where few rows were measured. */
export function meanScores({ models, scores }: CustomRows): Float64Array {
  const { sums, counts } = sumsOf(scores, models.length);
  const all = sums.reduce((sum, one) => sum + one, 0) / counts.reduce((sum, one) => sum + one, 0);
  return sums.map((sum, model) => (sum + 2 * all) / (counts[model]! + 2));
}

/** The rows in which all scores and costs are known, as a pool; null if they are too few. */
export function pricedPool({
  models,
  scores,
  costs,
  count,
}: CustomRows): { readonly pool: Pool; readonly rows: Int32Array } | null {
  if (costs === null) return null;
  const width = models.length;
  const isWhole = (row: number): boolean =>
    models.every(
      (_, model) =>
        !Number.isNaN(scores[row * width + model]!) && !Number.isNaN(costs[row * width + model]!),
    );
  const rows = Int32Array.from({ length: count }, (_, row) => row).filter(isWhole);
  if (rows.length < 50) return null;
  const pool = {
    models,
    rows: rows.length,
    scores: valuesOf(scores, rows, width),
    costs: valuesOf(costs, rows, width),
  };
  return { pool, rows };
}

/** The values of some rows, `width` each. */
export const valuesOf = (from: Float32Array, rows: Int32Array, width: number): Float64Array =>
  Float64Array.from(
    { length: rows.length * width },
    (_, at) => from[rows[Math.floor(at / width)]! * width + (at % width)]!,
  );

/**
 * AIQ, between the costs of the cheapest and the most expensive model: of mixtures of single models
 * (`zeroRouter`), and of predictions.
 */
export function aiqOf(
  { pool, rows }: { readonly pool: Pool; readonly rows: Int32Array },
  predictions: Readonly<Record<string, Predicted>>,
): Record<string, number> | null {
  const singles = singlesOf(pool),
    width = pool.models.length;
  const from = Math.min(...singles.map(({ cost }) => cost)),
    to = Math.max(...singles.map(({ cost }) => cost));
  if (!(to > from)) return null;
  const cost = Float64Array.from(
    { length: pool.rows * width },
    (_, at) => singles[at % width]!.cost,
  );
  const areas = Object.entries(predictions).map(([name, predicted]) => {
    const quality = valuesOf(predicted, rows, width);
    return [name, averageQuality(hullOf(curveOf(pool, { quality, cost })), from, to)];
  });
  return {
    zeroRouter: averageQuality(hullOf(singles), from, to),
    ...(Object.fromEntries(areas) as Record<string, number>),
  };
}

/** Scores that differ by less are equal: sums depend on the order of their numbers. */
const dust = 1e-9;

interface Single {
  readonly place: number;
  readonly places: Int32Array;
  readonly score: number;
  /** Mean USD; infinite: unknown. */
  readonly cost: number;
}

/**
 * The model that does best on the rows that compare models, and what is called by row if it is
 * called wherever it was measured (elsewhere, the best of the models measured there). Of several
 * that are equally good it is the cheapest, in whatever order the columns come.
 */
export function bestSingleOf(rows: CustomRows): {
  readonly best: number;
  readonly single: Int32Array;
} {
  const means = meanScores(rows);
  const singles = rows.models.map((_, place): Single => {
    // the means alone would mislead: a model measured only on easy rows has a high mean, and is
    // easily beaten there
    const places = alwaysCalling(rows, place, means);
    const score = meanAt(rows.scores, places, rows);
    return { place, places, score, cost: costOf(rows, places) };
  });
  const { place, places } = singles.reduce((kept, one) =>
    isBetter(one, kept, rows.models) ? one : kept,
  );
  return { best: place, single: places };
}

function costOf(rows: CustomRows, places: Int32Array): number {
  const known = rows.costs === null ? NaN : meanAt(rows.costs, places, rows);
  const cost = Number.isNaN(known) ? meanAt(rows.expectedCosts, places, rows) : known;
  return Number.isNaN(cost) ? Infinity : cost;
}

function isBetter(one: Single, other: Single, models: readonly string[]): boolean {
  if (Math.abs(one.score - other.score) > dust) return one.score > other.score;
  if (one.cost !== other.cost) return one.cost < other.cost;
  return models[one.place]! < models[other.place]!;
}
