import { failure, operation, pathParameter, queryParameter, resourcePath } from './parts.js';

const detail = {
  '4XX': failure('`{detail}`: the request cannot be served.'),
  '5XX': failure('`{detail}`: a fault of the gateway.'),
};
const done = { 200: { description: 'It is done.' }, ...detail };

/** Keys, preferences, and the `/v2` dialect. */
export function keyPaths(): object {
  const accountParameter = queryParameter(
    'account',
    "For administrators: an account's id, or `all`.",
  );
  return {
    ...resourcePath('/api/v1/keys', {
      get: {
        summary: "The account's API keys, newest first",
        response: 'key.response',
        isList: true,
        parameters: [accountParameter],
      },
      post: {
        summary: 'Make an API key: the only answer that shows it',
        request: 'key.request',
        response: 'key.response',
        status: 201,
      },
    }),
    ...resourcePath('/api/v1/keys/{id}', {
      get: { summary: 'One API key', response: 'key.response' },
      patch: {
        summary: 'Change an API key',
        request: 'key-change.request',
        response: 'key.response',
      },
      delete: { summary: 'Revoke an API key, for good' },
    }),
    ...resourcePath('/api/v1/preferences', {
      get: {
        summary: "The account's preferences, newest first",
        response: 'preference.response',
        isList: true,
      },
      post: {
        summary: 'Make a preference',
        request: 'preference.request',
        response: 'preference.response',
        status: 201,
      },
    }),
    ...resourcePath('/api/v1/preferences/{id}', {
      get: { summary: 'One preference', response: 'preference.response' },
      patch: {
        summary: 'Change a preference',
        request: 'preference.request',
        response: 'preference.response',
      },
      put: {
        summary: 'Change a preference',
        request: 'preference.request',
        response: 'preference.response',
      },
      delete: { summary: 'Delete a preference' },
    }),
    ...resourcePath('/api/v1/preferences/{id}/training', {
      get: {
        summary: "The last training of the preference's own router",
        response: 'training.response',
      },
      post: {
        summary:
          "Train the preference's own router from evaluations: JSON, `text/csv`, `application/x-ndjson`, or a form with a `file`",
        request: 'training.request',
        response: 'training.response',
        status: 202,
      },
      delete: { summary: 'Switch the trained router off and forget it' },
    }),
    ...v2Paths(),
  };
}

function v2Paths(): object {
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
