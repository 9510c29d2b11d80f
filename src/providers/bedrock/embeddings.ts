import type { EmbeddingAdapter, UpstreamRequest } from '../adapter.js';
import { refusal } from './content.js';
import { parseJson, unreadable } from '../failure.js';
import { packVector } from '../pack-vector.js';

type Fields = Record<string, unknown>;

/** Fields of the models' own that a client may give beside OpenAI's. */
const titanFields = ['normalize'];
const cohereFields = ['input_type', 'truncate', 'images', 'inputs', 'max_tokens'];

const given = (body: Fields, fields: readonly string[]): Fields =>
  Object.fromEntries(
    fields.filter((field) => body[field] !== undefined).map((field) => [field, body[field]]),
  );

function textsOf(body: Fields, provider: string): string[] {
  const texts = [body['input'] ?? []].flat();
  if (texts.some((text) => typeof text !== 'string'))
    throw refusal(provider, 'Bedrock embeds text, not token numbers');
  return texts as string[];
}

function titanBody(body: Fields, provider: string): Fields {
  const texts = textsOf(body, provider);
  if (texts.length !== 1) throw refusal(provider, 'Titan embeds one text at a time');
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

/** An embedding adapter that also takes the request when it reads the answer: only the request says how vectors are to be written. */
export interface BedrockEmbeddingAdapter extends EmbeddingAdapter {
  readAnswer(
    body: string,
    model: string,
    request?: Record<string, unknown>,
  ): { answer: unknown; promptTokens: number | null };
}

function vectorsOf(answer: InvokeAnswer | null): number[][] | null {
  if (Array.isArray(answer?.embedding)) return [answer.embedding];
  const several = Array.isArray(answer?.embeddings) ? answer.embeddings : answer?.embeddings?.float;
  return Array.isArray(several) ? several : null;
}

/**
 * Embeddings of Titan and of Cohere's models, each in its own words. Titan takes one text at a time; Cohere's bodies do not
 * tell their tokens.
 * @param post makes the request for a model and a body
 */
export function bedrockEmbeddings(
  provider: string,
  post: (
    model: string,
    body: object,
    apiKey: string | null,
  ) => UpstreamRequest | Promise<UpstreamRequest>,
): BedrockEmbeddingAdapter {
  return {
    buildRequest: (body, model, apiKey) =>
      post(
        model,
        model.includes('cohere') ? cohereBody(body, provider) : titanBody(body, provider),
        apiKey,
      ),
    readAnswer(body, model, request = {}) {
      const answer = parseJson(body) as InvokeAnswer | null;
      const vectors = vectorsOf(answer);
      if (!vectors) throw unreadable(provider, 'a body that has no embeddings');
      const write =
        request['encoding_format'] === 'base64'
          ? packVector
          : (vector: number[]): unknown => vector;
      const promptTokens = answer?.inputTextTokenCount ?? null;
      return {
        answer: {
          object: 'list',
          data: vectors.map((embedding, index) => ({
            object: 'embedding',
            index,
            embedding: write(embedding),
          })),
          model,
          usage: { prompt_tokens: promptTokens ?? 0, total_tokens: promptTokens ?? 0 },
        },
        promptTokens,
      };
    },
  };
}
