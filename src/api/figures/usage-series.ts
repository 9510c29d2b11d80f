import { settledStore } from '../../pipeline/engine/gateway-parts.js';
import type {
  GroupNames,
  PeriodFilter,
  SeriesGrouping,
  SeriesRow,
} from '../../store/contracts/periods.js';
import type { Store } from '../../store/contracts/store.js';
import { type Call, endpointsOf } from '../endpoint.js';
import { queryParameter, summedRequests } from '../parameters.js';
import { accountParameter, choiceParameter, keyParameter, modelParameters } from '../query.js';
import { periodIntervals, seriesSpan, shownSpan } from './series-span.js';
import { addSeriesRows, SeriesSums } from './series-sums.js';

const endpoint = endpointsOf({ tag: 'Usage', scope: 'admin' });

/** Charts tell no more colours apart. */
const maxGroups = 8;

/** Rows of one reading: groups and points. */
const maxRows = 20_000;

const groupFields = {
  account: ['accountId'],
  key: ['keyId'],
  provider: ['provider'],
  model: ['provider', 'model'],
} as const satisfies Record<SeriesGrouping, readonly string[]>;

/** By default of the last day. */
export const getUsageSeries = endpoint('get', '/api/v1/usage/series', 'getUsageSeries', {
  summary: 'Requests, errors, tokens, cost and latencies over time',
  description:
    'By default of the last day, at most 200 points. Percentiles are of answered calls of models, within 5 %.',
  response: 'usage-series.response',
  parameters: [
    ...summedRequests,
    queryParameter(
      'interval',
      'The length of each point: `1m`, `5m`, `10m`, `30m`, `1h`, `3h`, `6h` or `1d`. Default: the shortest that makes at most 200 points and for which figures are kept.',
    ),
    queryParameter(
      'by',
      'Also the figures of each `model`, `provider`, `key` or `account`, of the 8 largest. Default: none.',
    ),
  ],
  async run(call: Call) {
    const accountId = accountParameter(call);
    const by = choiceParameter(call, 'by', Object.keys(groupFields) as SeriesGrouping[]);
    const span = seriesSpan(call, periodIntervals);
    const { from, to, intervalMs, points } = span;
    const store = await settledStore(call.parts);
    const keyIds = await keyParameter(call, store, accountId);
    const filter = { accountId, keyIds, ...modelParameters(call), from, to };
    const { whole, groups } = await sumDivided(store, filter, { intervalMs, by, points });
    // of the time before, which is as long
    const before = new SeriesSums(1);
    const earlier = { ...filter, from: from - (to - from), to: from };
    const rows = await store.periods.series(earlier, { intervalMs: null, by: null });
    addSeriesRows(rows, () => [before]);
    const totals = whole.totals();
    return {
      object: 'usage_series',
      ...shownSpan(span),
      points: whole.columns(),
      totals,
      previous: before.totals(),
      groups: by === null ? [] : await makeGroups(store, groups, by, totals.requests),
    };
  },
});

interface GroupSums {
  readonly names: GroupNames;
  readonly sums: SeriesSums;
}

const nameOf = (group: GroupNames): string => group.join('\n');

/**
 * The sums of all that the filter selects, and of the largest groups, largest first. Where the groups
 * are not many, one reading has the sums of all of them and of the whole.
 */
async function sumDivided(
  { periods }: Store,
  filter: PeriodFilter,
  { intervalMs, by, points }: { intervalMs: number; by: SeriesGrouping | null; points: number },
): Promise<{ whole: SeriesSums; groups: readonly GroupSums[] }> {
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
): Promise<object[]> {
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
