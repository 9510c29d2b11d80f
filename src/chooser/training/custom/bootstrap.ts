import type { Estimate } from '../../savings/compare.js';

export type { Estimate };

/**
 * Pseudo-random numbers in [0, 1), the same for the same seed on every machine (mulberry32). Our
 * own and not a library's: a stored training must be reproducible from its seed, whatever versions
 * of libraries are installed.
 */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Shuffles numbers in place (Fisher-Yates). */
export function shuffle(numbers: Int32Array, random: () => number): void {
  for (let at = numbers.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [numbers[at], numbers[other]] = [numbers[other]!, numbers[at]!];
  }
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

/** The mean, with its 95 % bootstrap interval; equal prompts are drawn together. NaN is ignored. */
export const bootstrapMean = (values: Float64Array, groups: Int32Array, seed: number): Estimate =>
  bootstrapRatio(
    values,
    values.map(() => 1),
    groups,
    seed,
  );

/**
 * The sum of some parts over the sum of their wholes, in the same way; 0 where the wholes sum up to
 * nothing. Rows whose part is NaN are ignored.
 */
export function bootstrapRatio(
  parts: Float64Array,
  wholes: Float64Array,
  groups: Int32Array,
  seed: number,
): Estimate {
  const sums: number[] = [],
    totals: number[] = [];
  parts.forEach((part, row) => {
    if (Number.isNaN(part)) return;
    const group = groups[row]!;
    sums[group] = (sums[group] ?? 0) + part;
    totals[group] = (totals[group] ?? 0) + wholes[row]!;
  });
  const present = Int32Array.from(totals.keys()).filter((group) => totals[group] !== undefined);
  const total = present.reduce((sum, group) => sum + totals[group]!, 0);
  if (total === 0) return { value: 0, low: 0, high: 0 };
  const draws = present.length > manyGroups ? drawsOfManyGroups : drawsOfFewGroups;
  const random = seeded(seed);
  const ratios = Array.from({ length: draws }, () => {
    let sum = 0,
      count = 0;
    for (let at = 0; at < present.length; at++) {
      const group = present[Math.floor(random() * present.length)]!;
      sum += sums[group]!;
      count += totals[group]!;
    }
    return count === 0 ? NaN : sum / count;
  });
  return estimateOf(present.reduce((sum, group) => sum + sums[group]!, 0) / total, ratios);
}
