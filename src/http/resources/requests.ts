import type { RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import type { RequestRow, RequestSummary } from '../../store/contracts/requests.js';
import type { Store } from '../../store/contracts/store.js';
import { callerOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from '../../api/page-request.js';
import { type Cell, sendCsv, wantsCsv } from './csv.js';
import { accountParameter, refuseUnknown } from '../../api/query.js';
import {
  readHistogram,
  requestFilter,
  requestFilters,
  withKeys,
} from '../../api/figures/request-filter.js';
import { settledStore } from '../../pipeline/engine/settled-store.js';
import { isSelection } from '../../surface-labels.js';

const filters = [...requestFilters, 'format'];

/**
 * `GET /api/v1/requests`: the account's requests, newest first, as JSON page by page or all as CSV.
 * Administrators list another account with `account=<id>`, all with `account=all`.
 */
export function listRequests(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const isCsv = wantsCsv(req);
    if (isCsv) refuseUnknown(req, filters);
    const page = isCsv ? null : pageRequestOf(req, filters);
    const wanted = requestFilter(req, accountParameter(req, callerOf(res)));
    const store = await settledStore(parts);
    const filter = await withKeys(store, wanted, req);
    if (page) sendJson(res, 200, listOf(await store.requests.list(filter, page), shownRequest));
    else await sendCsv(res, { ...table, read: (next) => store.requests.list(filter, next) });
  });
}

/**
 * `GET /api/v1/requests/histogram`: how many requests the filters of the list select over time, by
 * default in the last day.
 */
export function readRequestHistogram(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    refuseUnknown(req, [...requestFilters, 'interval']);
    const wanted = requestFilter(req, accountParameter(req, callerOf(res)));
    sendJson(res, 200, await readHistogram(parts, req, wanted));
  });
}

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

/**
 * `GET /api/v1/requests/{id}`: one request with its plan and attempts, and its content if that is
 * stored. Administrators see the requests of all accounts, but only the content of their own.
 */
export function readRequest(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { role, accountId } = callerOf(res);
    const store = await settledStore(parts);
    const row = await store.requests.find(role === 'admin' ? null : accountId, idOf(req));
    if (!row) throw new GatewayError('not_found', 'id: not found', { field: 'id' });
    const { attempts, content, plan: _plan, ...summary } = row;
    const key = row.keyId === null ? null : await store.keys.find(null, row.keyId);
    sendJson(res, 200, {
      ...shownRequest({ ...summary, keyName: key?.name ?? null }),
      plan: shownPlan(row.plan) ?? (await decisionOf(store, row)),
      attempts,
      grounding: groundingIn(row.plan),
      shadow: await shadowOf(store, row),
      content: row.accountId === accountId ? content : null,
    });
  });
}

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
