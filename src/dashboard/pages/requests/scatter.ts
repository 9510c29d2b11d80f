import type { Schema } from '../../api/schema.js';

/** A candidate as the plan keeps it. */
export type WeighedCandidate = Omit<Schema<'ModelSelectResponseCandidate'>, 'provider' | 'model'>;

/** A candidate's place; all from 0 to 1, from the left and from the bottom. */
export interface Dot {
  readonly candidate: WeighedCandidate;
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  /** The height of its label, which keeps clear of other labels. */
  readonly labelAt: number;
}

/** A label of an axis and its place from 0 to 1. */
interface Tick {
  readonly value: number;
  readonly at: number;
}

interface Scatter {
  readonly dots: readonly Dot[];
  readonly costs: readonly Tick[];
  readonly qualities: readonly Tick[];
  /** Candidates without a known cost or quality. */
  readonly unknown: readonly WeighedCandidate[];
}

/** What answering costs: the expected cost, else the price of a million tokens. */
export const costOf = ({ cost, price }: WeighedCandidate): number | null => cost ?? price;

const tenths = (value: number): number => Math.round(value * 10) / 10;

/** Places candidates by cost (logarithmic, because prices span decades) and by quality. */
export function scatterOf(candidates: readonly WeighedCandidate[]): Scatter {
  const known = candidates.filter(
    (one) => one.excluded === undefined && costOf(one) !== null && one.quality !== null,
  );
  const unknown = candidates.filter((one) => one.excluded === undefined && !known.includes(one));
  const costs = known.map((one) => Math.max(costOf(one) ?? 0, 1e-9));
  const [cheap, dear] = [Math.min(...costs), Math.max(...costs)].map(Math.log10);
  const [left, right] =
    cheap === undefined || dear === undefined || known.length === 0
      ? [0, 1]
      : [cheap - 0.15, dear + 0.15];
  const bounds = known.flatMap((one) => [one.quality ?? 0, ...(one.interval ?? [])]);
  const bottom = Math.max(0, tenths(Math.min(1, ...bounds) - 0.05));
  const top = Math.min(1, tenths(Math.max(0, ...bounds) + 0.05));
  const height = Math.max(0.1, top - bottom);
  const across = (cost: number): number =>
    (Math.log10(Math.max(cost, 1e-9)) - left) / (right - left);
  const up = (quality: number): number => (quality - bottom) / height;
  return {
    dots: withLabels(
      known.map((candidate) => ({
        candidate,
        x: across(costOf(candidate) ?? 0),
        y: up(candidate.quality ?? 0),
        low: up(candidate.interval?.[0] ?? candidate.quality ?? 0),
        high: up(candidate.interval?.[1] ?? candidate.quality ?? 0),
      })),
    ),
    costs: costTicks(left, right).map((value) => ({ value, at: across(value) })),
    qualities: [0, 0.5, 1].map((share) => ({ value: bottom + share * height, at: share })),
    unknown,
  };
}

/** A line of text, as a share of the height. */
const labelHeight = 0.07;

/** Puts labels that would overlap below one another. */
function withLabels(dots: readonly Omit<Dot, 'labelAt'>[]): Dot[] {
  const heights = new Map<WeighedCandidate, number>();
  let free = Infinity;
  for (const { candidate, y } of [...dots].sort((one, other) => other.y - one.y)) {
    const at = Math.min(y, free);
    heights.set(candidate, at);
    free = at - labelHeight;
  }
  return dots.map((dot) => ({ ...dot, labelAt: heights.get(dot.candidate) ?? dot.y }));
}

/** Two to five round amounts between two powers of ten. */
function costTicks(left: number, right: number): number[] {
  const digits = right - left > 1.4 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(left); power <= right; power++)
    for (const digit of digits) ticks.push(digit * 10 ** power);
  const inside = ticks.filter((tick) => Math.log10(tick) >= left && Math.log10(tick) <= right);
  const step = Math.ceil(inside.length / 5);
  return inside.filter((_, index) => index % step === 0);
}
