import { GatewayError } from '../errors.js';
import { settledStore } from '../pipeline/engine/settled-store.js';
import type { RequestRow, RequestSummary } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import { isSelection } from '../surface-labels.js';
import { type Cell, csvFile, wantsCsv } from './csv.js';
import { type Call, endpoint, type Endpoint } from './endpoint.js';
import { formatParameter, histogramParameters, requestParameters } from './figures/parameters.js';
import {
  readHistogram,
  requestFilter,
  requestFilters,
  withKeys,
} from './figures/request-filter.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from './page-request.js';
import { accountParameter, refuseUnknown } from './query.js';

const filters = [...requestFilters, 'format'];
const fixed = { tag: 'Usage', method: 'get', scope: 'admin' } as const;
const path = '/api/v1/requests';
const response = 'request.response';

/** As JSON page by page, or all as CSV. Administrators list another account, or all. */
const listRequests = endpoint({
  ...fixed,
  path,
  id: 'listRequests',
  summary: "List the account's requests, newest first",
  response,
  isList: true,
  parameters: [...requestParameters, formatParameter],
  async run(call: Call) {
    const isCsv = wantsCsv(call);
    if (isCsv) refuseUnknown(call, filters);
    const page = isCsv ? null : pageRequestOf(call, filters);
    const wanted = requestFilter(call, accountParameter(call, call.caller));
    const store = await settledStore(call.parts);
    const filter = await withKeys(store, wanted, call);
    if (page) return listOf(await store.requests.list(filter, page), shownRequest);
    return csvFile({ ...table, read: (next) => store.requests.list(filter, next) });
  },
});

/**
 * With its content if that is stored. Administrators see the requests of all accounts, but only the
 * content of their own.
 */
const getRequest = endpoint({
  ...fixed,
  path: `${path}/{id}`,
  id: 'getRequest',
  summary: 'One request, with its plan and attempts',
  response,
  async run(call: Call) {
    const { role, accountId } = call.caller;
    const store = await settledStore(call.parts);
    const row = await store.requests.find(role === 'admin' ? null : accountId, idOf(call));
    if (!row) throw new GatewayError('not_found', 'id: not found', { field: 'id' });
    const { attempts, content, plan: _plan, ...summary } = row;
    const key = row.keyId === null ? null : await store.keys.find(null, row.keyId);
    return {
      ...shownRequest({ ...summary, keyName: key?.name ?? null }),
      plan: shownPlan(row.plan) ?? (await decisionOf(store, row)),
      attempts,
      grounding: groundingIn(row.plan),
      shadow: await shadowOf(store, row),
      content: row.accountId === accountId ? content : null,
    };
  },
});

/** By default in the last day. */
const getRequestHistogram = endpoint({
  ...fixed,
  path: `${path}/histogram`,
  id: 'getRequestHistogram',
  summary: 'How many requests there were over time, by the filters of their list',
  response: 'request-histogram.response',
  parameters: histogramParameters,
  run(call: Call) {
    refuseUnknown(call, [...requestFilters, 'interval']);
    const wanted = requestFilter(call, accountParameter(call, call.caller));
    return readHistogram(call.parts, call, wanted);
  },
});

/** The request log. */
export const requestEndpoints: readonly Endpoint[] = [listRequests, getRequest];

/** How many requests there were. */
export const histogramEndpoints: readonly Endpoint[] = [getRequestHistogram];

const columns = [
  'at',
  'id',
  'requestId',
  'accountId',
  'keyId',
  'keyName',
  'surface',
  'provider',
  'model',
  'status',
  'code',
  'error',
  'field',
  'latencyMs',
  'ttftMs',
  'promptTokens',
  'completionTokens',
  'costUsd',
  'stream',
  'conversationId',
  'responseId',
  'planId',
] as const;

const table = {
  name: 'requests',
  columns,
  row: (request: RequestSummary): Cell[] => {
    const shown: Record<string, Cell> = { ...request, at: isoOrNull(request.at) };
    return columns.map((column) => shown[column]);
  },
};

/** What the request searched, read and did with tools is stored with its plan. */
const groundingIn = (plan: unknown): unknown =>
  (plan as { readonly grounding?: unknown } | null)?.grounding ?? null;

/** The id of the request by which a second model answered it too; null: none did. */
async function shadowOf(
  { shadows }: Store,
  { accountId, planId, surface }: RequestRow,
): Promise<string | null> {
  return planId === null || surface === 'shadow' ? null : shadows.ofPlan(accountId, planId);
}

/** The plan of a model selection is stored with its decision. */
async function decisionOf(
  { selections }: Store,
  { surface, planId, accountId }: RequestRow,
): Promise<object | null> {
  if (!isSelection(surface) || planId === null) return null;
  const decision = (await selections.group(accountId, planId)).find(({ id }) => id === planId);
  return decision
    ? {
        reason: decision.reason,
        candidates: Array.isArray(decision.candidates)
          ? decision.candidates.map(shownPlan)
          : decision.candidates,
      }
    : null;
}

/** Without `kinds`, the internal numbers of the task kinds, and what is shown beside the plan. */
function shownPlan(plan: unknown): unknown {
  if (typeof plan !== 'object' || plan === null) return plan;
  const { kinds: _kinds, grounding: _grounding, ...shown } = plan as Record<string, unknown>;
  return shown;
}

const shownRequest = ({ at, ...row }: RequestSummary): object => ({
  object: 'request',
  ...row,
  at: isoOrNull(at),
});
