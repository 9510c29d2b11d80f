import { invalidField } from '../../errors.js';
import { settledStore } from '../../pipeline/engine/gateway-parts.js';
import type { Page, PageRequest } from '../../store/contracts/page.js';
import type { UsageGrouping, UsageRow } from '../../store/contracts/requests.js';
import { pageOrFile } from '../csv.js';
import { roundedUsd } from './series-sums.js';
import { type Call, endpointsOf } from '../endpoint.js';
import { type List, listOf, pageRequestOf } from '../page-request.js';
import { queryParameter, shared, summedRequests } from '../parameters.js';
import {
  accountParameter,
  keyParameter,
  modelParameters,
  spanParameters,
  textParameter,
  type WithQuery,
} from '../query.js';
import { isoOf } from '../shown-fields.js';
import { namesIn } from '../../text/is-object.js';

const endpoint = endpointsOf({ tag: 'Usage', scope: 'admin' });

const dayMs = 86_400_000;
const defaultDays = 30;
const maxDays = 366;
const maxRows = 1_000;

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

const parameters = [
  queryParameter('limit', 'Rows per page, from 1 to 1000. Default: 1000.', 'integer'),
  shared.cursor,
  ...summedRequests,
  queryParameter(
    'by',
    'How the sums are grouped: one or more of `day`, `provider`, `model`, `key` and `account`, separated by commas. Default: `day,model`.',
  ),
];
const withFormat = [...parameters, shared.format];

/** The sums that a call selects, by default by day and model of the last 30 days. */
async function selected(call: Call) {
  const accountId = accountParameter(call);
  const by = groupingsOf(call);
  const span = usageSpan(call);
  const named = modelParameters(call);
  const store = await settledStore(call.parts);
  const keyIds = await keyParameter(call, store, accountId);
  const filter = { accountId, keyIds, ...named, ...span };
  const read = async (page: PageRequest): Promise<Page<UsageRow>> => {
    const { items, next } = await store.requests.usage(filter, by, page);
    return { items: items.map(roundedUsd), next };
  };
  return { by, span, read };
}

const described = {
  summary: 'Sums of requests, tokens and cost over whole UTC days',
  response: 'usage.response',
} as const;

/** A page of sums. They are stored longer than the requests. */
export const getUsageSums = endpoint('get', '/api/v1/usage', 'getUsage', {
  ...described,
  parameters,
  async run(call: Call): Promise<UsageSums> {
    const page = pageRequestOf(call, { normal: maxRows, max: maxRows });
    const { span, read } = await selected(call);
    const [first, last] = [span.from, span.to - 1].map((at) => isoOf(at).slice(0, 10));
    return { from: first!, to: last!, ...listOf(await read(page), (sums) => sums) };
  },
});

/** The same over HTTP: as JSON page by page, or all as CSV. */
export const getUsage = endpoint('get', '/api/v1/usage', 'getUsage', {
  ...described,
  parameters: withFormat,
  run: (call: Call) =>
    pageOrFile(call, withFormat, {
      page: async () => getUsageSums.run(call),
      table: async () => {
        const { by, read } = await selected(call);
        const columns = [...new Set(by.flatMap((grouping) => [...groupings[grouping]])), ...counts];
        return { name: 'usage', columns, row: (sums: UsageRow) => ({ ...sums }), read };
      },
    }),
});

const counts = namesIn(`
  requests errors promptTokens completionTokens costUsd estimatedUsd heldUsd cacheSavedUsd refused
  clientClosed
`);
