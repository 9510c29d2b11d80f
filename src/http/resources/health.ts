import type { RequestHandler } from 'express';
import type { Readiness } from '../../pipeline/engine.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `GET /healthz`: the process answers. */
export const healthz: RequestHandler = (_req, res) => {
  sendJson(res, 200, { status: 'ok' });
};

/** `GET /readyz`: 200 with what can be called, 503 while the gateway is stopping. A database that is away is told of; completions go on without it. */
export function readyz(state: () => Promise<Readiness>): RequestHandler {
  return answer(async (_req, res) => {
    const { stopping, ...told } = await state();
    if (stopping) res.setHeader('Retry-After', '5');
    sendJson(res, stopping ? 503 : 200, { status: stopping ? 'stopping' : 'ready', ...told });
  });
}
