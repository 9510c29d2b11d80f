import { failureSide, failureSides } from '../errors.js';
import { settledStore } from '../pipeline/engine/gateway-parts.js';
import type {
  RequestFilter,
  RequestOrder,
  RequestRow,
  RequestSummary,
} from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import { isSelection } from '../surface-labels.js';
import { pageOrFile } from './csv.js';
import { type Call, type Endpoint, endpointsOf } from './endpoint.js';
import { requestIntervals, seriesSpan, shownSpan } from './figures/series-span.js';
import { found, idOf, listOf, pageRequestOf } from './page-request.js';
import { queryParameter, shared } from './parameters.js';
import {
  accountParameter,
  boundParameters,
  choiceParameter,
  flagParameter,
  keyParameter,
  modelsParameter,
  spanParameters,
  statusParameter,
  textParameter,
} from './query.js';
import { timed } from './shown-fields.js';
import { namesIn } from '../text/is-object.js';

const endpoint = endpointsOf({ tag: 'Usage', scope: 'admin' });
const path = '/api/v1/requests';
const response = 'request.response';

const dayMs = 86_400_000;
/** Groups of failures, and keys of each. */
const maxFailures = 50;
const maxKeys = 10;

/** The parameters that select requests. */
const filters = [
  shared.account,
  shared.key,
  shared.provider,
  queryParameter(
    'model',
    "One or more of `<provider>/<model>`, separated by commas, or the models' names alone together with `provider`.",
  ),
  queryParameter('surface', 'Where it came in, such as `completions`.'),
  queryParameter('stream', '`true` or `false`: whether it asked for a stream.'),
  queryParameter('status', 'A status such as `429`, or a class such as `4xx`.'),
  queryParameter('code', 'An error code, such as `rate_limited`.'),
  queryParameter('failed', '`true`: requests with an error code; `false`: without.'),
  queryParameter(
    'failedBy',
    '`provider`: requests that providers failed; `refused`: those that were refused, by their key, a budget or what they ask; `client`: those whose client left.',
  ),
  queryParameter(
    'id',
    'The id of a request, the `X-Request-Id` that its client chose, or the id of a trace.',
  ),
  queryParameter('conversation', "A conversation's id."),
  queryParameter('minLatency', 'The minimum latency in ms.', 'number'),
  queryParameter('maxLatency', 'The maximum latency in ms.', 'number'),
  queryParameter('minCost', 'The minimum cost in USD.', 'number'),
  queryParameter('maxCost', 'The maximum cost in USD.', 'number'),
  shared.from,
  shared.to,
];
const orders: readonly RequestOrder[] = ['latency', 'cost', 'tokens'];
const parameters = [
  ...filters,
  queryParameter('sort', '`latency`, `cost` or `tokens`: the highest first. Default: the newest.'),
  shared.format,
];

/** As JSON page by page, or all as CSV. Administrators list another account, or all. */
const listRequests = endpoint('get', path, 'listRequests', {
  summary: "List the account's requests",
  response,
  isList: true,
  parameters,
  async run(call: Call) {
    const order = choiceParameter(call, 'sort', orders);
    const { store, filter } = await selected(call);
    return pageOrFile(call, parameters, {
      page: async () =>
        listOf(await store.requests.list(filter, pageRequestOf(call), order), shownRequest),
      table: () => ({
        name: 'requests',
        columns,
        row: (row: RequestSummary) => timed(row),
        read: (page) => store.requests.list(filter, page, order),
      }),
    });
  },
});

/** With stored content. Administrators see all accounts' requests, but only their own content. */
const getRequest = endpoint('get', `${path}/{id}`, 'getRequest', {
  summary: 'One request, with its plan and attempts',
  response,
  async run(call: Call) {
    const { role, accountId } = call.caller;
    const store = await settledStore(call.parts);
    const whose = role === 'admin' ? null : accountId;
    const row = found(await store.requests.find(whose, idOf(call)), 'id');
    const { attempts, content, plan: _plan, ...summary } = row;
    const { planId, surface } = row;
    const [key, account] = await Promise.all([
      row.keyId === null ? null : store.keys.find(null, row.keyId),
      store.accounts.find(row.accountId),
    ]);
    return {
      ...shownRequest({ ...summary, keyName: key?.name ?? null }),
      accountEmail: account?.email ?? null,
      plan: shownPlan(row.plan) ?? (await decisionOf(store, row)),
      attempts,
      grounding: groundingIn(row.plan),
      // the id of the request by which a second model answered it too; null: none did
      shadow:
        planId === null || surface === 'shadow'
          ? null
          : await store.shadows.ofPlan(row.accountId, planId),
      content: row.accountId === accountId ? content : null,
    };
  },
});

