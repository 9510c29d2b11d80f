import type { RequestHandler } from 'express';
import type { CountersState } from '../../store/contracts/counters.js';
import type { DatabaseState } from '../../store/database-state.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `GET /healthz`: the process answers. */
export const healthz: RequestHandler = (_req, res) => {
  sendJson(res, 200, { status: 'ok' });
};

/** What a gateway says of itself. */
export interface Readiness {
  readonly stopping: boolean;
  readonly providers: readonly string[];
  /** Where limits and budgets are counted. */
  readonly counters: CountersState;
  readonly database: DatabaseState;
  /** Records that wait to be written. */
  readonly queued: number;
}

/** `GET /readyz`: 200 with what can be called, 503 while the gateway is stopping. A database that is away is told of; completions go on without it. */
export function readyz(state: () => Promise<Readiness>): RequestHandler {
  return answer(async (_req, res) => {
    const { stopping, ...told } = await state();
    if (stopping) res.setHeader('Retry-After', '5');
    sendJson(res, stopping ? 503 : 200, { status: stopping ? 'stopping' : 'ready', ...told });
  });
}
