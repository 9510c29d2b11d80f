import uPlot from 'uplot';
import { axisLabel, roundTicks } from '../format/numbers.js';
import { durationSteps } from '../format/times.js';
import { type ChartSeries, stacked } from './chart-columns.js';

/** `stacked`: bars on top of each other; `lines`: durations in ms. */
export type ChartKind = 'stacked' | 'lines';

/** The columns that the chart draws: times in seconds, then the series, the topmost layer first. */
export function chartData(
  times: readonly number[],
  series: readonly ChartSeries[],
  kind: ChartKind,
): uPlot.AlignedData {
  const seconds = times.map((time) => time / 1_000);
  if (kind === 'lines') return [seconds, ...series.map(({ values }) => [...values])];
  return [seconds, ...stacked(series).reverse()];
}

interface Drawn {
  readonly names: readonly (readonly [label: string, color: string])[];
  readonly kind: ChartKind;
  /** Of a variable of the theme, which a canvas does not know. */
  readonly colorOf: (variable: string) => string;
  readonly width: number;
  readonly height: number;
  readonly group: string | undefined;
  readonly format: (value: number) => string;
  readonly onMove: (index: number | null) => void;
  readonly onSelect: ((from: number, to: number) => void) | undefined;
}

const hour = 3_600;
const day = 24 * hour;

/** The options of a chart. */
export function chartOptions(drawn: Drawn): uPlot.Options {
  const { width, height, group, onMove, onSelect } = drawn;
  return {
    width,
    height,
    legend: { show: false },
    // at the right, half of a time on the axis
    padding: [8, 20, 0, 0],
    cursor: {
      y: false,
      points: { show: drawn.kind === 'lines' },
      drag: { x: onSelect !== undefined, y: false, setScale: false },
      ...(group === undefined ? {} : { sync: { key: group } }),
    },
    scales: {
      x: { range: (plot, min, max) => [min, max + stepOf(plot)] },
      y: { range: (_plot, _min, max) => [0, ticksOf(drawn, max).at(-1) ?? 1] },
    },
    axes: axesOf(drawn),
    series: [{}, ...seriesOf(drawn)],
    hooks: {
      setCursor: [({ cursor: { idx } }) => onMove(idx ?? null)],
      setSelect: [(plot) => tellSelection(plot, onSelect)],
    },
  };
}

/** The last interval ends one step after its start. */
function stepOf({ data: [times] }: uPlot): number {
  const [first, second] = times;
  return first === undefined || second === undefined ? 60 : second - first;
}

function tellSelection(plot: uPlot, onSelect: Drawn['onSelect']): void {
  const { left, width } = plot.select;
  if (!onSelect || width < 3) return;
  const [from, to] = [left, left + width].map((place) => plot.posToVal(place, 'x') * 1_000);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (from !== undefined && to !== undefined) onSelect(Math.floor(from), Math.ceil(to));
}

function seriesOf({ names, kind }: Drawn): uPlot.Series[] {
  const bars = uPlot.paths.bars?.({ size: [0.86, 40], align: 1 });
  const all = names.map(([label, color]): uPlot.Series =>
    kind === 'lines'
      ? { label, stroke: color, width: 1.75, points: { show: true, size: 3 }, spanGaps: true }
      : { label, stroke: color, fill: color, width: 0, points: { show: false }, paths: bars },
  );
  return kind === 'stacked' ? all.reverse() : all;
}

const xAxisHeight = 28;
const labelOf = ({ format }: Drawn, value: number): string => axisLabel(format(value));

/** The axis ends at a round value, and this one is the highest that it has. */
const ticksOf = (drawn: Drawn, highest: number): number[] =>
  roundTicks(
    highest > 0 ? highest : 1,
    Math.max(2, Math.floor((drawn.height - xAxisHeight) / 30)),
    drawn.kind === 'lines' ? durationSteps : undefined,
    (value) => labelOf(drawn, value),
  );

function axesOf(drawn: Drawn): uPlot.Axis[] {
  const shared: uPlot.Axis = {
    stroke: drawn.colorOf('--mantine-color-dimmed'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: drawn.colorOf('--grid-color'), width: 1 },
    ticks: { show: false },
  };
  const wordings = (_plot: uPlot, values: number[], _axis: number, _space: number, step: number) =>
    values.map((value) => timeLabel(value, step));
  return [
    { ...shared, grid: { show: false }, size: xAxisHeight, space: 64, values: wordings },
    {
      ...shared,
      size: 68,
      splits: (_plot, _axis, _min, max) => ticksOf(drawn, max),
      values: (_plot, values) => values.map((value) => labelOf(drawn, value)),
    },
  ];
}

/** A time on the axis, in the reader's zone: a clock within a day, else the day. */
function timeLabel(seconds: number, step: number): string {
  const at = new Date(seconds * 1_000);
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  if (step >= day || (isMidnight && step >= hour))
    return at.toLocaleDateString('en', { month: 'short', day: 'numeric' });
  return at.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
