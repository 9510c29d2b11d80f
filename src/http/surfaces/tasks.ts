import type { RequestHandler } from 'express';
import { runModelTask, type ModelTask, type TaskRequest } from '../../pipeline/run-model-task.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { cancelWhenClosed, requestOf, sendRateLimits } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { openAIErrorBody, openAIErrors } from './openai-error.js';
import type { Surface } from './surface.js';

/** OpenAI's embeddings. */
export const embeddings = openAIErrors('embeddings');

/** Reranking in the shape of Cohere and Jina, whose SDKs read `message` of an error. */
export const rerank: Surface = {
  ...openAIErrors('rerank'),
  errorBody: (error) => ({ ...openAIErrorBody(error), message: error.message }),
};

/** Answers `POST /v1/embeddings` and `POST /v1/rerank`. */
export function doTask(parts: GatewayParts, task: ModelTask): RequestHandler {
  return answer(async (req, res) => {
    const request = requestOf(res);
    cancelWhenClosed(request, res);
    const done = await runModelTask(parts, request, task, req.body as TaskRequest).finally(() =>
      sendRateLimits(request, res),
    );
    sendJson(res, 200, done.text ?? done.answer);
  });
}
