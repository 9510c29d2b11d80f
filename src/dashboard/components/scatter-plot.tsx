import type { ReactNode } from 'react';
import { shortNames } from '../format/outcomes.js';
import { type Axis, type Frame, placeNames, type PlotPoint } from './place-names.js';

interface WordedAxis extends Axis {
  readonly wordsOf: (value: number) => string;
}

interface ShownPoint extends PlotPoint {
  readonly color: string;
  /** Stands after its name, and makes it larger. */
  readonly role?: string;
}

interface ScatterPlotProps {
  /** What it shows, for people who do not see it. */
  label: string;
  frame: Frame;
  cost: WordedAxis;
  quality: WordedAxis;
  costTitle: string;
  points: readonly ShownPoint[];
  /** Lines and areas below the points. */
  children?: ReactNode;
}

/** Models by cost, to the right, and by quality, upwards; with intervals, and names kept apart. */
export function ScatterPlot(props: ScatterPlotProps) {
  const { label, frame, cost, quality, costTitle, points, children } = props;
  const { width, height, left, right, bottom } = frame;
  const names = shortNames(points.map((point) => point.label));
  const marks = points.map((point, at) => ({
    x: cost.at(point.cost.value),
    y: quality.at(point.quality.value),
    text: `${names[at] ?? ''}${point.role ? ` (${point.role})` : ''}`,
  }));
  const places = placeNames(marks, { width, height: height - bottom });
  return (
    <svg width={width} height={height} role="img" aria-label={label} className="scatter figures">
      {quality.ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={left}
            x2={width - right}
            y1={quality.at(tick)}
            y2={quality.at(tick)}
            className="grid"
          />
          <text x={left - 6} y={quality.at(tick) + 4} textAnchor="end">
            {quality.wordsOf(tick)}
          </text>
        </g>
      ))}
      {cost.ticks.map((tick) => (
        <text key={tick} x={cost.at(tick)} y={height - 18} textAnchor="middle">
          {cost.wordsOf(tick)}
        </text>
      ))}
      <text x={width - right} y={height - 3} textAnchor="end">
        {costTitle}
      </text>
      {children}
      {points.map(({ label: key, color, role, ...point }, at) => {
        const { x, y } = marks[at]!;
        const [from, to] = [cost.at(point.cost.low), cost.at(point.cost.high)];
        const [top, end] = [quality.at(point.quality.high), quality.at(point.quality.low)];
        return (
          <g key={key} stroke={color} strokeWidth={1.5}>
            <path d={`M${from},${y}H${to}M${x},${top}V${end}`} />
            <circle cx={x} cy={y} r={role ? 7 : 5} fill={color} />
          </g>
        );
      })}
      {points.map(({ label: title }, at) => {
        const [{ x, y, text }, place] = [marks[at]!, places[at]!];
        return (
          <g key={title}>
            <line x1={x} y1={y} x2={place.x} y2={place.y - 4} stroke="gray" />
            <text x={place.x} y={place.y} textAnchor={place.anchor}>
              <title>{title}</title>
              {text}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
