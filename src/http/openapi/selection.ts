import type { Described } from '../../api/endpoint.js';
import { describedPath } from '../../api/openapi/operations.js';

const surface = { invalid: 400, statuses: [429, 500, 503], takesSignIn: true } as const;

const explain = {
  name: 'explain',
  in: 'query',
  description: 'Adds the prediction for each candidate to the response. Default: `false`.',
  schema: { type: 'boolean' },
};

const selection: Described = {
  id: 'selectModel',
  summary: 'Select a model for a conversation',
  description:
    'Ranks the candidates and calls none of them. Send `session_id` as `previous_session` of the next turn, and with feedback.',
  request: 'model-select.request',
  example: {
    messages: [{ role: 'user', content: 'Prove that 2 is prime.' }],
    llm_providers: [
      { provider: 'demo', model: 'demo-large' },
      { provider: 'demo', model: 'demo-small' },
    ],
    tradeoff: 'cost',
  },
  response: 'model-select.response',
  parameters: [explain],
  scope: 'model-select',
  errors: { 404: 'The preference or the session does not exist.' },
};

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
