import type { Schema } from '../../api/schema.js';
import { costAxis as logCostAxis } from '../requests/scatter.js';
import type { Axis, Frame } from '../../components/place-names.js';

type Report = NonNullable<Schema<'TrainingResponse'>['report']>;
/** Costs and scores of a training's choices. */
export type Evaluation = NonNullable<Report['evaluation']>;
type CurvePoint = Evaluation['trained'][number];

/** Costs that differ by more than this factor are drawn on a logarithmic axis. */
const manyfold = 20;
/** The width that a cost on the axis needs. */
const tickRoom = 110;

/** The axes of cost (x) and score (y), and each way to choose as a path of SVG. */
export function layOut(evaluation: Evaluation, frame: Frame) {
  const { singles, hull, trained, shipped } = evaluation;
  const all = [...singles, ...trained, ...shipped];
  const cost = costAxis(all, frame);
  const score = linearAxis(
    all.flatMap(({ score: { low, high } }) => [low, high]),
    frame.height - frame.bottom,
    frame.top,
    5,
  );
  const place = ({ cost: x, score: y }: { cost: number; score: number }): string =>
    `${cost.at(x).toFixed(1)},${score.at(y).toFixed(1)}`;
  const line = (points: readonly { cost: number; score: number }[]): string =>
    points.length === 0 ? '' : `M${points.map(place).join('L')}`;
  const sorted = byCost(trained);
  return {
    cost,
    score,
    hull: line(hull),
    trained: line(sorted.map(valuesOf)),
    trainedBand: bandOf(sorted, line),
    shipped: line(byCost(shipped).map(valuesOf)),
  };
}

const valuesOf = ({ cost, score }: CurvePoint): { cost: number; score: number } => ({
  cost: cost.value,
  score: score.value,
});

const byCost = (points: readonly CurvePoint[]): CurvePoint[] =>
  [...points].sort((a, b) => a.cost.value - b.cost.value);

/** The area between the lower and the upper ends of the scores. */
function bandOf(
  points: readonly CurvePoint[],
  line: (points: readonly { cost: number; score: number }[]) => string,
): string {
  if (points.length === 0) return '';
  const upper = points.map(({ cost, score }) => ({ cost: cost.value, score: score.high }));
  const lower = points.map(({ cost, score }) => ({ cost: cost.value, score: score.low }));
  return `${line([...upper, ...lower.reverse()])}Z`;
}

function costAxis(points: readonly CurvePoint[], { left, width, right }: Frame): Axis {
  const values = points.flatMap(({ cost }) => [cost.low, cost.value, cost.high]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const steps = Math.max(2, Math.floor((width - left - right) / tickRoom));
  if (least <= 0 || most / least <= manyfold)
    return linearAxis([0, ...values], left, width - right, steps);
  const { across, ticks } = logCostAxis(values);
  return { ticks, at: (value) => left + across(value) * (width - right - left) };
}

/** A linear axis around some values, with about the given number of round ticks. */
export function linearAxis(
  values: readonly number[],
  from: number,
  to: number,
  steps: number,
): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || Math.abs(most) || 1;
  const step = roundStep(span / steps);
  const [low, high] = [Math.floor(least / step) * step, Math.ceil(most / step) * step];
  const whole = high - low || step;
  const count = Math.round(whole / step);
  return {
    ticks: Array.from({ length: count + 1 }, (_, at) => Number((low + at * step).toPrecision(10))),
    at: (value) => from + ((value - low) / whole) * (to - from),
  };
}

function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((one) => one * power >= least) ?? 10) * power;
}
