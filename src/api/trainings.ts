import { invalidField } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { TrainingRecord } from '../store/contracts/trainings.js';
import {
  type Call,
  endpointsOf,
  type Endpoint,
  type RequestCall,
  type TrainingBody,
} from './endpoint.js';
import { evaluationLines } from './evaluations.js';
import { found, idOf } from './page-request.js';
import { queryParameter } from './parameters.js';
import { whyPassedOverNow } from './preferences.js';
import { shownFieldsOf } from './shown-fields.js';

const endpoint = endpointsOf({ tag: 'Preferences' });
const path = '/api/v1/preferences/{id}/training';
const response = 'training.response';
const trainingFields = {
  prompt_column: { type: 'string', description: 'The column of the prompts. Default: `prompt`.' },
  maximize: { type: 'string', enum: ['true', 'false'], description: 'False: lower is better.' },
  mapping: {
    type: 'string',
    description:
      'JSON, a `TrainingMappingRequest`: what the columns mean, in place of what their names say.',
  },
  evaluations: {
    type: 'string',
    enum: ['true', 'false'],
    description: 'True: the evaluation set counts too, or alone without a file.',
  },
};

const file = { type: 'string', format: 'binary', description: 'CSV or newline-delimited JSON.' };

const getTraining = endpoint('get', path, 'getTraining', {
  summary: "The last training of the preference's own router",
  response,
  async run(call: Call) {
    const { store } = await call.parts.state.opened();
    const [training] = await store.trainings.latest(call.caller.accountId, [idOf(call)]);
    return shownTraining(call.parts, found(training, 'training'));
  },
});

const trainPreference = endpoint('post', path, 'trainPreference', {
  summary: "Train the preference's own router from evaluations",
  description:
    'Evaluations are scores of the answers of several models to the same prompts: JSON, CSV with a column `prompt` and a column for each model, newline-delimited JSON, or a form with a `file`. The training runs in the background.',
  request: 'training.request',
  otherBodies: {
    'text/csv': { schema: { type: 'string' } },
    'application/x-ndjson': { schema: { type: 'string' } },
    'multipart/form-data': { schema: { type: 'object', properties: { file, ...trainingFields } } },
  },
  response: 'training.response',
  status: 202,
  parameters: [
    queryParameter('evaluations', 'As in the form, for other bodies than JSON.', 'boolean'),
    queryParameter('mapping', 'As in the form.'),
  ],
  errors: { 409: 'Another training of this account has not ended.' },
  async run(call: RequestCall) {
    const { parts, caller } = call;
    // before the body is read, which may be large
    await requirePreference(parts, caller.accountId, idOf(call));
    const body = await call.evaluations();
    const training = await startTraining(parts, caller.accountId, idOf(call), body);
    return shownTraining(parts, training);
  },
});

const deleteTraining = endpoint('delete', path, 'deleteTraining', {
  summary: 'Delete the trained router',
  async run(call: Call) {
    const { accountId } = call.caller;
    const { chooser } = call.parts.state;
    const { store } = await call.parts.state.opened();
    const preference = found(await store.preferences.find(accountId, idOf(call)), 'training');
    found(await store.trainings.remove(accountId, preference.id), 'training');
    chooser.preferences.changed(preference);
  },
});

/** The training of a preference's own router. */
export const trainingEndpoints: readonly Endpoint[] = [
  getTraining,
  trainPreference,
  deleteTraining,
];

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
  if (!hasCollected) return chooser.trainings.add(accountId, preferenceId, text, wishes);
  const collected = await evaluationLines(parts, accountId);
  const collectedLength = collected.length;
  if (collectedLength + text.length === 0)
    throw invalidField('evaluations', 'no prompt of the evaluation set has scores');
  return chooser.trainings.add(accountId, preferenceId, collected + text, {
    ...wishes,
    collectedLength,
  });
}

/** @throws GatewayError `not_found` */
async function requirePreference(
  { state }: GatewayParts,
  accountId: string,
  preferenceId: string,
): Promise<void> {
  const { store } = await state.opened();
  found(await store.preferences.find(accountId, preferenceId), 'preference_id');
}

/** @returns with `passedOver`: why requests do not use what the preference has in use */
async function shownTraining(parts: GatewayParts, training: TrainingRecord): Promise<object> {
  const { accountId, preferenceId } = training;
  const { store } = await parts.state.opened();
  const preference = await store.preferences.find(accountId, preferenceId);
  return {
    object: 'training',
    ...shownFieldsOf(training, [
      'id',
      'preferenceId',
      'state',
      'progress',
      'doing',
      'report',
      'error',
    ]),
    passedOver: preference && whyPassedOverNow(parts, preference),
    ...shownFieldsOf(training, ['createdAt', 'updatedAt']),
  };
}
