import type { Request, RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import { type Act, acts, type AuditRow } from '../../store/contracts/audit.js';
import { callerOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { isoOrNull, listOf, pageRequestOf } from '../../api/page-request.js';
import { type Cell, sendCsv, wantsCsv } from './csv.js';
import { accountParameter, refuseUnknown, spanParameters, textParameter } from '../../api/query.js';

const filters = ['account', 'act', 'from', 'to', 'format'];

/**
 * `GET /api/v1/audit`: the administrative acts that concern the caller's account, newest first, as
 * JSON page by page or all as CSV.
 * Administrators list another account with `?account=<id>`, all with `?account=all`.
 */
export function listActs(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const isCsv = wantsCsv(req);
    if (isCsv) refuseUnknown(req, filters);
    const page = isCsv ? null : pageRequestOf(req, filters);
    const filter = {
      accountId: accountParameter(req, callerOf(res)),
      act: actParameter(req),
      ...spanParameters(req),
    };
    const { store } = await parts.state.opened();
    if (page) sendJson(res, 200, listOf(await store.audit.list(filter, page), shownAct));
    else await sendCsv(res, { ...table, read: (next) => store.audit.list(filter, next) });
  });
}

const columns = [
  'at',
  'id',
  'act',
  'accountId',
  'target',
  'actor',
  'actorAccountId',
  'actorKeyId',
  'address',
  'details',
] as const;

const table = {
  name: 'audit',
  columns,
  row: ({ at, details, ...act }: AuditRow): Cell[] => {
    const shown: Record<string, Cell> = {
      ...act,
      at: isoOrNull(at),
      details: details === null ? null : JSON.stringify(details),
    };
    return columns.map((column) => shown[column]);
  },
};

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
