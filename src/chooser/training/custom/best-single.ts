import { alwaysCalling, meanOf, meanScores, valuesAt } from './choices.js';
import type { CustomRows } from './custom-rows.js';

/** Scores that differ by less are equal: sums of the same numbers differ by their order. */
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
    const score = meanOf(valuesAt(rows.scores, places, rows));
    return { place, places, score, cost: costOf(rows, places) };
  });
  const { place, places } = singles.reduce((kept, one) =>
    isBetter(one, kept, rows.models) ? one : kept,
  );
  return { best: place, single: places };
}

function costOf(rows: CustomRows, places: Int32Array): number {
  const known = rows.costs === null ? NaN : meanOf(valuesAt(rows.costs, places, rows));
  const cost = Number.isNaN(known) ? meanOf(valuesAt(rows.expectedCosts, places, rows)) : known;
  return Number.isNaN(cost) ? Infinity : cost;
}

function isBetter(one: Single, other: Single, models: readonly string[]): boolean {
  if (Math.abs(one.score - other.score) > dust) return one.score > other.score;
  if (one.cost !== other.cost) return one.cost < other.cost;
  return models[one.place]! < models[other.place]!;
}
