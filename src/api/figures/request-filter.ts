import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { settledStore } from '../../pipeline/engine/settled-store.js';
import type { RequestFilter } from '../../store/contracts/requests.js';
import type { Store } from '../../store/contracts/store.js';
import { isoOf } from '../page-request.js';
import {
  type WithQuery,
  boundParameters,
  flagParameter,
  keyParameter,
  modelsParameter,
  spanParameters,
  statusParameter,
  textParameter,
} from '../query.js';
import { requestIntervals, seriesSpan } from './series-span.js';

/** The filters of the request log, as parameters name them. */
export const requestFilters = [
  'account',
  'key',
  'provider',
  'model',
  'surface',
  'stream',
  'status',
  'code',
  'failed',
  'conversation',
  'minLatency',
  'maxLatency',
  'minCost',
  'maxCost',
  'from',
  'to',
] as const;

/**
 * The filter that the parameters name, except for `key`.
 * @param accountId null: of all accounts
 * @throws GatewayError `validation_failed` that names the parameter
 */
export function requestFilter(asked: WithQuery, accountId: string | null): RequestFilter {
  return {
    accountId,
    surface: textParameter(asked, 'surface'),
    stream: flagParameter(asked, 'stream'),
    code: textParameter(asked, 'code'),
    failed: flagParameter(asked, 'failed'),
    conversationId: textParameter(asked, 'conversation'),
    ...modelsParameter(asked),
    ...statusParameter(asked),
    ...boundParameters(asked),
    ...spanParameters(asked),
  };
}

/** The filter with the keys that `key` names. @throws GatewayError `validation_failed` */
export async function withKeys(
  store: Store,
  filter: RequestFilter,
  asked: WithQuery,
): Promise<RequestFilter> {
  return { ...filter, keyIds: await keyParameter(asked, store, filter.accountId) };
}

/** Counts of requests over time. */
export interface RequestHistogram {
  readonly object: 'request_histogram';
  readonly from: string;
  readonly to: string;
  readonly intervalSeconds: number;
  /** The start of each interval. */
  readonly times: readonly string[];
  readonly requests: readonly number[];
  readonly errors: readonly number[];
}

/**
 * How many requests a filter selects over time, by default in the last day. Exactly `from` to `to`
 * are counted, so the first and the last interval may be cut.
 * @throws GatewayError `validation_failed` that names the parameter
 */
export async function readHistogram(
  parts: GatewayParts,
  asked: WithQuery,
  wanted: RequestFilter,
): Promise<RequestHistogram> {
  const { from, to, intervalMs, points } = seriesSpan(asked, requestIntervals);
  const store = await settledStore(parts);
  const filter = await withKeys(store, wanted, asked);
  const [requests, errors] = [new Array<number>(points).fill(0), new Array<number>(points).fill(0)];
  const bounds = { from: wanted.from ?? from, to: wanted.to ?? to };
  const grid = { start: from, intervalMs };
  for (const count of await store.requests.counts({ ...filter, ...bounds }, grid)) {
    requests[count.point] = count.requests;
    errors[count.point] = count.errors;
  }
  return {
    object: 'request_histogram',
    from: isoOf(from),
    to: isoOf(to),
    intervalSeconds: intervalMs / 1_000,
    times: Array.from({ length: points }, (_, point) => isoOf(from + point * intervalMs)),
    requests,
    errors,
  };
}
