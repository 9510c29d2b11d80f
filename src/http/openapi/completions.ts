import { getCompletionOptions } from '../../api/completion-options.js';
import { completionSurfaces } from '../surfaces/completion-surfaces.js';
import type { CompletionSurface } from '../surfaces/surface.js';
import { ref } from '../../api/openapi/components.js';
import type { Described } from '../../api/endpoint.js';
import { type QueryParameter, queryParameter } from '../../api/parameters.js';
import { describedPath, endpointPaths } from '../../api/openapi/operations.js';

const openai = {
  invalid: 400,
  statuses: [429, 500, 502, 503, 504],
  errorSchema: 'openai-error',
} as const;

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

/** What all operations of a completion surface have in common. */
const traitsOf = ({ invalidCode, described: { errorSchema } }: CompletionSurface) =>
  ({
    ...openai,
    invalid: invalidCode === 'bad_request' ? 400 : 422,
    errorSchema: errorSchema ?? 'error',
    takesSignIn: true,
  }) as const;

const headerParameter = (name: string, description: string): QueryParameter => ({
  ...queryParameter(name, description),
  in: 'header',
});

const idempotencyKey = headerParameter(
  'Idempotency-Key',
  'A request that is repeated with the same key within a day gets the first answer and is charged once. With another body the key is refused with 422.',
);

/** Reading the rest of a native stream. */
const resumed: Described = {
  id: 'resumeCompletion',
  summary: 'The rest of a streamed answer',
  description:
    'Needs `limits.resumeMs`. The events after `Last-Event-ID`, the rest as it comes; without it all events.',
  parameters: [
    headerParameter('Last-Event-ID', 'The id of the last event that the client has.'),
    queryParameter('lastEventId', 'The same, for clients that cannot set headers.'),
  ],
  answer: {
    description: 'The events.',
    content: { 'text/event-stream': { schema: ref('completions.chunk') } },
  },
  scope: 'completions',
  errors: { 404: 'This account has no such stream, or it is no longer kept.' },
};

const cancelled: Described = {
  id: 'cancelCompletion',
  summary: 'End a streamed answer',
  description:
    'Also one that goes on for its next reader: the call of the provider is cancelled, and what it used is charged. Nothing happens where the answer is whole.',
  scope: 'completions',
  errors: { 404: 'This account has no such stream, or it is no longer kept.' },
};

const completionOf = ({ schema, described }: CompletionSurface): Described => ({
  ...described,
  request: `${schema}.request`,
  parameters: [idempotencyKey],
  answer: {
    description: described.answer,
    headers: routed,
    content: streamed(`${schema}.response`, `${schema}.chunk`),
  },
  scope: 'completions',
  errors: { 404: described.notFound, 409: 'The first answer for this key is no longer kept.' },
});

const completionPath = (surface: CompletionSurface, path: string, post: Described): object =>
  describedPath('Completions', path, { post }, traitsOf(surface));

const merged = (paths: object[]): object => Object.assign({}, ...paths) as object;

const deprecatedPaths = (surface: CompletionSurface): object[] =>
  Object.entries(surface.deprecatedPaths ?? {}).map(([path, id]) =>
    completionPath(surface, path, {
      ...completionOf(surface),
      id,
      description: `The same as \`${surface.path}\`.`,
      isDeprecated: true,
    }),
  );

/** The paths of the completion surfaces: current ones first, then deprecated ones. */
export const completionPaths = (): object => ({
  ...merged(completionSurfaces.map((one) => completionPath(one, one.path, completionOf(one)))),
  ...merged(completionSurfaces.flatMap(deprecatedPaths)),
  ...describedPath(
    'Completions',
    '/api/v1/completions/{id}/stream',
    { get: resumed, delete: cancelled },
    { invalid: 422, statuses: [429, 500, 503], takesSignIn: true },
  ),
  ...endpointPaths([getCompletionOptions]),
});

const stored = { ...openai, statuses: [429, 500, 503], takesSignIn: true } as const;

/** The paths of stored responses. */
export function responsePaths(): object {
  const path = '/v1/responses/{id}';
  const of = (id: string, summary: string): Described => ({
    id,
    summary,
    scope: 'completions',
    answer: {
      description: 'Success.',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    errors: { 404: 'No such response is stored.' },
  });
  const counted: Described = {
    ...of('countInputTokens', 'Estimate the tokens of an input, without calling a model'),
    request: 'responses.request',
    example: { model: 'auto', input: 'Why is the sky blue?' },
  };
  const described: Record<string, Record<string, Described>> = {
    [path]: {
      get: {
        ...of('getResponse', 'A stored response, or its stream again'),
        parameters: [
          queryParameter('stream', 'With `true` its events; needs `limits.resumeMs`.', 'boolean'),
          queryParameter('starting_after', 'The `sequence_number` of the last event.', 'integer'),
        ],
        answer: {
          description: 'Success.',
          content: streamed('responses.response', 'responses.chunk'),
        },
      },
      delete: of('deleteResponse', 'Delete a stored response'),
    },
    [`${path}/input_items`]: { get: of('listInputItems', 'What a stored response answers') },
    [`${path}/cancel`]: { post: of('cancelResponse', 'End a stream that can be resumed') },
    '/v1/responses/input_tokens': { post: counted },
  };
  const paths = Object.entries(described);
  return merged(paths.map(([at, methods]) => describedPath('Completions', at, methods, stored)));
}

const ofModels = {
  scope: 'completions',
  errors: { 404: 'The model does not exist.' },
} as const;

const count: Described = {
  id: 'countTokens',
  summary: "Count the tokens of a prompt, in Anthropic's shape",
  description: 'Estimated, unless the provider of the model speaks Messages.',
  request: 'messages.request',
  example: { model: 'auto', messages: [{ role: 'user', content: 'Why is the sky blue?' }] },
  response: 'token-count.response',
  ...ofModels,
};
const embeddings: Described = {
  id: 'createEmbeddings',
  summary: "Embed texts, in OpenAI's shape",
  request: 'embeddings.request',
  example: { model: 'openai/text-embedding-3-small', input: ['The sky is blue.'] },
  response: 'embeddings.response',
  ...ofModels,
};
const reranking: Described = {
  id: 'rerank',
  summary: 'Order documents by how well they answer a query',
  request: 'rerank.request',
  example: {
    model: 'local/bge-reranker-v2-m3',
    query: 'Why is the sky blue?',
    documents: ['Air.'],
  },
  response: 'rerank.response',
  ...ofModels,
};

const rerankingV2 = {
  ...reranking,
  id: 'rerankV2',
  summary: 'The same, at the path of version 2 of a common SDK',
};

/** Embeddings and the list of models, in OpenAI's shape, and reranking. */
export function modelPaths(): object {
  const listing = { ...openai, statuses: [429, 500], takesSignIn: true } as const;
  const counting = { ...listing, statuses: [500], errorSchema: 'messages-error' } as const;
  return {
    ...describedPath('Models', '/v1/messages/count_tokens', { post: count }, counting),
    ...describedPath('Models', '/v1/embeddings', { post: embeddings }, openai),
    ...describedPath('Models', '/v1/rerank', { post: reranking }, openai),
    ...describedPath('Models', '/v2/rerank', { post: rerankingV2 }, openai),
    ...describedPath(
      'Models',
      '/v1/models',
      {
        get: {
          id: 'listModels',
          summary: 'List the models that this key may use',
          description: "In Anthropic's shape for requests with the header `anthropic-version`.",
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
