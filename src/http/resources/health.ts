import type { RequestHandler } from 'express';
import { sendJson } from '../send-json.js';

/** `GET /healthz`: the process answers. */
export const healthz: RequestHandler = (_req, res) => {
  sendJson(res, 200, { status: 'ok' });
};

/** `GET /readyz`: 200 with what can be called, 503 while the gateway is stopping. */
export function readyz(state: () => { stopping: boolean; providers: readonly string[] }): RequestHandler {
  return (_req, res) => {
    const { stopping, providers } = state();
    if (stopping) res.setHeader('Retry-After', '5');
    sendJson(res, stopping ? 503 : 200, { status: stopping ? 'stopping' : 'ready', providers });
  };
}
