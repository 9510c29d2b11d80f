import { getCompletionOptions } from '../../api/completion-options.js';
import { completionSurfaces } from '../surfaces/completion-surfaces.js';
import type { CompletionSurface } from '../surfaces/surface.js';
import { ref } from '../../api/openapi/components.js';
import type { Described } from '../../api/endpoint.js';
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

/** What the operations of a surface that completes have in common. */
const traitsOf = ({ invalidCode, described: { errorSchema } }: CompletionSurface) =>
  ({
    ...openai,
    invalid: invalidCode === 'bad_request' ? 400 : 422,
    errorSchema: errorSchema ?? 'error',
    takesSignIn: true,
  }) as const;

const completionOf = ({ schema, described }: CompletionSurface): Described => ({
  ...described,
  request: `${schema}.request`,
  answer: {
    description: described.answer,
    headers: routed,
    content: streamed(`${schema}.response`, `${schema}.chunk`),
  },
  scope: 'completions',
  errors: { 404: described.notFound },
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

/** The surfaces that complete: first their own paths, then those of old. */
export const completionPaths = (): object => ({
  ...merged(completionSurfaces.map((one) => completionPath(one, one.path, completionOf(one)))),
  ...merged(completionSurfaces.flatMap(deprecatedPaths)),
  ...endpointPaths([getCompletionOptions]),
});

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
