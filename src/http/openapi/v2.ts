import type { Described } from '../../api/endpoint.js';
import { describedPath } from '../../api/openapi/operations.js';

const surface = { invalid: 400, statuses: [429, 500, 503], errorSchema: 'v2-error' } as const;

const path = (url: string, method: string, described: Described): object =>
  describedPath('SDK dialect', url, { [method]: { ...described, scope: 'model-select' } }, surface);

/** The `/v2` dialect. */
export function v2Paths(): object {
  return {
    ...path('/v2/modelRouter/modelSelect', 'post', {
      id: 'selectModelV2',
      summary: 'Select a model',
      description: 'The answer ranks the candidates, best first.',
      request: 'model-select.request',
      example: {
        messages: [{ role: 'user', content: 'Prove that 2 is prime.' }],
        llm_providers: [
          { provider: 'demo', model: 'demo-large' },
          { provider: 'demo', model: 'demo-small' },
        ],
      },
      response: 'v2-model-select.response',
    }),
    ...preferencePaths(),
    ...reportPaths(),
    ...path('/v2/pzn/trainCustomRouter', 'post', trainCustomRouter),
  };
}

function preferencePaths(): object {
  const url = '/v2/preferences/userPreference';
  const response = 'v2-preference.response';
  return {
    ...path(`${url}Create`, 'post', {
      id: 'createPreferenceV2',
      summary: 'Create a preference',
      request: 'v2-preference.request',
      example: { name: 'support' },
      response,
    }),
    ...path(`${url}Update`, 'put', {
      id: 'updatePreferenceV2',
      summary: 'Change a preference',
      request: 'v2-preference-change.request',
      example: { preference_id: 'PREFERENCE_ID', name: 'support' },
      response,
      errors: { 404: 'The preference does not exist.' },
    }),
    ...path(`${url}Delete/{id}`, 'delete', {
      id: 'deletePreferenceV2',
      summary: 'Delete a preference',
      response,
    }),
  };
}

function reportPaths(): object {
  const errors = { 404: 'The session does not exist.' };
  return {
    ...path('/v2/report/metrics/feedback', 'post', {
      id: 'reportFeedbackV2',
      summary: 'Rate a selected model',
      request: 'v2-feedback.request',
      example: { session_id: 'SESSION_ID', feedback: { accuracy: 1 } },
      response: 'v2-report.response',
      errors,
    }),
    ...path('/v2/report/metrics/latency', 'post', {
      id: 'reportLatencyV2',
      summary: 'Report the speed of a selected model',
      request: 'v2-latency.request',
      example: { session_id: 'SESSION_ID', feedback: { tokens_per_second: 80 } },
      response: 'v2-report.response',
      errors,
    }),
  };
}

const form = {
  dataset_file: {
    type: 'string',
    format: 'binary',
    description: 'CSV with a column of prompts, and a column of scores for each model.',
  },
  language: { type: 'string', description: 'Not used.' },
  llm_providers: {
    type: 'string',
    description: 'A JSON list of `{provider, model}`. Default: all columns.',
  },
  prompt_column: { type: 'string', description: 'The column of prompts. Default: `prompt`.' },
  maximize: {
    type: 'string',
    enum: ['true', 'false'],
    description: '`false`: lower scores are better. Default: `true`.',
  },
  preference_id: { type: 'string', description: 'Default: a new preference.' },
  override: { type: 'string', description: '`false`: refuse to replace a trained router.' },
};

const trainCustomRouter: Described = {
  id: 'trainCustomRouterV2',
  summary: "Train a preference's own router",
  description: 'The answer says that the training has started.',
  otherBodies: {
    'multipart/form-data': {
      schema: { type: 'object', required: ['dataset_file'], properties: form },
    },
  },
  response: 'v2-preference.response',
  errors: {
    404: 'The preference does not exist.',
    409: 'Another training of this account has not ended.',
  },
};
