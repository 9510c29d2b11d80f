import { invalidField } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { settledStore } from '../pipeline/engine/settled-store.js';
import type { Page, PageRequest } from '../store/contracts/page.js';
import type { UsageGrouping, UsageRow } from '../store/contracts/requests.js';
import { csvFile, type CsvTable, wantsCsv } from './csv.js';
import { type Call, endpoint, type Endpoint, type FileAnswer } from './endpoint.js';
import { seriesParameters, usageParameters } from './figures/parameters.js';
import { readSeries, seriesFilters } from './figures/usage-series.js';
import { type List, listOf, pageRequestOf } from './page-request.js';
import {
  accountParameter,
  refuseUnknown,
  type WithQuery,
  keyParameter,
  modelParameters,
  spanParameters,
  textParameter,
} from './query.js';

const dayMs = 86_400_000;
const defaultDays = 30;
const maxDays = 366;
const maxRows = 1_000;

/** The size of the pages of usage. */
const usagePages = { normal: maxRows, max: maxRows };

/** The filters of usage, as parameters name them. */
const usageFilters = ['account', 'key', 'provider', 'model', 'from', 'to', 'by'] as const;

/** What sums can be grouped by, and the fields of each. */
const groupings = {
  day: ['day'],
  provider: ['provider'],
  model: ['provider', 'model'],
  key: ['keyId', 'keyName'],
  account: ['accountId'],
} as const satisfies Record<UsageGrouping, readonly (keyof UsageRow)[]>;

/** Sums over whole UTC days, newest day first, then by name. */
export interface UsageSums extends List<UsageRow> {
  /** The first and the last day, `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
}

/** The sums that a question selects. */
interface SelectedUsage {
  readonly by: readonly UsageGrouping[];
  /** One page of the sums. */
  read(page: PageRequest): Promise<Page<UsageRow>>;
  /** One page as the API returns it. */
  show(page: PageRequest): Promise<UsageSums>;
}

/**
 * Selects sums of an account's usage, by default by day and model of the last 30 days.
 * @param accountId null: of all accounts
 * @throws GatewayError `validation_failed` that names the parameter
 */
async function selectUsage(
  parts: GatewayParts,
  asked: WithQuery,
  accountId: string | null,
): Promise<SelectedUsage> {
  const by = groupingsOf(asked);
  const { from, to } = usageSpan(asked);
  const wanted = { accountId, ...modelParameters(asked), from, to };
  const store = await settledStore(parts);
  const filter = { ...wanted, keyIds: await keyParameter(asked, store, accountId) };
  const read = async (page: PageRequest): Promise<Page<UsageRow>> => {
    const { items, next } = await store.requests.usage(filter, by, page);
    return { items: items.map(rounded), next };
  };
  const days = { from: utcDay(from), to: utcDay(to - 1) };
  const show = async (page: PageRequest): Promise<UsageSums> => ({
    ...days,
    ...listOf(await read(page), (sums) => sums),
  });
  return { by, read, show };
}

/** Rounded, because sums of binary fractions have trailing digits. */
const rounded = (sums: UsageRow): UsageRow => ({
  ...sums,
  costUsd: Math.round(sums.costUsd * 1e9) / 1e9,
  cacheSavedUsd: Math.round(sums.cacheSavedUsd * 1e9) / 1e9,
});

function groupingsOf(asked: WithQuery): UsageGrouping[] {
  const names = (textParameter(asked, 'by') ?? 'day,model').split(',').map((name) => name.trim());
  const isGrouping = (name: string): name is UsageGrouping => Object.hasOwn(groupings, name);
  if (!names.every(isGrouping))
    throw invalidField('by', `must be one or more of: ${Object.keys(groupings).join(', ')}`);
  return [...new Set(names)];
}

/** The period that `from` and `to` name, by default the last 30 days. @throws GatewayError */
export function usageSpan(asked: WithQuery): { from: number; to: number } {
  const span = spanParameters(asked);
  const to = span.to ?? Math.max(Date.now() + 1, (span.from ?? 0) + 1);
  const from = span.from ?? to - defaultDays * dayMs;
  if (to - from > maxDays * dayMs)
    throw invalidField('from', `must be at most ${maxDays} days before to`);
  return { from, to };
}

/** UTC, `YYYY-MM-DD`. */
const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

const counts = [
  'requests',
  'errors',
  'promptTokens',
  'completionTokens',
  'costUsd',
  'cacheSavedUsd',
] as const;
const filters = [...usageFilters, 'format'];
const fixed = { tag: 'Usage', method: 'get', scope: 'admin' } as const;

/** A page of the sums that a call selects. @throws GatewayError `validation_failed` */
export async function usageSums(
  call: Call,
  known: readonly string[] = usageFilters,
): Promise<UsageSums> {
  const page = pageRequestOf(call, known, usagePages);
  return (await selectUsage(call.parts, call, accountParameter(call, call.caller))).show(page);
}

/** As JSON page by page, or all as CSV. They are stored longer than the requests. */
export const getUsage = endpoint({
  ...fixed,
  path: '/api/v1/usage',
  id: 'getUsage',
  summary: 'Sums of requests, tokens and cost over whole UTC days',
  response: 'usage.response',
  parameters: usageParameters,
  async run(call: Call): Promise<UsageSums | FileAnswer> {
    if (!wantsCsv(call)) return usageSums(call, filters);
    refuseUnknown(call, filters);
    return csvFile(
      tableOf(await selectUsage(call.parts, call, accountParameter(call, call.caller))),
    );
  },
});

/** By default of the last day. */
const getUsageSeries = endpoint({
  ...fixed,
  path: '/api/v1/usage/series',
  id: 'getUsageSeries',
  summary: 'Requests, errors, tokens, cost and latencies over time',
  description:
    'By default of the last day, at most 200 points. Percentiles are of answered calls of models, within 5 %.',
  response: 'usage-series.response',
  parameters: seriesParameters,
  run(call: Call) {
    refuseUnknown(call, seriesFilters);
    return readSeries(call.parts, call, accountParameter(call, call.caller));
  },
});

/** Sums of usage. */
export const usageEndpoints: readonly Endpoint[] = [getUsage];

/** Usage over time. */
export const seriesEndpoints: readonly Endpoint[] = [getUsageSeries];

function tableOf({ by, read }: SelectedUsage): CsvTable<UsageRow> {
  const columns = [...new Set(by.flatMap((grouping) => [...groupings[grouping]])), ...counts];
  return { name: 'usage', columns, row: (sums) => columns.map((column) => sums[column]), read };
}
