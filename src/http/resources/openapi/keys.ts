import { queryParameter, resourcePath } from './parts.js';

/** API keys. */
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
  };
}
