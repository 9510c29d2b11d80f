import { failure, operation, pathParameter } from './parts.js';

const detail = {
  '4XX': failure('`{detail}`: the request cannot be served.'),
  '5XX': failure('`{detail}`: a fault of the gateway.'),
};
const done = { 200: { description: 'It is done.' }, ...detail };

/** The `/v2` dialect. */
export function v2Paths(): object {
  const ranking = {
    200: { description: '`{providers: [{provider, model}], session_id}`, best first.' },
    ...detail,
  };
  return {
    '/v2/modelRouter/modelSelect': {
      post: operation(
        'Choose the model, in the dialect of public SDKs',
        'model-select.request',
        ranking,
      ),
    },
    '/v2/preferences/userPreferenceCreate': {
      post: operation('Make a preference', 'v2-preference.request', done),
    },
    '/v2/preferences/userPreferenceUpdate': {
      put: operation('Change a preference', 'v2-preference-change.request', done),
    },
    '/v2/preferences/userPreferenceDelete/{id}': {
      parameters: [pathParameter('id', "The preference's id.")],
      delete: operation('Delete a preference', null, done),
    },
    '/v2/report/metrics/feedback': {
      post: operation('Say how good a choice was', 'v2-feedback.request', done),
    },
    '/v2/report/metrics/latency': {
      post: operation('Say how fast a choice was', 'v2-latency.request', done),
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
      description: 'CSV: a column of prompts, and one of scores for each model.',
    },
    language: text,
    llm_providers: {
      type: 'string',
      description: 'A JSON list of `{provider, model}`; absent: all columns.',
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
      200: { description: '`{preference_id}`: the training has begun.' },
      ...detail,
    }),
    requestBody: body,
  };
}
