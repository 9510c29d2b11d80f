import type { Request, RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import type { ShownLearning } from '../../training/online/learning-cache.js';
import type { Beliefs } from '../../routing/predictor/online-beliefs.js';
import { otherKinds } from '../../routing/predictor/online-evidence.js';
import { beliefsOf, fadedServed } from '../../routing/predictor/online-learner.js';
import type { RatedModel, Served } from '../../routing/predictor/online-state.js';
import { surePart } from '../../routing/predictor/online-tuning.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import { actingOf } from '../audit.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull } from '../../resources/page-request.js';
import { thousandths } from '../../routing/numbers.js';

/**
 * `GET /api/v1/learning` and `GET /api/v1/preferences/{id}/learning`: what was learned from
 * feedback and outcomes.
 */
export function readLearning(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { scope, exploration } = await scopeOf(parts, req, callerOf(res).accountId);
    sendJson(
      res,
      200,
      shownLearning(
        scope,
        exploration,
        parts.current().routing.learning.enabled,
        await parts.state.learning.show(scope),
      ),
    );
  });
}

/** `DELETE` of both: forgets what was learned; the next choice no longer uses it. */
export function forgetLearning(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { scope } = await scopeOf(parts, req, callerOf(res).accountId);
    const { learning, outcomes } = parts.state;
    await outcomes.forget(scope, () => learning.forget(scope));
    await actingOf(parts, req, res).record({
      act: 'learning.forget',
      target: scope.preferenceId === '' ? null : scope.preferenceId,
    });
    res.status(204).end();
  });
}

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

function shownLearning(
  { preferenceId }: LearningScope,
  exploration: number,
  enabled: boolean,
  { state, updatedAt }: ShownLearning,
): object {
  const now = Date.now();
  const beliefs = beliefsOf(state, now);
  return {
    object: 'learning',
    preference_id: preferenceId === '' ? null : preferenceId,
    enabled,
    exploration,
    updatedAt: isoOrNull(updatedAt),
    models: [...state.models]
      .sort(([, a], [, b]) => b.ratings - a.ratings)
      .map(([model, rated]) => shownModel(model, rated, beliefs)),
    outcomes: [...state.served]
      .sort(([, a], [, b]) => b.answers - a.answers)
      .map(([name, served]) => shownServed(name, served, now)),
  };
}

function shownModel(
  model: string,
  { evidence, ratings, scoreSum, at }: RatedModel,
  beliefs: Beliefs,
): object {
  const whole = beliefs.moveOf(model, []);
  const move = surePart(whole);
  const kinds = [...evidence.keys()].filter((kind) => kind !== otherKinds);
  return {
    model,
    ratings,
    score: ratings === 0 ? null : thousandths(Math.min(1, scoreSum / ratings)),
    move: thousandths(move),
    spread: thousandths(Math.sqrt(whole.variance)),
    kinds: kinds.map((kind) => ({
      kind,
      move: thousandths(surePart(beliefs.moveOf(model, [[kind, 1]])) - move),
    })),
    updatedAt: isoOrNull(at),
  };
}

function shownServed(name: string, served: Served, now: number): object {
  const slash = name.indexOf('/');
  const { answers, faults } = fadedServed(served, now);
  return {
    provider: name.slice(0, slash) || null,
    model: name.slice(slash + 1),
    answers: thousandths(answers),
    faults: thousandths(faults),
    updatedAt: isoOrNull(served.at),
  };
}
