import type { RequestHandler } from 'express';
import type { Readiness } from '../../pipeline/engine.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `GET /healthz`: 200 if the process can answer. */
export const healthz: RequestHandler = (_req, res) => {
  sendJson(res, 200, { status: 'ok' });
};

/**
 * `GET /readyz`: 200 with what can be called, 503 while the gateway is stopping. An unreachable
 * database is reported but is no reason for 503, because completions work without it.
 */
export function readyz(state: () => Promise<Readiness>): RequestHandler {
  return answer(async (_req, res) => {
    const { stopping, ...readiness } = await state();
    if (stopping) res.setHeader('Retry-After', '5');
    sendJson(res, stopping ? 503 : 200, { status: stopping ? 'stopping' : 'ready', ...readiness });
  });
}
