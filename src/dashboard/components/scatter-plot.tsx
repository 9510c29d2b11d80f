import type { ReactNode } from 'react';
import { type Frame, placeNames, type PlotPoint } from './place-names.js';

/** A value of an axis: its place in px, and its words. */
interface Tick {
  readonly at: number;
  readonly words: string;
}

interface ScatterPlotProps {
  /** What it shows, for people who do not see it. */
  label: string;
  frame: Frame;
  costs: readonly Tick[];
  qualities: readonly Tick[];
  costTitle: string;
  points: readonly PlotPoint[];
  /** Lines and areas below the points. */
  children?: ReactNode;
}

/** Models by cost, to the right, and by quality, upwards; with intervals, and names kept apart. */
export function ScatterPlot(props: ScatterPlotProps) {
  const { label, frame, costs, qualities, costTitle, points, children } = props;
  const { width, height, left, right, bottom } = frame;
  const places = placeNames(
    points.map(({ x, y, name }) => ({ x, y, text: name })),
    { width, height: height - bottom },
  );
  return (
    <svg width={width} height={height} role="img" aria-label={label} className="scatter figures">
      {qualities.map(({ at, words }) => (
        <g key={words}>
          <line x1={left} x2={width - right} y1={at} y2={at} className="grid" />
          <text x={left - 6} y={at + 4} textAnchor="end">
            {words}
          </text>
        </g>
      ))}
      {costs.map(({ at, words }) => (
        <text key={words} x={at} y={height - 18} textAnchor="middle">
          {words}
        </text>
      ))}
      <text x={width - right} y={height - 3} textAnchor="end">
        {costTitle}
      </text>
      {children}
      {points.map(({ label: key, x, y, color, isLarge, ...ends }) => (
        <g key={key} stroke={color} strokeWidth={1.5}>
          <path d={`M${ends.left},${y}H${ends.right}M${x},${ends.top}V${ends.bottom}`} />
          <circle cx={x} cy={y} r={isLarge ? 7 : 5} fill={color} />
        </g>
      ))}
      {points.map(({ label: title, name, x, y }, at) => {
        const place = places[at]!;
        return (
          <g key={title}>
            <line x1={x} y1={y} x2={place.x} y2={place.y - 4} stroke="gray" />
            <text x={place.x} y={place.y} textAnchor={place.anchor}>
              <title>{title}</title>
              {name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
