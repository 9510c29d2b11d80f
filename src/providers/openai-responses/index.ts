import type {
  CompletionAnswer,
  ModelCall,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
} from '../adapter.js';
import { deployed, deploymentOf } from '../called-model.js';
import { unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { authHeaders, upstreamPost } from '../upstream-post.js';
import { modelList } from '../model-list.js';
import { openAIFailure } from '../openai-compatible/failure.js';
import { openAICompatible } from '../openai-compatible/index.js';
import { type ResponsesAnswer, responsesFailure } from './answer.js';
import { responsesCompletion, responsesEvents } from './events.js';
import { responsesBody } from './request.js';
import { responsesSearch } from './web-search.js';

const defaultBaseUrl = 'https://api.openai.com/v1';
const chatApi = openAICompatible('openai-responses');

/**
 * The Responses API of OpenAI, xAI, DeepSeek, LM Studio or Bedrock. Only the configuration turns it
 * on; its embeddings are those of OpenAI's chat API.
 */
export const openaiResponses: ProviderDialect = {
  api: 'openai-responses',
  env: [],
  baseUrl: defaultBaseUrl,
  pricesAs: 'openai',
  needsKey: true,
  // neither `background` nor content of the provider's own store
  pricedFields: ['text', 'truncation'],
  ownPaths: ['/v1/responses'],
  create: createAdapter,
};

function createAdapter(settings: ProviderSettings): ProviderAdapter {
  const provider = settings.name;
  const baseUrl = settings.baseUrl ?? defaultBaseUrl;
  const { embeddings } = chatApi.create({ ...settings, baseUrl });
  return {
    name: provider,
    speaksInternalDialect: false,
    buildRequest: (call, apiKey) =>
      upstreamPost(
        `${baseUrl}/responses`,
        responsesBody(provider, deployed(settings, call), call.model),
        authHeaders(apiKey, settings),
      ),
    readCompletion: (body, call) => readCompletion(provider, body, call),
    readEvents: (sink, call) => responsesEvents(sink, provider, call),
    readFailure: (status, headers, body) => openAIFailure(provider, status, headers, body),
    webSearch: (model) => responsesSearch([model, deploymentOf(settings, model) ?? model]),
    passthrough: { baseUrl, headers: (apiKey) => authHeaders(apiKey, settings) },
    modelList: modelList(provider, { url: `${baseUrl}/models` }),
    ...(embeddings ? { embeddings } : {}),
  };
}

function readCompletion(provider: string, body: string, call: ModelCall): CompletionAnswer {
  const answer = parseJson(body) as ResponsesAnswer | null;
  if (typeof answer !== 'object' || answer === null)
    throw unreadable(provider, 'the body is not JSON');
  if (answer.error && !Array.isArray(answer.output)) throw responsesFailure(provider, answer);
  if (!Array.isArray(answer.output)) throw unreadable(provider, 'the body has no output');
  return responsesCompletion(provider, answer, call.model);
}
