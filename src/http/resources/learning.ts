import type { Request, RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import type { Retraction } from '../../routing/predictor/take-back.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import { actingOf } from '../audit.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { shownLearning } from '../../training/online/shown-scope.js';
import { idOf, isoOrNull } from '../../resources/page-request.js';
import { refuseUnknown, timeParameter, textParameter } from '../../resources/query.js';

/**
 * `GET /api/v1/learning` and `GET /api/v1/preferences/{id}/learning`: what was learned from
 * feedback, signals and outcomes.
 */
export function readLearning(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { scope, exploration } = await scopeOf(parts, req, callerOf(res).accountId);
    const { enabled, implicit } = parts.current().routing.learning;
    const { preferenceId } = scope;
    sendJson(
      res,
      200,
      shownLearning(
        { preferenceId, enabled, implicit, exploration },
        await parts.state.learning.show(scope),
      ),
    );
  });
}

/**
 * `DELETE` of both: forgets what was learned, or the part that `from`, `key` and `model` name; the
 * next choice no longer uses it.
 */
export function forgetLearning(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { accountId } = callerOf(res);
    const { scope } = await scopeOf(parts, req, accountId);
    const retraction = await retractionOf(parts, req, accountId);
    await parts.state.forgetLearning(scope, retraction);
    await actingOf(parts, req, res).record({
      act: 'learning.forget',
      target: scope.preferenceId === '' ? null : scope.preferenceId,
      ...(retraction ? { details: detailsOf(retraction) } : {}),
    });
    res.status(204).end();
  });
}

/** Null: everything. @throws GatewayError `bad_request` for another parameter */
async function retractionOf(
  { state }: Parts,
  req: Request,
  accountId: string,
): Promise<Retraction | null> {
  refuseUnknown(req, ['from', 'key', 'model']);
  const [from, key, model] = [
    timeParameter(req, 'from'),
    textParameter(req, 'key'),
    textParameter(req, 'model'),
  ];
  if (from === null && key === null && model === null) return null;
  if (key === null) return { from, keys: null, model };
  const { store } = await state.opened();
  // a key that was revoked long ago is known by its id alone
  return { from, keys: [key, ...(await store.keys.idsOf(accountId, key))], model };
}

const detailsOf = ({ from, keys, model }: Retraction): object => ({
  ...(from === null ? {} : { from: isoOrNull(from) }),
  ...(keys === null ? {} : { key: keys.at(-1) }),
  ...(model === null ? {} : { model }),
});

/**
 * The account's scope, or that of the preference in the path.
 * @throws GatewayError `not_found` if the preference does not exist or belongs to another account
 */
async function scopeOf(
  { state, current }: Parts,
  req: Request,
  accountId: string,
): Promise<{ scope: LearningScope; exploration: number }> {
  const { exploration } = current().routing.learning;
  if (req.params['id'] === undefined)
    return { scope: { accountId, preferenceId: '' }, exploration };
  const { store } = await state.opened();
  const preference = await store.preferences.find(accountId, idOf(req));
  if (!preference)
    throw new GatewayError('not_found', 'preference_id: not found', { field: 'preference_id' });
  return {
    scope: { accountId, preferenceId: preference.id },
    exploration: preference.settings.exploration ?? exploration,
  };
}
