import type { Features } from '../../src/chooser/predictor/features/features.js';
import type { Pool } from '../../src/chooser/training/custom/cost-curve.js';
import { foldOf, type PublishedEvaluations } from './fit/published-evaluations.js';
import { listPriceOf } from './prices.js';

/**
 * Prompts that all models of a pool have answered, and what the answers cost. Rows count within the
 * pool; tables have one number for each model, row by row.
 */
export interface EvaluatedPool extends Pool {
  readonly name: string;
  /** By row: its row in the evaluations. */
  readonly places: Int32Array;
  readonly features: readonly Features[];
  /** By row: the text as published, tools included. */
  readonly prompts: readonly string[];
  readonly inputTokens: Float64Array;
  /** Laid out as the scores. If a model has no count, the mean of its source stands in. */
  readonly outputTokens: Float64Array;
  /** By row: rows of one group are the same prompt. */
  readonly groups: readonly string[];
}

/**
 * The rows that every model of a pool has answered.
 * @param isIn whether a row may be in the pool
 */
export function gatherPool(
  evaluations: PublishedEvaluations,
  name: string,
  models: readonly string[],
  isIn: (row: number) => boolean,
): EvaluatedPool {
  const columns = models.map((model) => evaluations.models.indexOf(model));
  const places = completeRows(evaluations, columns).filter(isIn);
  const outputTokens = outputTokensOf(evaluations, columns, places);
  const width = evaluations.models.length;
  const prices = models.map(listPriceOf);
  const table = (value: (row: number, column: number, at: number) => number): Float64Array =>
    Float64Array.from({ length: places.length * columns.length }, (_, at) =>
      value(places[Math.floor(at / columns.length)]!, columns[at % columns.length]!, at),
    );
  return {
    name,
    models,
    places,
    rows: places.length,
    outputTokens,
    scores: table((row, column) => evaluations.scores[row * width + column]!),
    costs: table((row, column, at) => {
      const published = evaluations.costs[row * width + column]!;
      const [input, output] = prices[at % columns.length]!;
      return Number.isNaN(published)
        ? (evaluations.inputTokens[row]! * input + outputTokens[at]! * output) / 1e6
        : published;
    }),
    features: Array.from(places, (row) => evaluations.features[row]!),
    prompts: Array.from(places, (row) => evaluations.prompts[row]!),
    inputTokens: Float64Array.from(places, (row) => evaluations.inputTokens[row]!),
    groups: Array.from(places, (row) => evaluations.groups[row]!),
  };
}

/** The rows in which none of the columns lacks a score. */
function completeRows(
  { features, scores, models }: PublishedEvaluations,
  columns: readonly number[],
): Int32Array {
  return Int32Array.from(features.keys()).filter((row) =>
    columns.every((column) => column >= 0 && !Number.isNaN(scores[row * models.length + column]!)),
  );
}

/** Output tokens if neither the model nor its source has any. */
const defaultOutputTokens = 200;

/** Output tokens as published, else the model's mean on the source, else the source's mean. */
function outputTokensOf(
  { outputTokens, models, sources }: PublishedEvaluations,
  columns: readonly number[],
  places: Int32Array,
): Float64Array {
  const means = new RunningMeans();
  for (const row of places) {
    for (const column of columns) {
      const tokens = outputTokens[row * models.length + column]!;
      if (Number.isNaN(tokens)) continue;
      means.add(`${sources[row]!} ${column}`, tokens);
      means.add(sources[row]!, tokens);
    }
  }
  return Float64Array.from({ length: places.length * columns.length }, (_, at) => {
    const row = places[Math.floor(at / columns.length)]!;
    const column = columns[at % columns.length]!;
    const source = sources[row]!;
    const tokens = outputTokens[row * models.length + column]!;
    return Number.isNaN(tokens)
      ? (means.of(`${source} ${column}`) ?? means.of(source) ?? defaultOutputTokens)
      : tokens;
  });
}

class RunningMeans {
  private readonly totals = new Map<string, { sum: number; count: number }>();

  add(key: string, value: number): void {
    const total = this.totals.get(key);
    if (total) {
      total.sum += value;
      total.count++;
    } else this.totals.set(key, { sum: value, count: 1 });
  }

  of(key: string): number | null {
    const total = this.totals.get(key);
    return total ? total.sum / total.count : null;
  }
}

/** The rows of a pool for which a condition holds. */
export function partOf(pool: EvaluatedPool, isIn: (row: number) => boolean): EvaluatedPool {
  const kept = Int32Array.from({ length: pool.rows }, (_, row) => row).filter(isIn);
  const width = pool.models.length;
  const table = (from: Float64Array): Float64Array =>
    Float64Array.from(
      { length: kept.length * width },
      (_, at) => from[kept[Math.floor(at / width)]! * width + (at % width)]!,
    );
  return {
    name: pool.name,
    models: pool.models,
    rows: kept.length,
    scores: table(pool.scores),
    costs: table(pool.costs),
    outputTokens: table(pool.outputTokens),
    places: Int32Array.from(kept, (row) => pool.places[row]!),
    features: Array.from(kept, (row) => pool.features[row]!),
    prompts: Array.from(kept, (row) => pool.prompts[row]!),
    inputTokens: Float64Array.from(kept, (row) => pool.inputTokens[row]!),
    groups: Array.from(kept, (row) => pool.groups[row]!),
  };
}

/**
 * A sample of about `maxRows` rows of a larger pool: the same rows every time, and equal prompts
 * stay together.
 */
export function sampleOf(pool: EvaluatedPool, maxRows: number): EvaluatedPool {
  if (pool.rows <= maxRows) return pool;
  const folds = 1000;
  const share = (folds * maxRows) / pool.rows;
  return partOf(pool, (row) => foldOf(`${pool.groups[row]!} sample`, folds) < share);
}
