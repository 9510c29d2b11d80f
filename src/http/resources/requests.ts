import type { RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import type { RequestRow } from '../../store/contracts/requests.js';
import type { Store } from '../../store/contracts/store.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from './page-request.js';
import {
  accountParameter,
  modelParameters,
  spanParameters,
  statusParameter,
  textParameter,
} from './query.js';
import { settledStore } from './settled-store.js';

/**
 * `GET /api/v1/requests`: the account's requests, newest first. Administrators list another account
 * with `account=<id>`, all with `account=all`.
 */
export function listRequests(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const filter = {
      accountId: accountParameter(req, callerOf(res)),
      keyId: textParameter(req, 'key'),
      ...modelParameters(req),
      ...statusParameter(req),
      ...spanParameters(req),
    };
    const store = await settledStore(parts);
    sendJson(res, 200, listOf(await store.requests.list(filter, page), shownRequest));
  });
}

/**
 * `GET /api/v1/requests/{id}`: one request with its plan and attempts, and its content if that is
 * stored.
 */
export function readRequest(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { role, accountId } = callerOf(res);
    const store = await settledStore(parts);
    const row = await store.requests.find(role === 'admin' ? null : accountId, idOf(req));
    if (!row) throw new GatewayError('not_found', 'id: not found', { field: 'id' });
    const { attempts, content } = row;
    sendJson(res, 200, {
      ...shownRequest(row),
      plan: shownPlan(row.plan) ?? (await decisionOf(store, row)),
      attempts,
      content,
    });
  });
}

/** The plan of a model selection is stored with its decision. */
async function decisionOf(
  { selections }: Store,
  { surface, planId, accountId }: RequestRow,
): Promise<object | null> {
  if (surface !== 'model_select' || planId === null) return null;
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

/** Without `kinds`, the internal numbers of the task kinds, which only the learner uses. */
function shownPlan(plan: unknown): unknown {
  if (typeof plan !== 'object' || plan === null || !('kinds' in plan)) return plan;
  const { kinds: _kinds, ...shown } = plan;
  return shown;
}

function shownRequest({
  at,
  plan: _plan,
  attempts: _attempts,
  content: _content,
  ...row
}: RequestRow): object {
  return { object: 'request', ...row, at: isoOrNull(at) };
}
