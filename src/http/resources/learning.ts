import type { Request, RequestHandler } from 'express';
import type { Caller } from '../../accounts/caller.js';
import { GatewayError, invalidField } from '../../errors.js';
import type { Retraction } from '../../chooser/chooser.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import { apiContextOf } from '../audit.js';
import { checkScope } from '../authenticate.js';
import { callerOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull } from '../../api/page-request.js';
import { refuseUnknown, timeParameter, textParameter } from '../../api/query.js';

/**
 * `GET /api/v1/learning` and `GET /api/v1/preferences/{id}/learning`: what was learned from
 * feedback, signals and outcomes.
 */
export function readLearning(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { scope, exploration } = await scopeOf(parts, req, callerOf(res).accountId);
    const { enabled, implicit } = parts.current().routing.learning;
    const { preferenceId } = scope;
    sendJson(
      res,
      200,
      await parts.state.chooser.show(scope, { preferenceId, enabled, implicit, exploration }),
    );
  });
}

/**
 * `DELETE` of both: forgets what was learned, or the part that `from`, `key` and `model` name; the
 * next choice no longer uses it. Needs the scope `admin`; a key without it may take back what came
 * with itself.
 */
export function forgetLearning(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const caller = callerOf(res);
    const retraction = await retractionOf(parts, req, caller.accountId);
    if (!isOwn(retraction, caller)) checkScope(caller, 'admin');
    const { scope } = await scopeOf(parts, req, caller.accountId);
    const isAny = await parts.state.chooser.forget(scope, retraction);
    if (!isAny && retraction && (retraction.keys ?? retraction.model) !== null)
      throw new GatewayError(
        'not_found',
        'nothing was forgotten: nothing was learned that the parameters name',
      );
    await apiContextOf(parts, req, res).record({
      act: 'learning.forget',
      target: scope.preferenceId === '' ? null : scope.preferenceId,
      ...(retraction ? { details: detailsOf(retraction) } : {}),
    });
    res.status(204).end();
  });
}

/** Whether it takes back only what came with the caller's own key. */
const isOwn = (retraction: Retraction | null, { keyId }: Caller): boolean =>
  keyId !== null && Boolean(retraction?.keys?.every((key) => key === keyId));

const filters = ['from', 'key', 'model'] as const;

/**
 * Null: everything.
 * @throws GatewayError `bad_request` for another parameter, `validation_failed` for an empty one: a
 * variable of a script that was never set must not forget everything
 */
async function retractionOf(
  { state }: GatewayParts,
  req: Request,
  accountId: string,
): Promise<Retraction | null> {
  refuseUnknown(req, filters);
  for (const name of filters)
    if (req.query[name] === '') throw invalidField(name, 'must not be empty');
  const [from, key, model] = [
    timeParameter(req, 'from'),
    textParameter(req, 'key'),
    textParameter(req, 'model'),
  ];
  if (from === null && key === null && model === null) return null;
  if (key === null) return { from, keys: null, model };
  const { store } = await state.opened();
  const ids = await store.keys.idsOf(accountId, key);
  // a key that was revoked long ago is known by its id alone
  return { from, keys: ids.length > 0 ? ids : [key], model };
}

const detailsOf = ({ from, keys, model }: Retraction): object => ({
  ...(from === null ? {} : { from: isoOrNull(from) }),
  ...(keys === null ? {} : { key: keys[0] }),
  ...(model === null ? {} : { model }),
});

/**
 * The account's scope, or that of the preference in the path.
 * @throws GatewayError `not_found` if the preference does not exist or belongs to another account
 */
async function scopeOf(
  { state, current }: GatewayParts,
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
