import type { Request, RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import { type Act, acts, type AuditRow } from '../../store/contracts/audit.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { isoOrNull, listOf, pageRequestOf } from '../../resources/page-request.js';
import { accountParameter, spanParameters, textParameter } from '../../resources/query.js';

/**
 * `GET /api/v1/audit`: the administrative acts that concern the caller's account, newest first.
 * Administrators list another account with `?account=<id>`, all with `?account=all`.
 */
export function listActs(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req, ['account', 'act', 'from', 'to']);
    const filter = {
      accountId: accountParameter(req, callerOf(res)),
      act: actParameter(req),
      ...spanParameters(req),
    };
    const { store } = await parts.state.opened();
    sendJson(res, 200, listOf(await store.audit.list(filter, page), shownAct));
  });
}

function actParameter(req: Request): Act | null {
  const text = textParameter(req, 'act');
  if (text === null) return null;
  const act = acts.find((one) => one === text);
  if (act === undefined) throw invalidField('act', `must be one of: ${acts.join(', ')}`);
  return act;
}

function shownAct({ at, ...row }: AuditRow): object {
  return { object: 'act', ...row, at: isoOrNull(at) };
}
