import { listRef } from './components.js';
import { queryParameter, resourcePath } from './operations.js';

/** The models with what is known of them, and the providers. */
export function providerPaths(): object {
  return {
    ...resourcePath('Models', '/api/v1/models', {
      get: {
        id: 'listDescribedModels',
        summary: 'List the models that this key may use, with prices, abilities and speed',
        response: 'described-model.response',
        isList: true,
        parameters: [
          queryParameter('provider', 'Only models of this provider.'),
          queryParameter('search', 'Words that the name has.'),
          queryParameter(
            'use',
            '`auto`: only those that `model: auto` may choose. Default: `all`.',
          ),
          queryParameter(
            'sort',
            '`name`, `price` (cheapest first), `quality` (best first) or `latency` (fastest first). Default: `name`.',
          ),
        ],
      },
    }),
    ...resourcePath('Models', '/api/v1/providers', {
      get: {
        id: 'listProviders',
        summary: 'List the configured providers, and how they do',
        answer: providerList,
      },
    }),
    ...resourcePath('Models', '/api/v1/providers/{name}', {
      get: { id: 'getProvider', summary: 'One provider', response: 'provider.response' },
    }),
    ...testPath(),
  };
}

const providerList = {
  description: 'All of them.',
  content: { 'application/json': { schema: listRef('provider.response') } },
};

function testPath(): object {
  return resourcePath('Models', '/api/v1/providers/{name}/test', {
    post: {
      id: 'testProvider',
      summary: 'Send a tiny request to a model of the provider',
      description:
        "It is a request of the caller's own, with its limits and its cost, without retries. A provider that refuses or fails is told in the answer, which then is `ok: false`.",
      request: 'provider-test.request',
      isBodyOptional: true,
      example: { model: 'demo-small' },
      response: 'provider-test.response',
      scope: 'administrator',
    },
  });
}
