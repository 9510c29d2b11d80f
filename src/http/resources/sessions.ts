import type { RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import type { SelectionRow } from '../../store/contracts/requests.js';
import { callerOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from '../../api/page-request.js';
import { settledStore } from '../../pipeline/engine/settled-store.js';

/** `GET /api/v1/sessions`: the first decision of each session, newest first. */
export function listSessions(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const store = await settledStore(parts);
    sendJson(
      res,
      200,
      listOf(await store.selections.list(callerOf(res).accountId, page), (row) => ({
        object: 'session',
        ...decisionOf(row),
      })),
    );
  });
}

/**
 * `GET /api/v1/sessions/{session_id}`: all decisions linked with this one by `previous_session`,
 * oldest first.
 */
export function readSession(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const [id, { accountId }] = [idOf(req, 'session_id'), callerOf(res)];
    const { ids } = parts.state;
    await ids.ready();
    if (!ids.isOf(id, accountId)) throw invalidField('session_id', 'not found', 'not_found');
    const store = await settledStore(parts);
    const group = await store.selections.group(accountId, id);
    if (group.length === 0) throw invalidField('session_id', 'not found', 'not_found');
    sendJson(res, 200, {
      object: 'session',
      session_id: id,
      group: group.map((row) => ({ ...decisionOf(row), ...candidatesOf(row) })),
    });
  });
}

/**
 * With the field names of model selection. The content is left out: only the request log shows it.
 */
function decisionOf({
  id,
  previousId,
  at,
  label,
  reason,
  tradeoff,
  preferenceId,
  keyId,
}: SelectionRow): object {
  return {
    session_id: id,
    previous_session: previousId,
    at: isoOrNull(at),
    llm_label: label,
    reason,
    tradeoff,
    preference_id: preferenceId,
    keyId,
  };
}

/** The candidates; `gate`, how familiar the request was, is stored with the first of them. */
function candidatesOf({ candidates }: SelectionRow): object {
  if (!Array.isArray(candidates)) return { candidates };
  const [first, ...others] = candidates as ({ gate?: number; kinds?: unknown } | null)[];
  if (first?.gate === undefined) return { candidates };
  // the internal numbers of the task kinds are used by the learner only
  const { gate, kinds: _kinds, ...shown } = first;
  return { gate, candidates: [shown, ...others] };
}
