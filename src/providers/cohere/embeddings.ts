import type {
  EmbeddingAdapter,
  EmbeddingAnswer,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import { deploymentOf } from '../called-model.js';
import { embeddingAnswer } from '../embedding-answer.js';
import { unreadable, unsupported } from '../failure.js';
import { parseJson } from '../json.js';

/** Cohere's own fields, which a request may contain beside OpenAI's. */
const ownFields = ['input_type', 'truncate', 'images', 'inputs', 'max_tokens', 'priority'];

interface CohereEmbeddings {
  id?: string;
  embeddings?: { float?: number[][]; base64?: string[] } | number[][];
  meta?: { billed_units?: { input_tokens?: number; image_tokens?: number } };
}

/** Embeddings by `POST /v2/embed`. @param post makes the request for an operation and its body */
export function cohereEmbeddings(
  settings: ProviderSettings,
  post: (operation: 'embed', body: object, apiKey: string | null) => UpstreamRequest,
): EmbeddingAdapter {
  const provider = settings.name;
  return {
    buildRequest(body, model, apiKey) {
      const called = deploymentOf(settings, model) ?? model;
      return post('embed', embedBody(provider, body, called), apiKey);
    },
    readAnswer: (body, model) => readAnswer(provider, body, model),
  };
}

function embedBody(
  provider: string,
  body: Record<string, unknown>,
  model: string,
): Record<string, unknown> {
  const texts = body['input'] === undefined ? undefined : [body['input']].flat();
  if (texts?.some((text) => typeof text !== 'string'))
    throw unsupported(provider, 'embedding token numbers; send text');
  return {
    model,
    ...(texts ? { texts } : {}),
    input_type: 'search_document',
    // Cohere's base64 equals OpenAI's: little-endian 32-bit floats
    embedding_types: [body['encoding_format'] === 'base64' ? 'base64' : 'float'],
    ...(typeof body['dimensions'] === 'number' ? { output_dimension: body['dimensions'] } : {}),
    ...Object.fromEntries(
      ownFields.filter((field) => body[field] !== undefined).map((field) => [field, body[field]]),
    ),
  };
}

function readAnswer(provider: string, body: string, model: string): EmbeddingAnswer {
  const given = parseJson(body) as CohereEmbeddings | null;
  const vectors = Array.isArray(given?.embeddings)
    ? given.embeddings
    : (given?.embeddings?.base64 ?? given?.embeddings?.float);
  if (!Array.isArray(vectors)) throw unreadable(provider, 'the body has no embeddings');
  const billed = given?.meta?.billed_units;
  const promptTokens = billed ? (billed.input_tokens ?? 0) + (billed.image_tokens ?? 0) : null;
  return embeddingAnswer(model, vectors, promptTokens);
}
