import type { Request, RequestHandler, Response } from 'express';
import { GatewayError, invalidField } from '../../errors.js';
import type { TrainingRecord } from '../../store/contracts/trainings.js';
import { bodyLimits } from '../body-limits.js';
import { callerOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { evaluationLines } from '../../api/evaluations.js';
import { idOf, isoOrNull } from '../../api/page-request.js';
import { whyPassedOverNow } from '../../api/preferences.js';
import type { TrainingBody } from '../../api/endpoint.js';
import { readTrainingBody } from '../training/training-body.js';

/**
 * @param passedOver why requests do not use the preference's trained router; null if they use it,
 * or there is none
 */
function shownTraining(
  { id, preferenceId, state, progress, doing, report, error, createdAt, updatedAt }: TrainingRecord,
  passedOver: string | null,
): object {
  return {
    object: 'training',
    id,
    preferenceId,
    state,
    progress,
    doing,
    report,
    error,
    passedOver,
    createdAt: isoOrNull(createdAt),
    updatedAt: isoOrNull(updatedAt),
  };
}

/**
 * Reads the evaluations of a request, up to `limits.maxBodyBytes`.
 * @throws GatewayError as `readTrainingBody`
 */
export function evaluationsIn(
  parts: GatewayParts,
  req: Request,
  res: Response,
): Promise<TrainingBody> {
  return readTrainingBody(req, bodyLimits(parts, res));
}

/**
 * Queues the training of a preference's own router.
 * @throws GatewayError `not_found`, `conflict`, `validation_failed`, `unavailable`
 */
export async function startTraining(
  parts: GatewayParts,
  accountId: string,
  preferenceId: string,
  { text, wishes, hasCollected }: TrainingBody,
): Promise<TrainingRecord> {
  // checked before the rows are read, which takes a while
  await requirePreference(parts, accountId, preferenceId);
  const { chooser } = parts.state;
  if (!hasCollected) return chooser.train(accountId, preferenceId, text, wishes);
  const collected = await evaluationLines(parts, accountId);
  const collectedLength = collected.length;
  if (collectedLength + text.length === 0)
    throw invalidField('evaluations', 'no prompt of the evaluation set has scores');
  return chooser.train(accountId, preferenceId, collected + text, { ...wishes, collectedLength });
}

/** @throws GatewayError `not_found` */
async function requirePreference(
  { state }: GatewayParts,
  accountId: string,
  preferenceId: string,
): Promise<void> {
  const { store } = await state.opened();
  if (!(await store.preferences.find(accountId, preferenceId))) throw notFound('preference_id');
}

const notFound = (what: string): GatewayError =>
  new GatewayError('not_found', `${what}: not found`, { field: what });

async function passedOver(
  parts: GatewayParts,
  { accountId, preferenceId }: TrainingRecord,
): Promise<string | null> {
  const { store } = await parts.state.opened();
  const preference = await store.preferences.find(accountId, preferenceId);
  return preference && whyPassedOverNow(parts, preference);
}

/** `POST /api/v1/preferences/{id}/training`. */
export function createTraining(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    // before the body is read, which may be large
    await requirePreference(parts, callerOf(res).accountId, idOf(req));
    const body = await evaluationsIn(parts, req, res);
    const training = await startTraining(parts, callerOf(res).accountId, idOf(req), body);
    sendJson(res, 202, shownTraining(training, await passedOver(parts, training)));
  });
}

/** `GET /api/v1/preferences/{id}/training`: the last training. */
export function readTraining(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { store } = await parts.state.opened();
    const [training] = await store.trainings.latest(callerOf(res).accountId, [idOf(req)]);
    if (!training) throw notFound('training');
    sendJson(res, 200, shownTraining(training, await passedOver(parts, training)));
  });
}

/** `DELETE /api/v1/preferences/{id}/training`: deletes the trained router and its training. */
export function removeTraining(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { accountId } = callerOf(res);
    const { store } = await parts.state.opened();
    const preference = await store.preferences.find(accountId, idOf(req));
    if (!preference || !(await store.trainings.remove(accountId, preference.id)))
      throw notFound('training');
    parts.state.chooser.preferenceChanged(preference);
    res.status(204).end();
  });
}
