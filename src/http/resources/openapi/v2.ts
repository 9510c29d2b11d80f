import { failure, operation, pathParameter } from './parts.js';

const detail = {
  '4XX': failure('`{detail}`: the request is not valid or not allowed.'),
  '5XX': failure('`{detail}`: the gateway failed.'),
};
const done = { 200: { description: 'Done.' }, ...detail };

/** The `/v2` dialect. */
export function v2Paths(): object {
  const ranking = {
    200: { description: '`{providers: [{provider, model}], session_id}`, best first.' },
    ...detail,
  };
  return {
    '/v2/modelRouter/modelSelect': {
      post: operation(
        'Select a model, in the dialect of public SDKs',
        'model-select.request',
        ranking,
      ),
    },
    '/v2/preferences/userPreferenceCreate': {
      post: operation('Create a preference', 'v2-preference.request', done),
    },
    '/v2/preferences/userPreferenceUpdate': {
      put: operation('Change a preference', 'v2-preference-change.request', done),
    },
    '/v2/preferences/userPreferenceDelete/{id}': {
      parameters: [pathParameter('id', "The preference's id.")],
      delete: operation('Delete a preference', null, done),
    },
    '/v2/report/metrics/feedback': {
      post: operation('Rate a selected model', 'v2-feedback.request', done),
    },
    '/v2/report/metrics/latency': {
      post: operation('Report the speed of a selected model', 'v2-latency.request', done),
    },
    '/v2/pzn/trainCustomRouter': { post: customRouterOperation() },
  };
}

function customRouterOperation(): object {
  const text = { type: 'string' };
  const properties = {
    dataset_file: {
      type: 'string',
      format: 'binary',
      description: 'CSV with a column of prompts, and a column of scores for each model.',
    },
    language: text,
    llm_providers: {
      type: 'string',
      description: 'A JSON list of `{provider, model}`. Default: all columns.',
    },
    prompt_column: { type: 'string', default: 'prompt' },
    maximize: { type: 'string', enum: ['true', 'false'], default: 'true' },
    preference_id: text,
    override: text,
  };
  const body = {
    required: true,
    content: {
      'multipart/form-data': { schema: { type: 'object', required: ['dataset_file'], properties } },
    },
  };
  return {
    ...operation("Train a preference's own router", null, {
      200: { description: '`{preference_id}`: the training has started.' },
      ...detail,
    }),
    requestBody: body,
  };
}
