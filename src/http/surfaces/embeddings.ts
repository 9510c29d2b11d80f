import type { RequestHandler } from 'express';
import { embed, type EmbeddingCall } from '../../pipeline/embed.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { cancelWhenClosed, requestOf, sendRateLimits } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { openAIErrors } from './openai-error.js';

/** OpenAI's embeddings. */
export const embeddings = openAIErrors('embeddings');

/** Answers `POST /v1/embeddings`. */
export function createEmbeddings(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const request = requestOf(res);
    cancelWhenClosed(request, res);
    const vectors = await embed(parts, request, req.body as EmbeddingCall).finally(() =>
      sendRateLimits(request, res),
    );
    sendJson(res, 200, vectors as object);
  });
}
