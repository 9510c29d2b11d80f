import type { TaskAdapter, UpstreamRequest } from '../adapter.js';
import { unreadable, unsupported } from '../failure.js';
import { parseJson } from '../json.js';
import { type Fields, pick } from '../../text/is-object.js';
import { cohereInput, textsOf } from '../cohere/embeddings.js';
import { embeddingAnswer } from '../embedding-answer.js';

function titanBody(provider: string, body: Fields): Fields {
  const texts = textsOf(provider, body);
  if (texts.length !== 1)
    throw unsupported(provider, 'several texts in one embedding request with Titan');
  return { inputText: texts[0], ...pick(body, ['dimensions', 'normalize']) };
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
 * time, Cohere 96; Cohere's answers do not report tokens.
 * @param post makes the request for a model and a body
 */
export const bedrockEmbeddings = (
  provider: string,
  post: (
    model: string,
    body: object,
    apiKey: string | null,
  ) => UpstreamRequest | Promise<UpstreamRequest>,
): TaskAdapter => ({
  maxInputs: (model) => (model.includes('cohere') ? 96 : 1),
  buildRequest: (body, model, apiKey) =>
    post(
      model,
      model.includes('cohere')
        ? { ...cohereInput(provider, body), embedding_types: ['float'] }
        : titanBody(provider, body),
      apiKey,
    ),
  readAnswer(body, model, request) {
    const answer = parseJson(body) as InvokeAnswer | null;
    const vectors = vectorsOf(answer);
    if (!vectors) throw unreadable(provider, 'the body has no embeddings');
    return embeddingAnswer(provider, model, vectors, answer?.inputTextTokenCount ?? null, request);
  },
});