/** Exactly `from` to `to` are counted, by default the last day; the outer intervals may be cut. */
export const getRequestHistogram = endpoint('get', `${path}/histogram`, 'getRequestHistogram', {
  summary: 'How many requests there were over time, by the filters of their list',
  response: 'request-histogram.response',
  parameters: [
    ...filters,
    queryParameter(
      'interval',
      'The length of each interval: `1s`, `5s`, `10s`, `30s`, `1m`, `5m`, `10m`, `30m`, `1h`, `3h`, `6h`, `1d` or `7d`. Default: the shortest that makes at most 200.',
    ),
  ],
  async run(call: Call) {
    const span = seriesSpan(call, requestIntervals);
    const { store, filter } = await selected(call);
    const [requests, errors] = [0, 0].map(() => new Array<number>(span.points).fill(0));
    const bounds = { from: filter.from ?? span.from, to: filter.to ?? span.to };
    const grid = { start: span.from, intervalMs: span.intervalMs };
    for (const count of await store.requests.counts({ ...filter, ...bounds }, grid)) {
      requests![count.point] = count.requests;
      errors![count.point] = count.errors;
    }
    return { object: 'request_histogram', ...shownSpan(span), requests, errors };
  },
});

/** Of at most the last 90 days, by default the last day. */
export const getRequestFailures = endpoint('get', `${path}/failures`, 'getRequestFailures', {
  summary:
    'Why requests failed: the failed ones by code and provider, by the filters of their list',
  response: 'request-failures.response',
  parameters: filters,
  async run(call: Call) {
    const { store, filter } = await selected(call);
    const from = filter.from ?? (filter.to ?? Date.now()) - dayMs;
    const groups = await store.requests.failures({ ...filter, from }, maxFailures);
    return {
      object: 'list',
      items: groups.map(({ last, keys, ...group }) => ({
        ...group,
        failedBy: failureSide(group.code),
        last: timed(last),
        keys: keys.slice(0, maxKeys),
        keyCount: keys.length,
      })),
      next: null,
    };
  },
});

/** The request log. */
export const requestEndpoints: readonly Endpoint[] = [listRequests, getRequest];

/** What the parameters select. @throws GatewayError `validation_failed` that names the parameter */
async function selected(call: Call): Promise<{ store: Store; filter: RequestFilter }> {
  const filter = {
    accountId: accountParameter(call),
    surface: textParameter(call, 'surface'),
    stream: flagParameter(call, 'stream'),
    code: textParameter(call, 'code'),
    failed: flagParameter(call, 'failed'),
    failedBy: choiceParameter(call, 'failedBy', failureSides),
    id: textParameter(call, 'id'),
    conversationId: textParameter(call, 'conversation'),
    ...modelsParameter(call),
    ...statusParameter(call),
    ...boundParameters(call),
    ...spanParameters(call),
  };
  const store = await settledStore(call.parts);
  const keyIds = await keyParameter(call, store, filter.accountId);
  return { store, filter: { ...filter, keyIds } };
}

const columns = namesIn(`
  at id requestId accountId keyId keyName surface provider model status code error field
  latencyMs ttftMs promptTokens completionTokens costUsd estimatedUsd heldUsd stream
  conversationId responseId planId traceId
`);

/** What the request searched, read and did with tools is stored with its plan. */
const groundingIn = (plan: unknown): unknown =>
  (plan as { readonly grounding?: unknown } | null)?.grounding ?? null;

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

const shownRequest = (row: RequestSummary) => ({ object: 'request', ...timed(row) });
