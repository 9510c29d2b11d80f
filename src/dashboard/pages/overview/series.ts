import type { Schema } from '../../api/schema.js';
import {
  type ChartSeries,
  colorAt,
  errorColor,
  restColor,
  restOf,
} from '../../components/chart-columns.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How far back the overview looks. */
export const ranges = {
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
} as const;

export type Range = keyof typeof ranges;

/** The range that the address names; a day if it names none. */
export const rangeOf = (name: string | undefined): Range =>
  name !== undefined && Object.hasOwn(ranges, name) ? (name as Range) : '24h';

/** How often a range is asked for again: as often as its points can change visibly. */
export const refreshMs = (range: Range): number =>
  Math.min(minuteMs, Math.max(5_000, ranges[range] / 2_000));

/** A change against the time before. */
export interface Change {
  /** `+12%`, or in points of a percentage. */
  readonly text: string;
  readonly direction: 'up' | 'down' | 'same';
}

/** Relative change; null: there was nothing before. */
export function relativeChange(now: number | null, before: number | null): Change | null {
  if (now === null || before === null || before === 0) return null;
  const share = now / before - 1;
  const percent = Math.abs(share) * 100;
  if (percent < 0.5) return { text: '0%', direction: 'same' };
  const shown = percent >= 1_000 ? '>999' : percent.toFixed(percent < 10 ? 1 : 0);
  return { text: `${share > 0 ? '+' : '−'}${shown}%`, direction: share > 0 ? 'up' : 'down' };
}

/** Change of a share, in percentage points; null: one of them is unknown. */
export function pointsChange(now: number | null, before: number | null): Change | null {
  if (now === null || before === null) return null;
  const points = (now - before) * 100;
  if (Math.abs(points) < 0.05) return { text: '0 pt', direction: 'same' };
  return {
    text: `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pt`,
    direction: points > 0 ? 'up' : 'down',
  };
}

/** Errors per request; null without requests. */
export const errorRate = ({
  requests,
  errors,
}: {
  readonly requests: number;
  readonly errors: number;
}): number | null => (requests === 0 ? null : errors / requests);

/** Figures over time, as the API answers them. */
export type UsageSeries = Schema<'UsageSeriesResponse'>;
export type SeriesGroup = UsageSeries['groups'][number];

/** `<provider>/<model>`, or the text for requests without a model. */
export function groupName({ provider, model }: SeriesGroup, none: string): string {
  const names = [provider, model].filter((name) => typeof name === 'string' && name !== '');
  return names.length === 0 ? none : names.join('/');
}

type CountName = 'requests' | 'costUsd' | 'errors';

/** A figure of each model, and of the rest together. */
export function byModel(
  { groups, points }: UsageSeries,
  name: CountName,
  labels: { readonly none: string; readonly rest: string },
): ChartSeries[] {
  const parts = groups.map((group, index) => ({
    label: groupName(group, labels.none),
    values: group.points[name],
    color: colorAt(index),
  }));
  const rest = restOf(
    points[name],
    parts.map(({ values }) => values),
  );
  return rest === null ? parts : [...parts, { label: labels.rest, values: rest, color: restColor }];
}

/** Prompt and completion tokens. */
export const tokenSeries = (
  { points }: UsageSeries,
  labels: { readonly prompt: string; readonly completion: string },
): ChartSeries[] => [
  { label: labels.prompt, values: points.promptTokens, color: colorAt(0) },
  { label: labels.completion, values: points.completionTokens, color: colorAt(1) },
];

/** Errors per request at each time with requests. */
export const errorSeries = ({ points }: UsageSeries, label: string): ChartSeries[] => [
  {
    label,
    color: errorColor,
    values: points.requests.map((count, at) =>
      count === 0 ? null : (points.errors[at] ?? 0) / count,
    ),
  },
];

type Percentile = 'latencyP50Ms' | 'latencyP95Ms' | 'ttftP50Ms' | 'ttftP95Ms';

/** The median and the 95th percentile of all requests. */
export const percentiles = (
  { points }: UsageSeries,
  what: 'latency' | 'ttft',
  labels: { readonly p50: string; readonly p95: string },
): ChartSeries[] => [
  { label: labels.p50, values: points[`${what}P50Ms`], color: colorAt(0) },
  { label: labels.p95, values: points[`${what}P95Ms`], color: colorAt(1) },
];

/** One percentile of each model. */
export const percentileByModel = (
  { groups }: UsageSeries,
  name: Percentile,
  none: string,
): ChartSeries[] =>
  groups
    .map((group, index) => ({
      label: groupName(group, none),
      values: group.points[name],
      color: colorAt(index),
    }))
    .filter(({ values }) => values.some((value) => value !== null));
