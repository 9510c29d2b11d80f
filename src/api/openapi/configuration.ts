import { resourcePath } from './operations.js';

/** The configuration in force, and tests of its connections. */
export function configurationPaths(): object {
  return {
    ...resourcePath('Accounts', '/api/v1/configuration', {
      get: {
        id: 'getConfiguration',
        summary: 'The configuration in force, without secrets',
        response: 'configuration.response',
        scope: 'administrator',
      },
    }),
    ...resourcePath('Accounts', '/api/v1/configuration/tests', {
      post: {
        id: 'testConnection',
        summary: 'Try a connection of the configuration',
        description:
          'A mail server and Redis are signed in to, a provider is asked for its models with each key, a search engine for one result, a toolkit for its tools. A failure is told in the answer, which then is `ok: false`.',
        request: 'connection-test.request',
        example: { kind: 'provider', name: 'demo' },
        response: 'connection-test.response',
        scope: 'administrator',
      },
    }),
  };
}
