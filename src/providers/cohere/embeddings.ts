import type { TaskAdapter, TaskAnswer, ProviderSettings, UpstreamRequest } from '../adapter.js';
import { deploymentOf } from '../called-model.js';
import { embeddingAnswer } from '../embedding-answer.js';
import { unreadable, unsupported } from '../failure.js';
import { parseJson } from '../json.js';
import { type Fields, pick } from '../../text/is-object.js';

/** Cohere's own fields, which a request may contain beside OpenAI's. */
const ownFields = ['input_type', 'truncate', 'images', 'inputs', 'max_tokens'];

interface CohereEmbeddings {
  embeddings?: { float?: number[][]; base64?: string[] } | number[][];
  meta?: { billed_units?: { input_tokens?: number; image_tokens?: number } };
}

/** Embeddings by `POST /v2/embed`. @param post makes the request for an operation and its body */
export function cohereEmbeddings(
  settings: ProviderSettings,
  post: (operation: 'embed', body: object, apiKey: string | null) => UpstreamRequest,
): TaskAdapter {
  const provider = settings.name;
  return {
    maxInputs: () => 96,
    buildRequest(body, model, apiKey) {
      const called = deploymentOf(settings, model) ?? model;
      return post(
        'embed',
        { model: called, ...pick(body, ['priority']), ...cohereInput(provider, body) },
        apiKey,
      );
    },
    readAnswer: (body, model, request) => readAnswer(provider, body, model, request),
  };
}

/** The input of an embedding. @throws GatewayError `request_refused` for lists of tokens */
export function textsOf(provider: string, { input }: Fields): string[] {
  const texts = [input ?? []].flat();
  if (texts.some((text) => typeof text !== 'string'))
    throw unsupported(provider, 'embedding token numbers; send text');
  return texts as string[];
}

/**
 * The body of `POST /v2/embed` without the model, which Bedrock has in the address.
 * @throws GatewayError `request_refused` for lists of tokens
 */
export function cohereInput(provider: string, body: Fields): Fields {
  const texts = textsOf(provider, body);
  return {
    ...(texts.length > 0 ? { texts } : {}),
    input_type: 'search_document',
    // Cohere's base64 equals OpenAI's: little-endian 32-bit floats
    embedding_types: [body['encoding_format'] === 'base64' ? 'base64' : 'float'],
    ...(typeof body['dimensions'] === 'number' ? { output_dimension: body['dimensions'] } : {}),
    ...pick(body, ownFields),
  };
}

function readAnswer(provider: string, body: string, model: string, request: Fields): TaskAnswer {
  const given = parseJson(body) as CohereEmbeddings | null;
  const vectors = Array.isArray(given?.embeddings)
    ? given.embeddings
    : (given?.embeddings?.base64 ?? given?.embeddings?.float);
  if (!Array.isArray(vectors)) throw unreadable(provider, 'the body has no embeddings');
  const billed = given?.meta?.billed_units;
  const promptTokens = billed ? (billed.input_tokens ?? 0) + (billed.image_tokens ?? 0) : null;
  return embeddingAnswer(provider, model, vectors, promptTokens, request);
}
