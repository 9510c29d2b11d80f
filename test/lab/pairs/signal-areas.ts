import { type Estimate, estimateOf } from '../../../src/chooser/training/custom/bootstrap.js';
import { bootstrap, type DrawOptions } from '../estimates.js';
import type { GapFamily, Signal } from './signals.js';

/** How well one signal shares the prompts of one family, the highest first. */
export interface SignalResult {
  readonly name: string;
  /** APGR of all pairs together. Of the reversed signal it is 1 less this. */
  readonly apgr: Estimate;
  /** That of the signal and of the reversed one, less that of the length, of the same draws. */
  readonly overLength: Estimate;
  readonly reversedOverLength: Estimate;
}

/** Rows in the order of a signal, with what is gained by a strong model. */
export interface OrderedGaps {
  readonly order: Int32Array;
  /** By place in the order: whether the next row has another value. */
  readonly isLast: readonly boolean[];
  readonly gaps: Float64Array;
  /** The first of these rows among all rows that weights are given for. */
  readonly from: number;
}

/** Puts rows in the order of a signal, the highest first. */
export function orderedGaps(values: Float64Array, gaps: Float64Array, from = 0): OrderedGaps {
  const order = Int32Array.from(values.keys()).sort((a, b) => values[b]! - values[a]!);
  const isLast = Array.from(order, (row, at) => values[row] !== values[order[at + 1]!]);
  return { order, isLast, gaps, from };
}

/**
 * APGR of several orders together; NaN if they have no gap. Rows of equal values recover their
 * share evenly: a signal that says nothing recovers exactly half.
 * @param weights by row: how often it counts
 */
export function apgrOf(parts: readonly OrderedGaps[], weights: Float64Array): number {
  let area = 0,
    gap = 0;
  for (const part of parts) {
    const one = areaAndGap(part, weights);
    area += one.area;
    gap += one.gap;
  }
  return gap > 0 ? area / gap : NaN;
}

function areaAndGap(
  { order, isLast, gaps, from }: OrderedGaps,
  weights: Float64Array,
): { area: number; gap: number } {
  let area = 0,
    recovered = 0,
    called = 0,
    tied = 0,
    tiedGap = 0;
  for (let at = 0; at < order.length; at++) {
    const row = order[at]!,
      weight = weights[from + row]!;
    tied += weight;
    tiedGap += weight * gaps[row]!;
    if (!isLast[at]!) continue;
    area += tied * (recovered + tiedGap / 2);
    recovered += tiedGap;
    called += tied;
    tied = tiedGap = 0;
  }
  return called === 0 ? { area: 0, gap: 0 } : { area: area / called ** 2, gap: recovered / called };
}

/** Judges signals on one family. The first one is the length of the prompt. */
export function judgeSignals(
  { pools }: GapFamily,
  signals: readonly Signal[],
  options: DrawOptions,
): SignalResult[] {
  const orders = signals.map(({ values }) => {
    let rows = 0;
    return values.map((one, at) => {
      const part = orderedGaps(one, pools[at]!.gaps, rows);
      rows += one.length;
      return part;
    });
  });
  const groups = pools.flatMap(({ pool }) => pool.groups);
  const { values, draws } = bootstrap(groups, options, (weights) => {
    const [length, ...others] = orders.map((parts) => apgrOf(parts, weights));
    return new Map(
      [length!, ...others].flatMap((apgr, at) => [
        [`${at}`, apgr],
        [`${at} over`, apgr - length!],
        [`${at} reversed`, 1 - apgr - length!],
      ]),
    );
  });
  const estimate = (name: string): Estimate => estimateOf(values.get(name)!, draws.get(name)!);
  return signals.map(({ name }, at) => ({
    name,
    apgr: estimate(`${at}`),
    overLength: estimate(`${at} over`),
    reversedOverLength: estimate(`${at} reversed`),
  }));
}
