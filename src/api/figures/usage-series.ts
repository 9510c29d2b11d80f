import { invalidField } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { settledStore } from '../../pipeline/engine/settled-store.js';
import type {
  GroupNames,
  PeriodFilter,
  SeriesGrouping,
  SeriesRow,
} from '../../store/contracts/periods.js';
import type { Store } from '../../store/contracts/store.js';
import { isoOf } from '../page-request.js';
import { type WithQuery, keyParameter, modelParameters, textParameter } from '../query.js';
import { addSeriesRows, type PointFigures, type SeriesColumns, SeriesSums } from './series-sums.js';
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
  parts: GatewayParts,
  asked: WithQuery,
  accountId: string | null,
): Promise<UsageSeries> {
  const by = groupingOf(asked);
  const span = seriesSpan(asked, periodIntervals);
  const { from, to, intervalMs, points } = span;
  const store = await settledStore(parts);
  const keyIds = await keyParameter(asked, store, accountId);
  const filter = { accountId, keyIds, ...modelParameters(asked), from, to };
  const { whole, groups } = await sumDivided(store, filter, { intervalMs, by, points });
  const before = new SeriesSums(1);
  const earlier = { ...filter, from: from - (to - from), to: from };
  addSeriesRows(await store.periods.series(earlier, { intervalMs: null, by: null }), () => [
    before,
  ]);
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
    groups: by === null ? [] : await makeGroups(store, groups, by, totals.requests),
  };
}

interface DividedSums {
  /** Of all that the filter selects. */
  readonly whole: SeriesSums;
  /** Of the largest groups, largest first. */
  readonly groups: readonly GroupSums[];
}

interface GroupSums {
  readonly names: GroupNames;
  readonly sums: SeriesSums;
}

interface Division {
  readonly intervalMs: number;
  readonly by: SeriesGrouping | null;
  readonly points: number;
}

const nameOf = (group: GroupNames): string => group.join('\n');

/** Where the groups are not many, one reading has the sums of all of them and of the whole. */
async function sumDivided(
  { periods }: Store,
  filter: PeriodFilter,
  { intervalMs, by, points }: Division,
): Promise<DividedSums> {
  const whole = new SeriesSums(points);
  const rows =
    by === null ? null : await periods.series(filter, { intervalMs, by, maxRows: maxRows + 1 });
  if (rows && rows.length <= maxRows) {
    const groups = groupSums(largestOf(rows), points);
    addSeriesRows(rows, (row) => [whole, ...sumsOf(groups, row)]);
    return { whole, groups: [...groups.values()] };
  }
  const names = by === null ? [] : await periods.groups(filter, by, maxGroups);
  const groups = groupSums(names, points);
  addSeriesRows(await periods.series(filter, { intervalMs, by: null }), () => [whole]);
  addSeriesRows(await periods.series(filter, { intervalMs, by, groups: names }), (row) =>
    sumsOf(groups, row),
  );
  return { whole, groups: [...groups.values()] };
}

type Groups = ReadonlyMap<string, GroupSums>;

const groupSums = (names: readonly GroupNames[], points: number): Groups =>
  new Map(names.map((one) => [nameOf(one), { names: one, sums: new SeriesSums(points) }]));

/** None if the row's group is not among the largest. */
function sumsOf(groups: Groups, { group }: SeriesRow): SeriesSums[] {
  const found = groups.get(nameOf(group));
  return found ? [found.sums] : [];
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
  groups: readonly GroupSums[],
  by: SeriesGrouping,
  requests: number,
): Promise<SeriesGroup[]> {
  return Promise.all(
    groups.map(async ({ names, sums }) => {
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

function groupingOf(asked: WithQuery): SeriesGrouping | null {
  const by = textParameter(asked, 'by');
  if (by === null) return null;
  const isGrouping = (name: string): name is SeriesGrouping => Object.hasOwn(groupFields, name);
  if (isGrouping(by)) return by;
  throw invalidField('by', `must be one of: ${Object.keys(groupFields).join(', ')}`);
}
