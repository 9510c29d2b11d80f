import { type Caller, checkScope } from '../accounts/caller.js';
import type { Retraction } from '../chooser/chooser.js';
import { GatewayError, invalidField } from '../errors.js';
import type { LearningScope } from '../store/contracts/learnings.js';
import { type Call, endpointsOf, type Endpoint } from './endpoint.js';
import { found, idOf } from './page-request.js';
import { queryParameter } from './parameters.js';
import { textParameter, timeParameter } from './query.js';
import { isoOrNull } from './shown-fields.js';

const endpoint = endpointsOf({ tag: 'Feedback' });
const path = '/api/v1/learning';
const preferencePath = '/api/v1/preferences/{id}/learning';
const response = 'learning.response';
const retraction = [
  queryParameter('from', 'Only what came from this time on: ISO 8601, or ms since 1970.'),
  queryParameter('key', 'Only what came with this key: its id or name.'),
  queryParameter('model', 'Only what was learned about this model.'),
];

const whoForgets =
  'Needs the scope `admin`; a key without it may name itself as `key`. If nothing was learned that ' +
  '`key` and `model` name, 404.';

const getLearning = endpoint('get', path, 'getLearning', {
  summary: 'Show what was learned from feedback and outcomes',
  description: 'Of requests without a preference.',
  response,
  async run(call: Call) {
    const { parts } = call;
    const { scope, exploration } = await scopeOf(call);
    const { enabled } = parts.current().routing.learning;
    const { preferenceId } = scope;
    return parts.state.chooser.show(scope, { preferenceId, enabled, exploration });
  },
});

/**
 * The next choice no longer uses what was forgotten. Needs the scope `admin`; a key without it may
 * forget only what its own requests taught.
 */
const forgetLearning = endpoint('delete', path, 'forgetLearning', {
  summary: 'Forget what was learned, or a part of it',
  description: `Without parameters, everything. ${whoForgets}`,
  parameters: retraction,
  async run(call: Call) {
    const wanted = await retractionOf(call);
    if (!isOwn(wanted, call.caller)) checkScope(call.caller, 'admin');
    const { scope } = await scopeOf(call);
    const isAny = await call.parts.state.chooser.forget(scope, wanted);
    if (!isAny && wanted && (wanted.keys ?? wanted.model) !== null)
      throw new GatewayError(
        'not_found',
        'nothing was forgotten: nothing was learned that the parameters name',
      );
    await call.record({
      act: 'learning.forget',
      target: scope.preferenceId === '' ? null : scope.preferenceId,
      ...(wanted ? { details: detailsOf(wanted) } : {}),
    });
  },
});

/** What was learned, of the account and of its preferences. */
export const learningEndpoints: readonly Endpoint[] = [
  getLearning,
  forgetLearning,
  endpoint('get', preferencePath, 'getPreferenceLearning', {
    summary: 'Show what was learned for a preference',
    response,
    run: getLearning.run,
  }),
  endpoint('delete', preferencePath, 'forgetPreferenceLearning', {
    ...forgetLearning,
    summary: 'Forget what was learned for a preference, or a part of it',
  }),
];

/** Whether only what requests with the caller's own key taught is forgotten. */
const isOwn = (retraction: Retraction | null, { keyId }: Caller): boolean =>
  keyId !== null && Boolean(retraction?.keys?.every((key) => key === keyId));

/**
 * Null: everything.
 * @throws GatewayError `validation_failed` for an empty parameter: a variable of a script that was
 * never set must not forget everything
 */
async function retractionOf(call: Call): Promise<Retraction | null> {
  for (const { name } of retraction)
    if (call.query[name] === '') throw invalidField(name, 'must not be empty');
  const [from, key, model] = [
    timeParameter(call, 'from'),
    textParameter(call, 'key'),
    textParameter(call, 'model'),
  ];
  if (from === null && key === null && model === null) return null;
  if (key === null) return { from, keys: null, model };
  const { store } = await call.parts.state.opened();
  const ids = await store.keys.idsOf(call.caller.accountId, key);
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
async function scopeOf(call: Call): Promise<{ scope: LearningScope; exploration: number }> {
  const { state, current } = call.parts;
  const { accountId } = call.caller;
  const { exploration } = current().routing.learning;
  if (call.params['id'] === undefined)
    return { scope: { accountId, preferenceId: '' }, exploration };
  const { store } = await state.opened();
  const preference = found(await store.preferences.find(accountId, idOf(call)), 'preference_id');
  return {
    scope: { accountId, preferenceId: preference.id },
    exploration: preference.settings.exploration ?? exploration,
  };
}
