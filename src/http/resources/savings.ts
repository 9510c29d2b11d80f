import type { RequestHandler } from 'express';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { accountParameter, refuseUnknown } from '../../api/query.js';
import { readSavings, savingsFilters } from '../../api/savings.js';
import { readShadowing, changeShadowing } from '../../api/shadowing.js';
import { callerOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `GET /api/v1/savings`: what choosing has saved, by default in the last 30 days. */
export function showSavings(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    refuseUnknown(req, savingsFilters);
    sendJson(res, 200, await readSavings(parts, req, accountParameter(req, callerOf(res))));
  });
}

/** `GET /api/v1/savings/shadowing`: whether the account's completions are sent to a second model. */
export function showShadowing(parts: GatewayParts): RequestHandler {
  return answer(async (_req, res) => {
    sendJson(res, 200, await readShadowing(parts, callerOf(res).accountId));
  });
}

/** `PUT /api/v1/savings/shadowing`: allows or forbids it. */
export function setShadowing(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { allowed } = req.body as { allowed: boolean };
    sendJson(res, 200, await changeShadowing(parts, callerOf(res).accountId, allowed));
  });
}
