import { queryParameter, resourcePath } from './operations.js';

const accountParameter = queryParameter(
  'account',
  "An account's id, or `all` (administrators only).",
);

/** API keys. */
export function keyPaths(): object {
  return {
    ...resourcePath('API keys', '/api/v1/keys', {
      get: {
        id: 'listKeys',
        summary: "List the account's API keys, newest first",
        response: 'key.response',
        isList: true,
        parameters: [accountParameter],
        scope: 'admin',
      },
      post: {
        id: 'createKey',
        summary: 'Create an API key',
        description: 'Only this answer contains the key itself.',
        request: 'key.request',
        example: {
          name: 'website',
          scopes: ['completions'],
          models: ['openai/*'],
          limits: { requestsPerMinute: 60, dayBudgetUsd: 5 },
        },
        response: 'key.response',
        status: 201,
        scope: 'admin',
      },
    }),
    ...rotationPath(),
    ...resourcePath('API keys', '/api/v1/keys/{id}', {
      get: { id: 'getKey', summary: 'One API key', response: 'key.response', scope: 'admin' },
      patch: {
        id: 'updateKey',
        summary: 'Change an API key',
        request: 'key-change.request',
        example: { limits: { dayBudgetUsd: 10 } },
        response: 'key.response',
        scope: 'admin',
      },
      delete: { id: 'revokeKey', summary: 'Revoke an API key permanently', scope: 'admin' },
    }),
  };
}

function rotationPath(): object {
  return resourcePath('API keys', '/api/v1/keys/{id}/rotate', {
    post: {
      id: 'rotateKey',
      summary: 'Give an API key a new secret',
      description:
        'Only this answer contains the new secret. The old one works until the overlap ends; id, limits, budgets and usage stay.',
      request: 'key-rotation.request',
      isBodyOptional: true,
      example: { overlapSeconds: 3600 },
      response: 'key.response',
      scope: 'admin',
      errors: { 409: 'The key was revoked or has expired, or its account is disabled.' },
    },
  });
}
