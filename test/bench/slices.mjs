/** The middle value; of an even number the mean of the two in the middle. */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length === 0
    ? NaN
    : sorted.length % 2 === 1
      ? sorted[middle]
      : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures targets in turns, a short slice each: the machine's speed drifts, so only neighbours are
 * compared. Gives each target's slices by its name, without those of the warm-up.
 */
export async function interleave(running, { slices, warmUps }, measure) {
  const measured = Object.fromEntries(running.map(({ target }) => [target.name, []]));
  for (let round = -warmUps; round < slices; round++) {
    const turn = round % 2 === 0 ? running : running.toReversed();
    for (const each of turn) {
      const value = await measure(each, round < 0);
      if (round >= 0) measured[each.target.name].push(value);
    }
  }
  return measured;
}

/** The median of each target's slices. */
export const medians = (measured) =>
  Object.fromEntries(Object.entries(measured).map(([name, values]) => [name, median(values)]));

/** How many times as much `name` takes as `other`: the median of the ratios of each round. */
export const ratioOf = (measured, name, other) =>
  median(measured[name].map((value, round) => value / measured[other][round]));

/**
 * Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom; beyond them the normal's.
 */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
];

/** The geometric mean of ratios with its 95 % interval; of a single ratio the interval is NaN. */
export function ratioInterval(ratios) {
  const count = ratios.length;
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((total, value) => total + value, 0) / count;
  const variance = logs.reduce((total, value) => total + (value - mean) ** 2, 0) / (count - 1);
  const half = (quantiles[count - 2] ?? 1.96) * Math.sqrt(variance / count);
  return { ratio: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}
