import {
  hullOf,
  scoreAtCost,
  type Point,
} from '../../../src/chooser/training/custom/cost-curve.js';

/** How many mixtures the zero router offers between the cheapest and the best model. */
const steps = 20;

/** One setting: every model is called equally often. */
export function randomShares(models: number): number[][] {
  return [new Array<number>(models).fill(1 / models)];
}

/** Always calls one model. @returns by model: how often it is called */
export function singleShares(models: number, called: number): number[] {
  return Array.from({ length: models }, (_, model) => (model === called ? 1 : 0));
}

/** Index of the model with the highest score. */
export function bestOf(singles: readonly Point[]): number {
  return singles.reduce(
    (best, { score }, model) => (score > singles[best]!.score ? model : best),
    0,
  );
}

/** Index of the model with the lowest cost. */
export function cheapestOf(singles: readonly Point[]): number {
  return singles.reduce(
    (cheapest, { cost }, model) => (cost < singles[cheapest]!.cost ? model : cheapest),
    0,
  );
}

/**
 * The zero router (RouterBench's term): random mixtures of single models along the hull of what is
 * known of them, without reading the prompt. The best model comes first.
 * @returns by setting and model: how often it is called
 */
export function zeroRouterShares(known: readonly Point[]): number[][] {
  const hull = hullOf(known);
  const corners = hull.map((corner) =>
    known.findIndex(({ cost, score }) => cost === corner.cost && score === corner.score),
  );
  const from = hull[0]!.cost;
  const to = hull.at(-1)!.cost;
  return Array.from({ length: steps + 1 }, (_, step) => {
    const cost = to - (step * (to - from)) / steps;
    const next = Math.max(
      0,
      hull.findIndex((corner) => corner.cost >= cost - 1e-15),
    );
    if (next === 0) return singleShares(known.length, corners[0]!);
    const a = hull[next - 1]!;
    const b = hull[next]!;
    const share = (scoreAtCost(hull, cost) - a.score) / (b.score - a.score);
    const shares = singleShares(known.length, corners[next]!).map((one) => one * share);
    shares[corners[next - 1]!]! += 1 - share;
    return shares;
  });
}
