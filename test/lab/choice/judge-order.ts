import type { Candidate, Ranker } from '../../../src/chooser/plan.js';
import { choose } from './chooser.js';

/** A model with a figure of a published table. */
export interface Placed {
  readonly model: string;
  readonly value: number;
}

/** Pairs of models that a table puts far apart, and how many of them are turned round. */
export interface PairErrors {
  readonly pairs: number;
  readonly wrong: number;
  /** The models that are in most of the wrong pairs, the first most often. */
  readonly worst: readonly (readonly [model: string, pairs: number])[];
}

const candidateOf = (model: string): Candidate => ({ label: model, provider: null, model });

/** Predicted qualities: one row for each text, one column for each model. */
function qualitiesOf(
  ranker: Ranker,
  models: readonly string[],
  texts: readonly string[],
): Float64Array[] {
  const candidates = models.map(candidateOf);
  return texts.map((text) => {
    const byModel = new Map(
      choose(ranker, candidates, text).map(({ label, why }) => [label, why.quality]),
    );
    return Float64Array.from(models, (model) => byModel.get(model)!);
  });
}

/** Counts pairs at least `apart` from each other that most texts turn round. */
export function judgePairs(
  ranker: Ranker,
  table: readonly Placed[],
  texts: readonly string[],
  apart: number,
): PairErrors {
  const rows = qualitiesOf(
    ranker,
    table.map(({ model }) => model),
    texts,
  );
  const blamed = new Map<string, number>();
  let pairs = 0,
    wrong = 0;
  table.forEach((high, a) => {
    table.forEach((low, b) => {
      if (high.value - low.value < apart) return;
      pairs++;
      const turned = rows.filter((row) => row[a]! < row[b]!).length;
      if (turned <= rows.length / 2) return;
      wrong++;
      for (const { model } of [high, low]) blamed.set(model, (blamed.get(model) ?? 0) + 1);
    });
  });
  const worst = [...blamed].sort((a, b) => b[1] - a[1]).slice(0, 12);
  return { pairs, wrong, worst };
}

/** Spearman's rank correlation. */
export function rankCorrelation(one: ArrayLike<number>, other: ArrayLike<number>): number {
  return correlation(ranksOf(one), ranksOf(other));
}

/** Pearson's correlation; 0 where nothing varies. */
export function correlation(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const count = one.length;
  let a = 0,
    b = 0;
  for (let at = 0; at < count; at++) {
    a += one[at]! / count;
    b += other[at]! / count;
  }
  let both = 0,
    ones = 0,
    others = 0;
  for (let at = 0; at < count; at++) {
    const x = one[at]! - a,
      y = other[at]! - b;
    both += x * y;
    ones += x * x;
    others += y * y;
  }
  return ones * others === 0 ? 0 : both / Math.sqrt(ones * others);
}

/** Equal values share the mean of their ranks. */
export function ranksOf(values: ArrayLike<number>): Float64Array {
  const order = Array.from(values, (_, at) => at).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let at = from; at < to; at++) ranks[order[at]!] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}
