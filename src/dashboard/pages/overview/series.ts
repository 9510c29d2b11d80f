import type { Schema } from '../../api/client.js';
import {
  type ChartSeries,
  colorAt,
  errorColor,
  restColor,
  restOf,
} from '../../components/chart-columns.js';

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
