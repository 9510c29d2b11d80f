import type {
  CompletionAnswer,
  ListedModel,
  ModelCall,
  ModelType,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import type { CohereAnswer } from './answer.js';
import { cohereEmbeddings } from './embeddings.js';
import { cohereCompletion, cohereEvents } from './events.js';
import { cohereChatBody } from './request.js';
import { answerFromV1, type CohereV1Answer } from './v1.js';
import { deployed } from '../called-model.js';
import { plainReason, providerFailure, unreadable } from '../failure.js';
import { withoutWord } from '../fit-parameters.js';
import { parseJson, parseObject } from '../json.js';
import { authHeaders, upstreamPost } from '../upstream-post.js';
import { modelList } from '../model-list.js';
import { rerankAdapter } from '../reranking.js';
import { type Fields, namesIn } from '../../text/is-object.js';

const defaultBaseUrl = 'https://api.cohere.com/v2';

/** Cohere's chat and embed APIs, version 2. It also reads answers of version 1. */
export const cohere: ProviderDialect = {
  api: 'cohere',
  env: ['COHERE_API_KEY', 'CO_API_KEY'],
  baseUrl: defaultBaseUrl,
  pricesAs: 'cohere',
  needsKey: true,
  pricedFields: namesIn(`
    documents citation_options safety_mode strict_tools raw_prompting priority stop_sequences k p
  `),
  create: createAdapter,
};

/** Fields of the chat API that Cohere has no word for. */
const wordless = namesIn(`
  top_logprobs logit_bias parallel_tool_calls verbosity prediction service_tier
`);

function createAdapter(settings: ProviderSettings): ProviderAdapter {
  const provider = settings.name;
  const baseUrl = settings.baseUrl ?? defaultBaseUrl;
  const post = (
    operation: 'chat' | 'embed' | 'rerank',
    body: object,
    apiKey: string | null,
  ): UpstreamRequest =>
    upstreamPost(`${baseUrl}/${operation}`, body, authHeaders(apiKey, settings));
  return {
    name: provider,
    dialect: null,
    // it tells the type by the extension
    unopenedImages: /^https?:[^?#]*(?<!\.(?:png|jpe?g|gif|webp))(?:[?#]|$)/i,
    buildRequest: (call, apiKey) =>
      post('chat', cohereChatBody(provider, deployed(settings, call)), apiKey),
    readCompletion: (body, call) => readCompletion(provider, body, call),
    readEvents: (sink, call) => cohereEvents(sink, provider, call.model),
    readFailure: cohereFailure(provider),
    leftOut: (request) => withoutWord(request, wordless),
    passthrough: { baseUrl, headers: (apiKey) => authHeaders(apiKey, settings) },
    modelList: modelList(provider, {
      // the list belongs to the older version alone
      url: `${baseUrl.replace(/\/v2$/, '/v1')}/models?page_size=1000`,
      read: readModel,
    }),
    embeddings: cohereEmbeddings(settings, post),
    reranking: rerankAdapter(settings, (body, _model, apiKey) => post('rerank', body, apiKey)),
  };
}

/** `{name, endpoints: ['chat', 'embed', 'rerank'], context_length}` */
function readModel({ name, endpoints, context_length: length }: Fields): ListedModel | null {
  if (typeof name !== 'string') return null;
  const serves = Array.isArray(endpoints) ? (endpoints as unknown[]) : ['chat'];
  const type: ModelType = serves.includes('chat')
    ? 'chat'
    : serves.includes('embed')
      ? 'embedding'
      : serves.includes('rerank')
        ? 'rerank'
        : 'other';
  return {
    model: name,
    type,
    ...(typeof length === 'number' && length > 0 ? { contextLength: length } : {}),
  };
}

function readCompletion(provider: string, body: string, call: ModelCall): CompletionAnswer {
  const answer = parseObject(provider, body, 'the body') as { message?: unknown };
  if (typeof answer.message === 'string')
    throw providerFailure({ provider, status: null, reason: answer.message });
  if (typeof answer.message === 'object' && answer.message !== null)
    return cohereCompletion(provider, answer as CohereAnswer, call.model);
  if ('text' in answer)
    return cohereCompletion(provider, answerFromV1(answer as CohereV1Answer), call.model);
  throw unreadable(provider, 'the body has no message');
}

/** Cohere's errors are `{id, message}`, sometimes with an `error_type`. */
const cohereFailure =
  (provider: string): ProviderAdapter['readFailure'] =>
  (status, headers, body) => {
    const parsed = parseJson(body) as { message?: unknown; error_type?: unknown } | null;
    const message = typeof parsed?.message === 'string' ? parsed.message : '';
    // the message repeats a refused key, which has no recognisable prefix
    const reason = (message || plainReason(body)).replace(
      /(api key provided:\s*)\S+/i,
      '$1[redacted]',
    );
    return providerFailure({
      provider,
      status,
      headers,
      reason,
      own: { code: parsed?.error_type },
      // the prompt or the answer contains a blocked word
      ...(status === 498 && { code: 'request_refused' }),
    });
  };
