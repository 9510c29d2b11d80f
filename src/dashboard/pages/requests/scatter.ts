import type { WeighedCandidate } from '../../api/schema.js';
import type { Frame, PlotPoint } from '../../components/place-names.js';

/** A candidate with what it costs: the expected cost, else the price of a million tokens. */
function pointOf({ label, cost, price, quality, interval }: WeighedCandidate): PlotPoint | null {
  const usd = cost ?? price;
  if (usd === null || quality === null) return null;
  const [low = quality, high = quality] = interval ?? [];
  return {
    label,
    cost: { value: usd, low: usd, high: usd },
    quality: { value: quality, low, high },
  };
}

/**
 * Candidates on axes of cost (logarithmic, because prices span decades) and of quality; those
 * without a known cost or quality are `unknown`.
 */
export function scatterOf(candidates: readonly WeighedCandidate[], frame: Frame) {
  const { width, height, left, right } = frame;
  const able = candidates.filter((one) => one.excluded === undefined);
  const points = able.map(pointOf).filter((point) => point !== null);
  const bounds = points.flatMap(({ quality }) => Object.values(quality));
  const least = Math.max(0, Math.floor(Math.min(0.9, ...bounds) * 10 + 1e-9) / 10);
  const most = Math.min(1, Math.ceil(Math.max(least + 0.1, ...bounds) * 10 - 1e-9) / 10);
  const { across, ticks } = costAxis(points.map(({ cost }) => cost.value));
  const room = Math.max(0, width - left - right);
  const bottom = height - frame.bottom;
  return {
    points,
    cost: { ticks, at: (usd: number) => left + across(usd) * room },
    quality: {
      ticks: [0, 0.5, 1].map((share) => least + share * (most - least)),
      at: (quality: number) => bottom - ((quality - least) / (most - least)) * (bottom - frame.top),
    },
    unknown: able.filter((one) => pointOf(one) === null),
  };
}

/**
 * An axis from 0 to 1 between round amounts, with at most six of them, each a multiple of the one
 * before; what is free stands at its left end, because a logarithmic axis has no place for it.
 */
export function costAxis(costs: readonly number[]) {
  const paid = costs.filter((cost) => cost > 0).map(Math.log10);
  const hasFree = paid.length < costs.length;
  const [least, most] = paid.length === 0 ? [0, 0] : [Math.min(...paid), Math.max(...paid)];
  const steps = most - least > 2.5 ? [1] : [1, 2, 5];
  const round: number[] = [];
  for (let power = Math.floor(least); power <= Math.ceil(most + 1e-9); power++)
    round.push(...steps.map((step) => power + Math.log10(step)));
  const from = Math.max(...round.filter((one) => one <= least + 1e-9));
  const to = Math.min(...round.filter((one) => one > Math.max(most, from) - 1e-9 && one > from));
  const left = hasFree ? from - (to - from) / 4 : from;
  const inside = paid.length === 0 ? [] : round.filter((one) => one >= from && one <= to);
  const every = Math.ceil(inside.length / 6);
  return {
    across: (cost: number): number => (cost > 0 ? (Math.log10(cost) - left) / (to - left) : 0),
    ticks: [
      ...(hasFree ? [0] : []),
      ...inside
        .filter((_, at) => at % every === 0 || at === inside.length - 1)
        .map((one) => Number((10 ** one).toPrecision(1))),
    ],
  };
}
