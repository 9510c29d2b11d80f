import type { RequestHandler } from 'express';
import { sendJson } from '../../send-json.js';
import { accountPaths } from './accounts.js';
import { conversationPaths } from './conversations.js';
import { keyPaths } from './keys.js';
import { preferencePaths } from './preferences.js';
import { requestPaths } from './requests.js';
import {
  embeddedSchemas,
  failure,
  json,
  nativeErrors,
  operation,
  pathParameter,
  ref,
} from './parts.js';
import { v2Paths } from './v2.js';

const upstreamErrors = {
  502: failure('Every model failed.'),
  503: failure('Every model is overloaded.'),
  504: failure('No model answered in time.'),
};

const openAIErrors = {
  '4XX': failure('The request is not valid or not allowed.', 'openai-error'),
  '5XX': failure('No model answered.', 'openai-error'),
};

/** The header that explains the choice of a model. */
const routed = {
  'x-signalbox-routing': {
    description:
      'Why this model was chosen, if there was more than one candidate: compact JSON `{reason, gate, candidates, omitted}`, as with `?explain=true`.',
    schema: { type: 'string', maxLength: 1024 },
  },
};

/** An operation under a deprecated path. */
const alias = (post: object): object => ({ post: { ...post, deprecated: true } });
const page = (summary: string, answer: string, more: object = {}): object => ({
  get: { ...operation(summary, null, { 200: { description: answer }, ...more }), security: [] },
});

function selectionOperation(): object {
  const explain = {
    name: 'explain',
    in: 'query',
    description: 'Adds the prediction for each candidate to the response.',
    schema: { type: 'boolean', default: false },
  };
  const post = operation('Select a model for a conversation', 'model-select.request', {
    200: { description: 'The model to call.', content: json('model-select.response') },
    ...nativeErrors('400'),
  });
  return { ...post, parameters: [explain] };
}

function completionOperation(): object {
  const stream = { 'text/event-stream': { schema: ref('completions.chunk') } };
  return operation('Answer a conversation', 'completions.request', {
    200: {
      description:
        'The answer; with `stream: true` as server-sent events that end with `data: [DONE]`.',
      headers: routed,
      content: { ...json('completions.response'), ...stream },
    },
    ...nativeErrors('422'),
    ...upstreamErrors,
  });
}

function openAIPaths(): object {
  return {
    '/v1/chat/completions': {
      post: operation("Answer a conversation, in OpenAI's shape", 'chat-completions.request', {
        200: { description: "OpenAI's completion, or its chunks.", headers: routed },
        ...openAIErrors,
      }),
    },
    '/v1/embeddings': {
      post: operation("Embed texts, in OpenAI's shape", 'embeddings.request', {
        200: { description: "OpenAI's embeddings." },
        ...openAIErrors,
      }),
    },
    '/v1/models': {
      get: operation('List the models that this key may use', null, {
        200: { description: 'The list.', content: json('models.response') },
        ...openAIErrors,
      }),
    },
    '/v1/models/{model}': {
      parameters: [pathParameter('model', '`<provider>/<model>`, slashes not encoded.')],
      get: operation('One model of this list', null, {
        200: { description: 'The model.' },
        ...openAIErrors,
      }),
    },
  };
}

function proxyPath(): object {
  const answers = {
    200: { description: "The provider's own answer, whatever its status." },
    '4XX': failure('No such provider, or no key.'),
    502: failure('The provider could not be reached.'),
  };
  const methods = ['get', 'post', 'put', 'patch', 'delete'].map((method) => [
    method,
    operation("Pass a request through to a provider's own API", null, answers),
  ]);
  const parameters = [
    pathParameter('provider', "A provider's name in the configuration."),
    pathParameter('path', "Any path of the provider's API, slashes not encoded."),
  ];
  return { parameters, ...(Object.fromEntries(methods) as object) };
}

/** Pages that need no key. */
const publicPages = (): object => ({
  '/healthz': page('Liveness check', 'The process answers.'),
  '/readyz': page('Readiness check', 'The gateway accepts requests.', {
    503: { description: 'The gateway is stopping.' },
  }),
  '/metrics': page(
    'Prometheus metrics',
    'Prometheus or OpenMetrics text. The configuration may require a key.',
  ),
  '/openapi.json': page('This document', 'OpenAPI 3.1.'),
  '/docs': page('This document as a web page', 'An HTML page.'),
  '/reset-password': page('The page behind a password reset link', 'An HTML page.'),
});

/** The OpenAPI 3.1 document, built from the schema files that validate requests. */
export function openApiDocument(version: string): object {
  const [selection, completion] = [selectionOperation(), completionOperation()];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description: 'Model selection and completions over many language-model providers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: {
      '/api/v1/model-select': { post: selection },
      '/api/v1/completions': { post: completion },
      ...openAIPaths(),
      ...accountPaths(),
      ...keyPaths(),
      ...preferencePaths(),
      ...v2Paths(),
      ...conversationPaths(),
      ...requestPaths(),
      '/proxy/{provider}/{path}': proxyPath(),
      ...publicPages(),
      '/api/v1/chat/completions': alias(completion),
      '/api/v1/modelSelect': alias(selection),
      '/api/v1/model-router/model-select': alias(selection),
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, `sk_…`.' },
        signIn: {
          type: 'apiKey',
          in: 'cookie',
          name: 'signalbox_session',
          description: 'A signed-in browser; changes also need `X-CSRF-Token`.',
        },
      },
      schemas: embeddedSchemas(),
    },
  };
}

/** `GET /openapi.json`. */
export function openApi(version: string): RequestHandler {
  let document: Buffer | null = null;
  return (_req, res) => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(version)));
    sendJson(res, 200, document);
  };
}
