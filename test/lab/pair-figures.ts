import { createRandomStream } from './random.js';

/** RouteLLM's figures for a choice between a strong and a weak model. */
export interface PairFigures {
  /** Mean share of the performance gap that is recovered, over all shares of strong calls. */
  readonly apgr: number;
  /** Smallest share of strong calls that recovers half of the gap. */
  readonly cpt50: number;
  /** Smallest share of strong calls that recovers four fifths of the gap. */
  readonly cpt80: number;
}

/**
 * Rows in the order in which they go to the strong model: largest predicted gain first. Rows with
 * equal gains are shuffled, because their original order reveals their source.
 */
export function orderOfGains(gains: Float64Array): Int32Array {
  return createRandomStream(1)
    .order(gains.length)
    .sort((a, b) => gains[b]! - gains[a]!);
}

/**
 * Figures of sending rows to the strong model in a given order. All are NaN if the strong model is
 * not better on the weighted rows: there is no gap to recover.
 * @param differences by row: score of the strong model minus score of the weak model
 * @param weights by row: how often the row counts
 */
export function pairFigures(
  order: Int32Array,
  differences: Float64Array,
  weights: Float64Array,
): PairFigures {
  const gap = differences.reduce((sum, difference, row) => sum + weights[row]! * difference, 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (gap <= 0) return { apgr: NaN, cpt50: NaN, cpt80: NaN };
  let recovered = 0;
  let called = 0;
  let area = 0;
  let cpt50 = NaN;
  let cpt80 = NaN;
  for (const row of order) {
    const before = recovered;
    const share = weights[row]! / total;
    recovered += (weights[row]! * differences[row]!) / gap;
    called += share;
    area += ((before + recovered) / 2) * share;
    if (Number.isNaN(cpt50) && recovered >= 0.5) cpt50 = called;
    if (Number.isNaN(cpt80) && recovered >= 0.8) cpt80 = called;
  }
  return { apgr: area, cpt50, cpt80 };
}
