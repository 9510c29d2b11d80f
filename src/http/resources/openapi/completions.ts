import { ref } from './components.js';
import { describedPath, type Described, resourcePath } from './operations.js';

const native = {
  invalid: 422,
  statuses: [429, 500, 502, 503, 504],
  takesSignIn: true,
} as const;
const openai = {
  invalid: 400,
  statuses: [429, 500, 502, 503, 504],
  errorSchema: 'openai-error',
} as const;

const messages = [{ role: 'user', content: 'Why is the sky blue?' }];

const streamed = (response: string, chunk: string): object => ({
  'application/json': { schema: ref(response) },
  'text/event-stream': { schema: ref(chunk) },
});

/** The header that explains the choice of a model. */
const routed = {
  'x-signalbox-routing': {
    description:
      'Why this model was chosen, if there was more than one candidate: compact JSON `{reason, gate, candidates, omitted}`, an extract of what `explain: true` answers.',
    schema: { type: 'string', maxLength: 1024 },
  },
};

const completion: Described = {
  id: 'createCompletion',
  summary: 'Answer a conversation',
  description:
    'Several `models` are ranked for this conversation; then the `fallback_models` are tried in their order. With `stream: true` the answer is server-sent events that end with `data: [DONE]`.',
  request: 'completions.request',
  example: { models: ['demo/demo-large'], fallback_models: ['demo/demo-small'], messages },
  answer: {
    description: 'The answer, or its chunks.',
    headers: routed,
    content: streamed('completions.response', 'completions.chunk'),
  },
  scope: 'completions',
  errors: { 404: 'The conversation, preference or session does not exist.' },
};

/** Completions in the native dialect and in OpenAI's shape. */
export function completionPaths(): object {
  return {
    ...describedPath('Completions', '/api/v1/completions', { post: completion }, native),
    ...chatCompletionPath(),
    ...describedPath(
      'Completions',
      '/api/v1/chat/completions',
      {
        post: {
          ...completion,
          id: 'createCompletionForChat',
          description: 'The same as `/api/v1/completions`.',
          isDeprecated: true,
        },
      },
      native,
    ),
    ...resourcePath('Completions', '/api/v1/completion-options', {
      get: {
        id: 'getCompletionOptions',
        summary:
          'What completions may ask for: search, research, toolkits, and the size of requests',
        response: 'completion-options.response',
        scope: 'completions',
      },
    }),
  };
}

function chatCompletionPath(): object {
  const post: Described = {
    id: 'createChatCompletion',
    summary: "Answer a conversation, in OpenAI's shape",
    description:
      "For OpenAI's SDKs: their base URL is this gateway's with `/v1`. `model` is `<provider>/<model>`, or `auto`.",
    request: 'chat-completions.request',
    example: { model: 'auto', messages },
    answer: {
      description: "OpenAI's completion, or its chunks.",
      headers: routed,
      content: streamed('chat-completions.response', 'chat-completions.chunk'),
    },
    scope: 'completions',
    errors: { 404: 'The model does not exist.' },
  };
  return describedPath(
    'Completions',
    '/v1/chat/completions',
    { post },
    { ...openai, takesSignIn: true },
  );
}

/** Embeddings, and the list of models, in OpenAI's shape. */
export function modelPaths(): object {
  const listing = { ...openai, statuses: [429, 500], takesSignIn: true } as const;
  const embeddings: Described = {
    id: 'createEmbeddings',
    summary: "Embed texts, in OpenAI's shape",
    request: 'embeddings.request',
    example: { model: 'openai/text-embedding-3-small', input: ['The sky is blue.'] },
    response: 'embeddings.response',
    scope: 'completions',
    errors: { 404: 'The model does not exist.' },
  };
  return {
    ...describedPath('Models', '/v1/embeddings', { post: embeddings }, openai),
    ...describedPath(
      'Models',
      '/v1/models',
      {
        get: {
          id: 'listModels',
          summary: 'List the models that this key may use',
          response: 'models.response',
        },
      },
      listing,
    ),
    ...describedPath(
      'Models',
      '/v1/models/{model}',
      {
        get: {
          id: 'getModel',
          summary: 'One model of this list',
          description: 'The slashes of `<provider>/<model>` may be sent as they are.',
          answer: {
            description: 'Success.',
            content: { 'application/json': { schema: ref('models.response.model') } },
          },
        },
      },
      listing,
    ),
  };
}
