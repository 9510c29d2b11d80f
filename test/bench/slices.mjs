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
 * Measures targets in turns, a short slice each, because the machine's speed drifts: what is compared is only what stands side by
 * side. Gives each target's slices by its name; what was measured while they warmed up is left out.
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

/** How many times as much `name` takes as `other`: the median over the rounds, in each of which both stood side by side. */
export const ratioOf = (measured, name, other) =>
  median(measured[name].map((value, round) => value / measured[other][round]));
