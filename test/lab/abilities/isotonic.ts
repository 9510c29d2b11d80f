/**
 * The rising numbers that are nearest to given ones (weighted least squares), by pooling neighbours
 * that fall.
 */
export function rising(values: readonly number[], weights: readonly number[]): number[] {
  const pools: { mean: number; weight: number; count: number }[] = [];
  values.forEach((value, at) => {
    pools.push({ mean: value, weight: weights[at]!, count: 1 });
    for (let last = pools.length - 1; last > 0; last--) {
      const [below, above] = [pools[last - 1]!, pools[last]!];
      if (below.mean <= above.mean) break;
      const weight = below.weight + above.weight;
      below.mean = (below.mean * below.weight + above.mean * above.weight) / weight;
      below.weight = weight;
      below.count += above.count;
      pools.pop();
    }
  });
  return pools.flatMap(({ mean, count }) => Array<number>(count).fill(mean));
}
