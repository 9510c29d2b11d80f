import { type Request, type Response, Router } from 'express';
import { GatewayError, invalidField } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { countRequest } from '../../pipeline/limits.js';
import { answerLogOf } from '../../pipeline/resume/recorded-answers.js';
import { authenticate } from '../authenticate.js';
import { methodNotAllowed } from '../bodies/validate.js';
import { contextOf } from '../context.js';
import { answer } from '../stage.js';
import { nativeErrorBody } from '../surfaces/native-error.js';
import type { Surface } from '../surfaces/surface.js';
import { track } from '../track.js';
import { followAnswer } from './follow-answer.js';

const native: Surface = {
  label: 'resources',
  invalidCode: 'validation_failed',
  errorBody: nativeErrorBody,
  errorLine: true,
};

/** `/api/v1/completions/{responseMessageId}/stream`: GET resumes a stream, DELETE cancels it. */
export function resumeRoutes(parts: GatewayParts): Router {
  const path = '/api/v1/completions/:id/stream';
  const access = [
    track(parts, native),
    authenticate(parts, { scope: 'completions', browsers: true }),
  ];
  const resume = answer((req, res) => {
    const { lastEventId } = req.query;
    return resumeStream(parts, req, res, {
      surface: native,
      firstId: 1,
      lastId: req.headers['last-event-id'] ?? lastEventId,
      field: lastEventId === undefined ? 'Last-Event-ID' : 'lastEventId',
    });
  });
  const cancel = answer(async (req, res) => {
    if (!(await cancelStream(parts, req, res))) throw noStream();
    res.status(204).end();
  });
  return Router()
    .get(path, ...access, resume)
    .delete(path, ...access, cancel)
    .all(path, ...access, methodNotAllowed('GET, DELETE'));
}

/** How a surface's clients name the last event that they have. */
export interface Resumption {
  readonly surface: Surface;
  readonly firstId: number;
  /** The id of the last event that the client has; undefined: it has none. */
  readonly lastId: unknown;
  /** The field or header with that id, for messages. */
  readonly field: string;
}

/**
 * Answers with the stream whose id is in the path, from an event on.
 * @throws GatewayError `not_found` if the account has none, or it is no longer kept
 */
export async function resumeStream(
  parts: GatewayParts,
  req: Request,
  res: Response,
  { surface, firstId, lastId, field }: Resumption,
): Promise<void> {
  const { request } = contextOf(parts, res);
  const { resumeMs, pingMs } = request.snapshot.limits;
  const after = lastId === undefined || lastId === '' ? 0 : eventNumber(lastId, firstId);
  if (after === null) throw invalidField(field, 'must be the id of an event', surface.invalidCode);
  if (resumeMs === 0) throw noStream();
  const log = answerLogOf(request.caller.accountId, String(req.params['id']));
  const end = await followAnswer(parts, res, {
    ...{ log, after, firstId, graceMs: resumeMs, pingMs, holdMs: 0 },
    ...{ isStream: true, canMove: true, surface, requestId: request.id },
    beforeWait: () => countRequest(parts, request),
  });
  if (end !== 'answered') throw noStream();
  parts.metrics.readAgain('resumed');
}

/** Cancels the call behind the stream whose id is in the path. False: the account has none. */
export async function cancelStream(
  parts: GatewayParts,
  req: Request,
  res: Response,
): Promise<boolean> {
  const { request } = contextOf(parts, res);
  if (request.snapshot.limits.resumeMs === 0) return false;
  const log = answerLogOf(request.caller.accountId, String(req.params['id']));
  return parts.state.answers.cancel(log, () => countRequest(parts, request));
}

/** How many events a client has whose last event has this id; null: the id is invalid. */
function eventNumber(id: unknown, firstId: number): number | null {
  const number = typeof id === 'string' && /^\d{1,9}$/.test(id) ? Number(id) : -1;
  return number >= firstId ? number - firstId + 1 : null;
}

const noStream = (): GatewayError =>
  new GatewayError('not_found', 'this account has no such stream, or it is no longer kept');
