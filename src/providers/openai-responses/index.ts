import type { ChatRequest } from '../../completion.js';
import { isObject, namesIn } from '../../text/is-object.js';
import type {
  CompletionAnswer,
  ModelCall,
  OriginalRequest,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
} from '../adapter.js';
import { collectAnswer } from '../answer-chunks.js';
import { deployed, namesOf } from '../called-model.js';
import { fitParameters, withoutWord } from '../fit-parameters.js';
import { parameterRules } from '../model-parameters.js';
import { unreadable } from '../failure.js';
import { parseObject } from '../json.js';
import { acceptsEvents, authHeaders, upstreamPost } from '../upstream-post.js';
import { modelList } from '../model-list.js';
import { openAIFailure } from '../openai-compatible/failure.js';
import { openAICompatible } from '../openai-compatible/index.js';
import { checkWhole, type ResponsesAnswer, responsesFailure } from './answer.js';
import { ResponsesEventReader, responsesEvents } from './events.js';
import { isRightResponse } from './own-events.js';
import { forwardedBody, responsesBody } from './request.js';
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
  conventionalName: 'openai',
  pricesAs: 'openai',
  needsKey: true,
  // neither `background` nor content of the provider's own store
  pricedFields: ['text', 'truncation'],
  passthroughHeaders: ['openai-beta', 'x-openai-internal-*'],
  ownPaths: ['/v1/responses'],
  create: createAdapter,
};

/** Fields of the chat API that this one has no word for. */
const wordless = namesIn(`
  seed logit_bias presence_penalty frequency_penalty prediction top_k stop
`);

function createAdapter(settings: ProviderSettings): ProviderAdapter {
  const provider = settings.name;
  const baseUrl = settings.baseUrl ?? defaultBaseUrl;
  const { embeddings } = chatApi.create({ ...settings, baseUrl });
  const fit = (request: ChatRequest, model: string): string[] =>
    fitParameters(request, namesOf(settings, model), parameterRules.grok, 'responses');
  const fitted = (call: ModelCall): ModelCall => {
    const request = { ...call.request };
    fit(request, call.model);
    return { ...call, request };
  };
  return {
    name: provider,
    dialect: 'responses',
    takes: (body) => isOpenAI.test(baseUrl) || !asksForSummary(body),
    buildRequest: (call, apiKey) =>
      upstreamPost(
        `${baseUrl}/responses${call.original?.query ?? ''}`,
        call.original
          ? forwardedBody(call.original, deployed(settings, call))
          : responsesBody(provider, deployed(settings, fitted(call)), call.model),
        authHeaders(apiKey, settings),
        { ...acceptsEvents, ...call.original?.headers },
      ),
    readCompletion: (body, call) => readCompletion(provider, body, call),
    readEvents: (sink, call) => responsesEvents(sink, provider, call),
    readFailure: openAIFailure(provider),
    webSearch: (model) => responsesSearch(namesOf(settings, model)),
    leftOut: (request, model) => [...fit({ ...request }, model), ...withoutWord(request, wordless)],
    passthrough: { baseUrl, headers: (apiKey) => authHeaders(apiKey, settings) },
    modelList: modelList(provider, { url: `${baseUrl}/models` }),
    ...(embeddings ? { embeddings } : {}),
  };
}

const isOpenAI = /^https:\/\/([\w-]+\.)*openai\.(azure\.)?com\//;

/** Only OpenAI sums conversations up when an item of the input asks for it (2026-11). */
const asksForSummary = ({ input }: OriginalRequest['body']): boolean =>
  Array.isArray(input) &&
  input.some((item) => isObject(item) && item['type'] === 'compaction_trigger');

function readCompletion(provider: string, body: string, call: ModelCall): CompletionAnswer {
  const answer = parseObject(provider, body, 'the body') as ResponsesAnswer;
  if (answer.error && !answer.output) throw responsesFailure(provider, answer);
  if (answer.output === undefined) throw unreadable(provider, 'the body has no output');
  checkWhole(provider, answer);
  const { model, original } = call;
  const read = collectAnswer((sink) => {
    new ResponsesEventReader(sink, provider, { model, original }).end(answer);
  }, model);
  for (const { message } of read.completion.choices)
    if (!message.tool_calls && !message.refusal) message.content ??= '';
  return isRightResponse(answer, answer.status ?? '') ? read : { ...read, rewritten: true };
}
