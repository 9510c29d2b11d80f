import type { Schema } from '../../api/schema.js';
import {
  type ChartSeries,
  colorAt,
  colorsOf,
  restColor,
  restOf,
} from '../../components/chart-columns.js';
import { texts } from '../../texts/texts.js';
import { namedIn, spans } from '../requests/filters.js';

const text = texts.overview;

/** How far back the overview looks. */
export const ranges = { ...spans, '90d': 90 * spans['24h'] } as const;

export type Range = keyof typeof ranges;

/** The range that the address names; a day if it names none. */
export const rangeOf = (name: string | undefined): Range => namedIn(ranges, name);

/**
 * The range where the address names none: a day, and on the gateway's first day the shortest range
 * with all of its requests.
 * @param day the figures of a day; absent: they have not come
 */
export function defaultRange(day: UsageSeries | undefined, now = Date.now()): Range {
  const first = day?.points.requests.findIndex((count) => count > 0) ?? -1;
  const since = day?.times[first];
  if (!day || since === undefined || day.previous.requests > 0) return '24h';
  return (['1h', '6h'] as const).find((range) => Date.parse(since) >= now - ranges[range]) ?? '24h';
}

/** How often a range is asked for again: as often as its points can change visibly. */
export const refreshMs = (range: Range): number =>
  Math.min(60_000, Math.max(5_000, ranges[range] / 2_000));

/** A change against the time before. */
export interface Change {
  /** `+12%`, points of a percentage, or `new`. */
  readonly text: string;
  readonly direction: 'up' | 'down' | 'same';
}

/**
 * Whether figures are compared with those of the period before. @param requests in that period: a
 * few tell nothing, and none makes the figures new
 */
export const isCompared = (requests: number): boolean => requests === 0 || requests >= 20;

/** More than this is no change but something new. */
const maxShownPercent = 999;

/** Relative change; null: nothing can be compared. */
export function relativeChange(now: number | null, before: number | null): Change | null {
  if (now === null || before === null || (before === 0 && now === 0)) return null;
  const share = now / before - 1;
  const percent = Math.abs(share) * 100;
  if (percent < 0.5) return { text: '0%', direction: 'same' };
  if (share > 0 && percent > maxShownPercent) return { text: 'new', direction: 'up' };
  const shown = percent.toFixed(percent < 10 ? 1 : 0);
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

type ErrorCounts = Pick<UsageSeries['totals'], 'requests' | 'errors' | 'refused' | 'clientClosed'>;

/** Requests that providers failed: neither refused, nor left by their clients. */
export const providerErrors = ({ errors, refused, clientClosed }: ErrorCounts): number =>
  Math.max(0, errors - refused - clientClosed);

/** The share of requests that providers failed; null without requests. */
export const errorRate = (counts: ErrorCounts): number | null =>
  counts.requests === 0 ? null : providerErrors(counts) / counts.requests;

/** The list of the requests that filters select, in the time and the accounts of the overview. */
export function requestsHref(
  filters: Readonly<Record<string, string | null>>,
  { range, account }: Shown,
): string {
  const search = new URLSearchParams({
    range: ranges[range] > ranges['30d'] ? '30d' : range,
    ...(account === undefined ? { account: 'own' } : {}),
  });
  for (const [name, value] of Object.entries(filters)) if (value !== null) search.set(name, value);
  return `/requests?${search}`;
}

/** What the overview shows. */
export interface Shown {
  readonly range: Range;
  /** `all`, or the reader's own. */
  readonly account: string | undefined;
}

/** What asks the API for that time, up to now. */
export const spanQuery = ({ range, account }: Shown) => ({
  from: String(Date.now() - ranges[range]),
  ...(account === undefined ? {} : { account }),
});

/** Figures over time, as the API answers them. */
export type UsageSeries = Schema<'UsageSeriesResponse'>;
export type SeriesGroup = UsageSeries['groups'][number];

/** `<provider>/<model>`, or the text for requests without a model or of models that have no name. */
export const groupName = ({ provider, model }: SeriesGroup): string =>
  provider === 'other' && model === 'other'
    ? text.rest
    : [provider, model].filter(Boolean).join('/') || text.noModel;

/** The requests of a model, of those that are not summed up under another name. */
export const modelHref = (
  { provider, model }: SeriesGroup,
  span: Shown,
  more: Readonly<Record<string, string>> = {},
): string | null =>
  provider && model && provider !== 'other' && model !== 'other'
    ? requestsHref({ model: `${provider}/${model}`, ...more }, span)
    : null;

/** A figure of each model over time, with a link to its requests. */
const figureOf = <Name extends keyof SeriesGroup['points']>(
  groups: readonly SeriesGroup[],
  name: Name,
  span: Shown,
) => {
  const colors = colorsOf(groups.map(groupName));
  return groups.map((group, at) => ({
    href: modelHref(group, span),
    label: groupName(group),
    values: group.points[name],
    color: colors[at] ?? restColor,
  }));
};

/** A figure of each model that has some of it, and of the rest together. */
export function byModel(
  { groups, points }: UsageSeries,
  name: 'requests' | 'costUsd',
  span: Shown,
): ChartSeries[] {
  // models without a name are of the rest
  const parts = figureOf(groups, name, span).filter(({ label }) => label !== text.rest);
  const rest = restOf(
    points[name],
    parts.map(({ values }) => values),
  );
  const drawn = parts.filter(({ values }) => values.some(Boolean));
  const shown = drawn.length === 0 ? parts : drawn;
  return rest === null ? shown : [...shown, { label: text.rest, values: rest, color: restColor }];
}

/** Prompt and completion tokens. @param href of their requests */
export const tokenSeries = ({ points }: UsageSeries, href: string): ChartSeries[] => [
  { href, label: texts.common.prompt, values: points.promptTokens, color: colorAt(0) },
  { href, label: text.completion, values: points.completionTokens, color: colorAt(1) },
];

/** The share of requests that providers failed, at each time with requests. */
export const errorRates = ({ points }: UsageSeries): (number | null)[] =>
  points.requests.map((requests, at) => {
    const of = (name: 'errors' | 'refused' | 'clientClosed'): number => points[name][at] ?? 0;
    const [errors, refused, clientClosed] = [of('errors'), of('refused'), of('clientClosed')];
    return errorRate({ requests, errors, refused, clientClosed });
  });

/** The median and the 95th percentile of all requests. @param href of these */
export const percentiles = (
  { points }: UsageSeries,
  what: 'latency' | 'ttft',
  href: string,
): ChartSeries[] => [
  { href, label: text.median, values: points[`${what}P50Ms`], color: colorAt(0) },
  { href, label: text.worst, values: points[`${what}P95Ms`], color: colorAt(1) },
];

/** One percentile of each model. */
export const percentileByModel = (
  { groups }: UsageSeries,
  name: 'latencyP50Ms' | 'latencyP95Ms' | 'ttftP50Ms' | 'ttftP95Ms',
  span: Shown,
): ChartSeries[] =>
  figureOf(groups, name, span).filter(({ values }) => values.some((value) => value !== null));
