import { GatewayError } from '../../errors.js';
import type { TaskAdapter, UpstreamRequest } from '../adapter.js';
import { unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { embeddingAnswer } from '../embedding-answer.js';
import { googleFailureUnder200 } from './failure.js';

/** The input for an embedding model, in Google's terms. */
export interface EmbeddingInput {
  texts: string[];
  /** `outputDimensionality`, and Google's own fields in the request. */
  options: { outputDimensionality?: number; taskType?: string; title?: string };
}

/** One provider's wire format for embeddings. */
export interface EmbeddingWire {
  /** How many texts one call may have. */
  maxInputs(model: string): number;
  buildRequest(
    input: EmbeddingInput,
    model: string,
    apiKey: string | null,
  ): UpstreamRequest | Promise<UpstreamRequest>;
  /** @returns null if the body has no vectors */
  readVectors(body: unknown): { vectors: number[][]; promptTokens: number | null } | null;
}

/**
 * Translates OpenAI's embeddings to one of Google's wire formats. Lists of tokens are refused:
 * Google takes only text.
 */
export const googleEmbeddings = (provider: string, wire: EmbeddingWire): TaskAdapter => ({
  maxInputs: (model) => wire.maxInputs(model),
  buildRequest: (body, model, apiKey) => wire.buildRequest(inputOf(body, provider), model, apiKey),
  readAnswer(text, model, request) {
    const body = parseJson(text);
    if (typeof body === 'object' && body !== null && ('error' in body || Array.isArray(body)))
      throw googleFailureUnder200(provider, body);
    const read = wire.readVectors(body);
    if (!read) throw unreadable(provider, 'the body has no embeddings');
    return embeddingAnswer(provider, model, read.vectors, read.promptTokens, request);
  },
});

function inputOf(body: Record<string, unknown>, provider: string): EmbeddingInput {
  const input = body['input'];
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string')) {
    throw new GatewayError('request_refused', `${provider} embeds only a text or a list of texts`, {
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
