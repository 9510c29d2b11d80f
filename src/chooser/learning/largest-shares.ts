const minShare = 0.1;
const maxShares = 4;

/**
 * The kinds that make up much of a request, at most four, the largest first, as parts of a whole.
 * Empty if none is large.
 */
export function largestShares(
  shares: Iterable<readonly [kind: number, share: number]>,
): [kind: number, share: number][] {
  const large: [number, number][] = [];
  for (const [kind, share] of shares) if (share >= minShare) large.push([kind, share]);
  large.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  if (large.length > maxShares) large.length = maxShares;
  let whole = 0;
  for (const one of large) whole += one[1];
  for (const one of large) one[1] /= whole;
  return large;
}
