import { scaleLinear, scaleLog } from 'd3-scale';
import type { Point } from '../../../src/chooser/training/custom/cost-curve.js';
import { formatShare } from './format-figures.js';
import type { Box } from './place-labels.js';

/** Where the curves are drawn, in pixels. */
export const frame: Box = { x: 56, y: 58, width: 640, height: 386 };

const bottom = frame.y + frame.height;
const right = frame.x + frame.width;

/** Costs and scores as pixels. */
export interface PlotScales {
  /** From USD for one request. */
  readonly x: (cost: number) => number;
  /** From a score of 0 to 1. */
  readonly y: (score: number) => number;
  /** Grid lines and their labels as SVG elements. */
  readonly axes: readonly string[];
}

/** A pixel position as text. */
export const pixel = (value: number): string => value.toFixed(1);

/** The path of a curve through points in pixels. */
export const pathThrough = (points: readonly (readonly [x: number, y: number])[]): string =>
  `M${points.map((point) => point.map((value) => Number(pixel(value))).join(',')).join('L')}`;

/** The scales that show all given points with a margin. Costs are logarithmic. */
export function createScales(points: readonly Point[]): PlotScales {
  const dollars = points.map(({ cost }) => cost * 1000).filter((dollar) => dollar > 0);
  const scores = points.map(({ score }) => score);
  const x = scaleLog()
    .domain([Math.min(...dollars) / 1.3, Math.max(...dollars) * 1.6])
    .range([frame.x, right]);
  const y = scaleLinear()
    .domain([Math.min(...scores) - 0.01, Math.max(...scores) + 0.01])
    .range([bottom, frame.y])
    .nice(20);
  const isRound = (dollar: number): boolean => /^[125]/.test(dollar.toExponential());
  return {
    x: (cost) => x(cost * 1000),
    y,
    axes: [
      ...x
        .ticks()
        .filter(isRound)
        .map((dollar) => verticalLine(x(dollar), `$${dollar}`)),
      ...y
        .ticks(8)
        .filter(isWholePercent)
        .map((score) => horizontalLine(y(score), formatShare(score))),
      `<text class="soft" x="${frame.x + frame.width / 2}" y="${bottom + 38}" text-anchor="middle">cost of 1,000 requests (USD, logarithmic)</text>`,
    ],
  };
}

const isWholePercent = (share: number): boolean =>
  Math.abs(100 * share - Math.round(100 * share)) < 1e-6;

function verticalLine(x: number, label: string): string {
  const at = pixel(x);
  return `<line class="grid" x1="${at}" x2="${at}" y1="${frame.y}" y2="${bottom}"/><text class="soft" x="${at}" y="${bottom + 17}" text-anchor="middle">${label}</text>`;
}

function horizontalLine(y: number, label: string): string {
  const at = pixel(y);
  return `<line class="grid" x1="${frame.x}" x2="${right}" y1="${at}" y2="${at}"/><text class="soft" x="${frame.x - 8}" y="${pixel(y + 4)}" text-anchor="end">${label}</text>`;
}
