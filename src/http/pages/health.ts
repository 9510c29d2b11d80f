import type { Request, RequestHandler, Response } from 'express';
import { withTimeout } from '../../async/with-timeout.js';
import type { Readiness } from '../../pipeline/engine/engine.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { findCaller, isCallerRequired, keyOf } from '../authenticate.js';
import { contextOf } from '../context.js';
import { isOwnHost } from '../keyless.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `GET /healthz`: 200 if the process can answer. */
export const healthz: RequestHandler = (_req, res) => {
  sendJson(res, 200, { status: 'ok' });
};

/**
 * `GET /readyz`: 200, or 503 while the gateway is stopping. An unreachable database is reported but
 * is no reason for 503, because completions work without it. Only those who may use the gateway
 * learn which providers there are.
 */
export const readyz = (parts: GatewayParts, state: () => Promise<Readiness>): RequestHandler =>
  answer(async (req, res) => {
    const { stopping, counters, database, ...details } = await state();
    const isShown = await withTimeout(mayUse(parts, req, res), keyTimeoutMs, () => false);
    if (stopping) res.setHeader('Retry-After', '5');
    sendJson(res, stopping ? 503 : 200, {
      status: stopping ? 'stopping' : 'ready',
      counters,
      database,
      ...(isShown ? details : {}),
    });
  });

/** How long the key may be looked up: a slow database must not delay the answer. */
const keyTimeoutMs = 500;

/** Whether the request has a valid key, or needs none. Never rejects: a wrong key changes nothing. */
async function mayUse(parts: GatewayParts, req: Request, res: Response): Promise<boolean> {
  const { snapshot } = contextOf(parts, res).request;
  if (!isCallerRequired(parts, snapshot)) return isOwnHost(req, snapshot.browser.hosts);
  const key = keyOf(req.headers);
  if (key === null) return false;
  return findCaller(parts, snapshot, req, key).then(
    (caller) => caller !== null,
    () => false,
  );
}
