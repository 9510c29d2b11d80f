import type { EmbeddingAdapter, UpstreamRequest } from '../adapter.js';
import { unreadable, unsupported } from '../failure.js';
import { parseJson } from '../json.js';
import { embeddingAnswer } from '../embedding-answer.js';

type Fields = Record<string, unknown>;

/** The models' own fields, which a request may contain beside OpenAI's. */
const titanFields = ['normalize'];
const cohereFields = ['input_type', 'truncate', 'images', 'inputs', 'max_tokens'];

const given = (body: Fields, fields: readonly string[]): Fields =>
  Object.fromEntries(
    fields.filter((field) => body[field] !== undefined).map((field) => [field, body[field]]),
  );

function textsOf(body: Fields, provider: string): string[] {
  const texts = [body['input'] ?? []].flat();
  if (texts.some((text) => typeof text !== 'string'))
    throw unsupported(provider, 'embedding token numbers; send text');
  return texts as string[];
}

function titanBody(body: Fields, provider: string): Fields {
  const texts = textsOf(body, provider);
  if (texts.length !== 1)
    throw unsupported(provider, 'several texts in one embedding request with Titan');
  return {
    inputText: texts[0],
    ...(typeof body['dimensions'] === 'number' ? { dimensions: body['dimensions'] } : {}),
    ...given(body, titanFields),
  };
}

function cohereBody(body: Fields, provider: string): Fields {
  const texts = textsOf(body, provider);
  return {
    ...(texts.length > 0 ? { texts } : {}),
    input_type: 'search_document',
    embedding_types: ['float'],
    ...(typeof body['dimensions'] === 'number' ? { output_dimension: body['dimensions'] } : {}),
    ...given(body, cohereFields),
  };
}

interface InvokeAnswer {
  embedding?: number[];
  inputTextTokenCount?: number;
  embeddings?: { float?: number[][] } | number[][];
}

function vectorsOf(answer: InvokeAnswer | null): number[][] | null {
  if (Array.isArray(answer?.embedding)) return [answer.embedding];
  const several = Array.isArray(answer?.embeddings) ? answer.embeddings : answer?.embeddings?.float;
  return Array.isArray(several) ? several : null;
}

/**
 * Embeddings of Titan's and Cohere's models, each in its own format. Titan takes one text at a
 * time; Cohere's answers do not report tokens.
 * @param post makes the request for a model and a body
 */
export function bedrockEmbeddings(
  provider: string,
  post: (
    model: string,
    body: object,
    apiKey: string | null,
  ) => UpstreamRequest | Promise<UpstreamRequest>,
): EmbeddingAdapter {
  return {
    buildRequest: (body, model, apiKey) =>
      post(
        model,
        model.includes('cohere') ? cohereBody(body, provider) : titanBody(body, provider),
        apiKey,
      ),
    readAnswer(body, model, request) {
      const answer = parseJson(body) as InvokeAnswer | null;
      const vectors = vectorsOf(answer);
      if (!vectors) throw unreadable(provider, 'the body has no embeddings');
      return embeddingAnswer(model, vectors, answer?.inputTextTokenCount ?? null, request);
    },
  };
}
