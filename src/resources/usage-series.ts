import { invalidField } from '../errors.js';
import type { Parts } from '../pipeline/parts.js';
import { settledStore } from '../pipeline/settled-store.js';
import type {
  GroupNames,
  PeriodFilter,
  SeriesGrouping,
  SeriesRow,
} from '../store/contracts/periods.js';
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

/** Rows of one reading: groups and points. */
const maxRows = 20_000;

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
  const divided = await readDivided(store, filter, { intervalMs, by });
  const whole = new SeriesSums(points);
  whole.add(divided.rows);
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
    groups: by === null ? [] : await makeGroups(store, divided, { by, points }, totals.requests),
  };
}

interface DividedRows {
  /** All that the filter selects; split by group where that is the same reading. */
  readonly rows: readonly SeriesRow[];
  /** Of the largest groups, largest first. */
  readonly groups: readonly GroupRows[];
}

interface GroupRows {
  readonly names: GroupNames;
  readonly rows: SeriesRow[];
}

const nameOf = (group: GroupNames): string => group.join('\n');

/** Where the groups are not many, one reading has the sums of all of them and of the whole. */
async function readDivided(
  { periods }: Store,
  filter: PeriodFilter,
  { intervalMs, by }: { intervalMs: number; by: SeriesGrouping | null },
): Promise<DividedRows> {
  if (by === null) return { rows: await periods.series(filter, { intervalMs, by }), groups: [] };
  const rows = await periods.series(filter, { intervalMs, by, maxRows: maxRows + 1 });
  if (rows.length <= maxRows) return { rows, groups: byGroup(rows, largestOf(rows)) };
  const groups = await periods.groups(filter, by, maxGroups);
  return {
    rows: await periods.series(filter, { intervalMs, by: null }),
    groups: byGroup(await periods.series(filter, { intervalMs, by, groups }), groups),
  };
}

function byGroup(rows: readonly SeriesRow[], groups: readonly GroupNames[]): GroupRows[] {
  const all = new Map(groups.map((names) => [nameOf(names), { names, rows: [] as SeriesRow[] }]));
  for (const row of rows) all.get(nameOf(row.group))?.rows.push(row);
  return [...all.values()];
}

function largestOf(rows: readonly SeriesRow[]): GroupNames[] {
  const groups = new Map<string, { group: GroupNames; requests: number }>();
  for (const { group, measure, requests } of rows) {
    const one = groups.get(nameOf(group)) ?? { group, requests: 0 };
    if (measure !== 'ttft') one.requests += requests;
    groups.set(nameOf(group), one);
  }
  return [...groups]
    .sort(([a, one], [b, other]) => other.requests - one.requests || (a < b ? -1 : 1))
    .slice(0, maxGroups)
    .map(([, { group }]) => group);
}

function makeGroups(
  { keys }: Store,
  { groups }: DividedRows,
  { by, points }: { by: SeriesGrouping; points: number },
  requests: number,
): Promise<SeriesGroup[]> {
  return Promise.all(
    groups.map(async ({ names, rows }) => {
      const sums = new SeriesSums(points);
      sums.add(rows);
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
