import type { Described } from '../../api/endpoint.js';
import { queryParameter } from '../../api/parameters.js';
import { describedPath, endpointPaths } from '../../api/openapi/operations.js';
import { v2Endpoints } from '../../api/v2.js';

const surface = { invalid: 400, statuses: [429, 500, 503], takesSignIn: true } as const;

const explain = queryParameter(
  'explain',
  'Adds the prediction for each candidate to the response. Default: `false`.',
  'boolean',
);

const conversation = {
  messages: [{ role: 'user', content: 'Prove that 2 is prime.' }],
  llm_providers: [
    { provider: 'demo', model: 'demo-large' },
    { provider: 'demo', model: 'demo-small' },
  ],
};

const selection: Described = {
  id: 'selectModel',
  summary: 'Select a model for a conversation',
  description:
    'Ranks the candidates and calls none of them. Send `session_id` as `previous_session` of the next turn, and with feedback.',
  request: 'model-select.request',
  example: { ...conversation, tradeoff: 'cost' },
  response: 'model-select.response',
  parameters: [explain],
  scope: 'model-select',
  errors: { 404: 'The preference or the session does not exist.' },
};

const v2 = { invalid: 400, statuses: [429, 500, 503], errorSchema: 'v2-error' } as const;

/** The `/v2` dialect. */
export function v2Paths(): object {
  const post: Described = {
    id: 'selectModelV2',
    summary: 'Select a model',
    description: 'The answer ranks the candidates, best first.',
    request: 'model-select.request',
    example: conversation,
    response: 'v2-model-select.response',
    scope: 'model-select',
  };
  return {
    ...describedPath('SDK dialect', '/v2/modelRouter/modelSelect', { post }, v2),
    ...endpointPaths(v2Endpoints, v2),
  };
}

/** Model selection, and its other paths. */
export function selectionPaths(): object {
  const alias = (id: string): Described => ({
    ...selection,
    id,
    description: 'The same as `/api/v1/model-select`.',
    isDeprecated: true,
  });
  const path = (url: string, post: Described): object =>
    describedPath('Model selection', url, { post }, surface);
  return {
    ...path('/api/v1/model-select', selection),
    ...path('/api/v1/modelSelect', alias('selectModelCamelCase')),
    ...path('/api/v1/model-router/model-select', alias('selectModelOfRouter')),
  };
}
