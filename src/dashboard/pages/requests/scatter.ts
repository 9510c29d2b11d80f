import type { WeighedCandidate } from '../../api/schema.js';

/** A candidate's place; all from 0 to 1, from the left and from the bottom. */
export interface Dot {
  readonly candidate: WeighedCandidate;
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** A label of an axis and its place from 0 to 1. */
interface Tick {
  readonly value: number;
  readonly at: number;
}

interface Scatter {
  readonly dots: readonly Dot[];
  /** 0 stands at the left end: a logarithmic axis has no place for it. */
  readonly costs: readonly Tick[];
  readonly qualities: readonly Tick[];
  /** Candidates without a known cost or quality. */
  readonly unknown: readonly WeighedCandidate[];
}

/** What answering costs: the expected cost, else the price of a million tokens. */
export const costOf = ({ cost, price }: WeighedCandidate): number | null => cost ?? price;

/** Places candidates by cost (logarithmic, because prices span decades) and by quality. */
export function scatterOf(candidates: readonly WeighedCandidate[]): Scatter {
  const able = candidates.filter((one) => one.excluded === undefined);
  const known = able.filter((one) => costOf(one) !== null && one.quality !== null);
  const bounds = known.flatMap((one) => [one.quality ?? 0, ...(one.interval ?? [])]);
  const bottom = Math.max(0, Math.floor(Math.min(0.9, ...bounds) * 10 + 1e-9) / 10);
  const top = Math.min(1, Math.ceil(Math.max(bottom + 0.1, ...bounds) * 10 - 1e-9) / 10);
  const { across, ticks } = costAxis(known.map((one) => costOf(one) ?? 0));
  const up = (quality: number): number => (quality - bottom) / (top - bottom);
  return {
    dots: known.map((candidate) => {
      const quality = candidate.quality ?? 0;
      const [low, high] = candidate.interval ?? [quality, quality];
      return {
        candidate,
        x: across(costOf(candidate) ?? 0),
        y: up(quality),
        low: up(low ?? quality),
        high: up(high ?? quality),
      };
    }),
    costs: ticks.map((value) => ({ value, at: across(value) })),
    qualities: [0, 0.5, 1].map((share) => ({ value: bottom + share * (top - bottom), at: share })),
    unknown: able.filter((one) => !known.includes(one)),
  };
}

/**
 * An axis from 0 to 1 between round amounts, with at most six of them, each a multiple of the one
 * before; what is free stands before it.
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
