import { queryParameter, resourcePath } from './parts.js';

/** API keys. */
export function keyPaths(): object {
  const accountParameter = queryParameter(
    'account',
    "An account's id, or `all` (administrators only).",
  );
  return {
    ...resourcePath('/api/v1/keys', {
      get: {
        summary: "List the account's API keys, newest first",
        response: 'key.response',
        isList: true,
        parameters: [accountParameter],
      },
      post: {
        summary: 'Create an API key; only this response contains the key itself',
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
      delete: { summary: 'Revoke an API key permanently' },
    }),
  };
}
