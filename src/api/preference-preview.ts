import { type PreviewRequest, previewPreference } from '../pipeline/preview/preview-preference.js';
import { type Call, endpoint, type Endpoint } from './endpoint.js';
import { queryParameter } from './openapi/operations.js';

const preview = endpoint({
  tag: 'Preferences',
  method: 'post',
  path: '/api/v1/preferences/preview',
  id: 'previewPreference',
  summary: 'Try a preference without storing it',
  description:
    'Tells which model would win, by how much and at what cost, for requests of the account, example prompts and messages, beside what wins now.',
  parameters: [queryParameter('explain', 'True: each item names all its candidates.', 'boolean')],
  request: 'preference-preview.request',
  example: { preference: { weights: { quality: 3, cost: 1, latency: 1 } }, examples: true },
  response: 'preference-preview.response',
  run: ({ parts, caller, body, query }: Call<PreviewRequest>) =>
    previewPreference(parts, caller, body, query['explain'] === 'true'),
});

/** What a preference would choose; nothing is stored. */
export const previewEndpoints: readonly Endpoint[] = [preview];
