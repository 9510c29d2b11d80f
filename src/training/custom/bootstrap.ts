import { seeded } from './seeded.js';

/** A figure with its 95 % interval. Infinite: never reached. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A figure with the 95 % interval of its draws. */
export function estimateOf(value: number, draws: readonly number[]): Estimate {
  const sorted = draws.filter((draw) => !Number.isNaN(draw)).sort((a, b) => a - b);
  if (sorted.length === 0) return { value, low: value, high: value };
  return {
    value,
    low: sorted[Math.floor(0.025 * sorted.length)]!,
    high: sorted[Math.min(sorted.length - 1, Math.floor(0.975 * sorted.length))]!,
  };
}

const drawsOfManyGroups = 400,
  drawsOfFewGroups = 2000;
const manyGroups = 10_000;

/**
 * The mean of values, with the 95 % interval of its bootstrap; equal prompts are drawn together.
 * NaN is ignored.
 */
export function bootstrapMean(values: Float64Array, groups: Int32Array, seed: number): Estimate {
  const sums: number[] = [],
    counts: number[] = [];
  values.forEach((value, row) => {
    if (Number.isNaN(value)) return;
    const group = groups[row]!;
    sums[group] = (sums[group] ?? 0) + value;
    counts[group] = (counts[group] ?? 0) + 1;
  });
  const present = Int32Array.from(counts.keys()).filter((group) => counts[group] !== undefined);
  if (present.length === 0) return { value: 0, low: 0, high: 0 };
  const draws = present.length > manyGroups ? drawsOfManyGroups : drawsOfFewGroups;
  const random = seeded(seed);
  const means = Array.from({ length: draws }, () => {
    let sum = 0,
      count = 0;
    for (let at = 0; at < present.length; at++) {
      const group = present[Math.floor(random() * present.length)]!;
      sum += sums[group]!;
      count += counts[group]!;
    }
    return sum / count;
  });
  const whole =
    present.reduce((sum, group) => sum + sums[group]!, 0) /
    present.reduce((sum, group) => sum + counts[group]!, 0);
  return estimateOf(whole, means);
}
