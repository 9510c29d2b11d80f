import { GatewayError } from '../../errors.js';
import type { EmbeddingAdapter, UpstreamRequest } from '../adapter.js';
import { parseJson, unreadable } from '../failure.js';
import { packVector } from '../pack-vector.js';
import { googleFailureUnder200 } from './failure.js';

/** What is asked of an embedding model, in Google's terms. */
export interface EmbeddingQuestion {
  texts: string[];
  /** `outputDimensionality` and whatever else of Google's the request names. */
  options: { outputDimensionality?: number; taskType?: string; title?: string };
}

/** One provider's wire format for embeddings. */
export interface EmbeddingWire {
  buildRequest(
    question: EmbeddingQuestion,
    model: string,
    apiKey: string | null,
  ): UpstreamRequest | Promise<UpstreamRequest>;
  /** @returns null where the body holds no vectors */
  readVectors(body: unknown): { vectors: number[][]; promptTokens: number | null } | null;
}

/** An embedding adapter that also takes the request when it reads the answer: only the request says how vectors are to be written. */
export interface GoogleEmbeddingAdapter extends EmbeddingAdapter {
  readAnswer(
    body: string,
    model: string,
    request?: Record<string, unknown>,
  ): { answer: unknown; promptTokens: number | null };
}

/** OpenAI's embeddings over one of Google's wire formats. @throws GatewayError `request_refused` for token lists: Google takes text only */
export function googleEmbeddings(provider: string, wire: EmbeddingWire): GoogleEmbeddingAdapter {
  return {
    buildRequest: (body, model, apiKey) =>
      wire.buildRequest(questionOf(body, provider), model, apiKey),
    readAnswer(text, model, request = {}) {
      const body = parseJson(text);
      if (typeof body === 'object' && body !== null && ('error' in body || Array.isArray(body)))
        throw googleFailureUnder200(provider, body);
      const read = wire.readVectors(body);
      if (!read) throw unreadable(provider, 'a body without embeddings');
      const write =
        request['encoding_format'] === 'base64'
          ? packVector
          : (vector: number[]): unknown => vector;
      const tokens = read.promptTokens ?? 0;
      return {
        answer: {
          object: 'list',
          data: read.vectors.map((vector, index) => ({
            object: 'embedding',
            index,
            embedding: write(vector),
          })),
          model,
          usage: { prompt_tokens: tokens, total_tokens: tokens },
        },
        promptTokens: read.promptTokens,
      };
    },
  };
}

function questionOf(body: Record<string, unknown>, provider: string): EmbeddingQuestion {
  const input = body['input'];
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string')) {
    throw new GatewayError('request_refused', `${provider} embeds a text or a list of texts only`, {
      field: 'input',
    });
  }
  const { dimensions, taskType, title } = body;
  return {
    texts,
    options: {
      ...(typeof dimensions === 'number' ? { outputDimensionality: dimensions } : {}),
      ...(typeof taskType === 'string' ? { taskType } : {}),
      ...(typeof title === 'string' ? { title } : {}),
    },
  };
}
