import { invalidField } from '../errors.js';
import type { Parts } from '../pipeline/parts.js';
import { settledStore } from '../pipeline/settled-store.js';
import type { PeriodFilter, SeriesGrouping } from '../store/contracts/periods.js';
import type { Store } from '../store/contracts/store.js';
import { isoOf } from './page-request.js';
import { type Asked, keyParameter, modelParameters, textParameter } from './query.js';
import { type PointFigures, type SeriesColumns, SeriesSums } from './series-sums.js';
import { periodIntervals, seriesSpan } from './series-span.js';

/** The parameters of a series. */
export const seriesFilters = [
  'account',
  'key',
  'provider',
  'model',
  'from',
  'to',
  'interval',
  'by',
] as const;

/** Charts tell no more colours apart. */
const maxGroups = 8;

/** The fields of each grouping. */
const groupFields = {
  account: ['accountId'],
  key: ['keyId'],
  provider: ['provider'],
  model: ['provider', 'model'],
} as const satisfies Record<SeriesGrouping, readonly string[]>;

/** The figures of one group. */
export interface SeriesGroup {
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly accountId?: string;
  readonly keyId?: string | null;
  /** Of an issued key. */
  readonly keyName?: string | null;
  /** Of all requests, 0 to 1. */
  readonly share: number;
  readonly totals: PointFigures;
  readonly points: SeriesColumns;
}

/** PointFigures over time. */
export interface UsageSeries {
  readonly object: 'usage_series';
  readonly from: string;
  readonly to: string;
  readonly intervalSeconds: number;
  /** The start of each point. */
  readonly times: readonly string[];
  readonly points: SeriesColumns;
  readonly totals: PointFigures;
  /** Of the time before, which is as long. */
  readonly previous: PointFigures;
  /** The largest groups, largest first. */
  readonly groups: readonly SeriesGroup[];
}

/**
 * PointFigures of an account over time, by default of the last day.
 * @param accountId null: of all accounts
 * @throws GatewayError `validation_failed` that names the parameter
 */
export async function readSeries(
  parts: Parts,
  asked: Asked,
  accountId: string | null,
): Promise<UsageSeries> {
  const by = groupingOf(asked);
  const span = seriesSpan(asked, periodIntervals);
  const { from, to, intervalMs, points } = span;
  const store = await settledStore(parts);
  const keyIds = await keyParameter(asked, store, accountId);
  const filter = { accountId, keyIds, ...modelParameters(asked), from, to };
  const whole = new SeriesSums(points);
  whole.add(await store.periods.series(filter, { intervalMs, by: null }));
  const before = new SeriesSums(1);
  const earlier = { ...filter, from: from - (to - from), to: from };
  before.add(await store.periods.series(earlier, { intervalMs: null, by: null }));
  const totals = whole.totals();
  return {
    object: 'usage_series',
    from: isoOf(from),
    to: isoOf(to),
    intervalSeconds: intervalMs / 1_000,
    times: Array.from({ length: points }, (_, point) => isoOf(from + point * intervalMs)),
    points: whole.columns(),
    totals,
    previous: before.totals(),
    groups: by === null ? [] : await readGroups(store, filter, { ...span, by }, totals.requests),
  };
}

async function readGroups(
  { periods, keys }: Store,
  filter: PeriodFilter,
  { by, intervalMs, points }: { by: SeriesGrouping; intervalMs: number; points: number },
  requests: number,
): Promise<SeriesGroup[]> {
  const largest = await periods.groups(filter, by, maxGroups);
  const groups = new Map(largest.map((names) => [names.join('\n'), new SeriesSums(points)]));
  for (const row of await periods.series(filter, { intervalMs, by, groups: largest }))
    groups.get(row.group.join('\n'))?.add([row]);
  return Promise.all(
    largest.map(async (names) => {
      const sums = groups.get(names.join('\n')) ?? new SeriesSums(points);
      const totals = sums.totals();
      const key = by === 'key' && names[0] ? await keys.find(null, names[0]) : null;
      return {
        ...Object.fromEntries(groupFields[by].map((field, at) => [field, names[at] || null])),
        ...(by === 'key' ? { keyName: key?.name ?? null } : {}),
        share: requests === 0 ? 0 : totals.requests / requests,
        totals,
        points: sums.columns(),
      };
    }),
  );
}

function groupingOf(asked: Asked): SeriesGrouping | null {
  const by = textParameter(asked, 'by');
  if (by === null) return null;
  const isGrouping = (name: string): name is SeriesGrouping => Object.hasOwn(groupFields, name);
  if (isGrouping(by)) return by;
  throw invalidField('by', `must be one of: ${Object.keys(groupFields).join(', ')}`);
}
