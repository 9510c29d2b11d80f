import { GatewayError } from '../../errors.js';
import type {
  TaskAdapter,
  ModelCall,
  NativeSearch,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
} from '../adapter.js';
import type { CompatibleSearch } from '../compatible-search.js';
import { deploymentOf, namesOf } from '../called-model.js';
import { checkVectors, packVector, unpackVector } from '../embedding-answer.js';
import { unsupported } from '../failure.js';
import { parseChecked } from '../json.js';
import { authHeaders, upstreamPost } from '../upstream-post.js';
import { modelList } from '../model-list.js';
import { rerankAdapter } from '../reranking.js';
import { searchRequestOf, withoutExtensions } from '../web-search/search-options.js';
import { readOpenAICompletion } from './answer.js';
import { type HistoryRules, historyAdapter } from './adapt-messages.js';
import { openAIEvents } from './events.js';
import { fitRequest, type RequestRules } from './fit-request.js';
import { openAIFailure, openAIFailureUnder200 } from './failure.js';
import { otherApiOf, type OtherApiRules } from './other-api.js';
import { type SearchReader, SearchSink, withFound } from './search-reader.js';
import { countIn, statedCostUsd } from './usage.js';
import { asList, isObject, type Json, objectsIn, present } from '../../text/is-object.js';

type OpenAIOperation = 'chat/completions' | 'embeddings' | 'rerank';

/** How a provider differs from OpenAI's own chat API. Every field is optional. */
export interface CompatibleQuirks
  extends
    Partial<Pick<ProviderDialect, 'env' | 'needsKey' | 'pricesAs'>>,
    Pick<ProviderDialect, 'pricedFields' | 'unpricedModels' | 'passthroughHeaders' | 'ownPaths'>,
    Pick<ProviderDialect, 'conventionalName' | 'cutCallHoldMs'>,
    Pick<ProviderAdapter, 'unopenedImages'>,
    OtherApiRules,
    RequestRules {
  /** The root of the API. Absent: the configuration must give it. */
  baseUrl?: string;
  /** False if the provider refuses `stream_options`; usage then comes unasked or is estimated. */
  streamOptions?: boolean;
  /** False if there are no embeddings. */
  embeddings?: boolean;
  /** As `TaskAdapter`; absent: not known. */
  maxInputs?: number;
  /** True if there is a `/rerank`. */
  reranking?: boolean;
  /** False if the provider has no list of models, or lists what has to be deployed first. */
  modelList?: boolean;
  /** The models' own web search; absent: they have none. */
  search?: CompatibleSearch;
  /** What it takes of a conversation that others began. Absent: what every provider takes. */
  history?: HistoryRules;
  /** Last changes to a chat request's body, in place. */
  adaptBody?: (body: Record<string, unknown>, settings: ProviderSettings) => void;
  /** The URL of a call; absent: `<baseUrl>/<operation>`. */
  urlOf?: (
    settings: ProviderSettings,
    baseUrl: string,
    operation: OpenAIOperation,
    model: string,
  ) => string;
  /** The header that holds the key; absent: `authorization`, as a bearer token. */
  keyHeader?: string;
}

/** Makes the dialect of a provider that speaks OpenAI's chat API. */
export const openAICompatible = (api: string, quirks: CompatibleQuirks = {}): ProviderDialect => ({
  ...quirks,
  api,
  env: quirks.env ?? [],
  baseUrl: quirks.baseUrl ?? null,
  pricesAs: quirks.pricesAs === undefined ? api : quirks.pricesAs,
  needsKey: quirks.needsKey ?? true,
  create: (settings) => createAdapter(settings, quirks),
});

function createAdapter(settings: ProviderSettings, quirks: CompatibleQuirks): ProviderAdapter {
  const provider = settings.name;
  const baseUrl = settings.baseUrl ?? quirks.baseUrl;
  if (baseUrl === undefined)
    throw new GatewayError(
      'internal',
      `${provider} needs a baseUrl: api ${settings.api} has no default address`,
    );
  const post = requestMaker(settings, baseUrl, quirks);
  const adapt = historyAdapter(quirks.history ?? {});
  const other = otherApiOf({ ...settings, baseUrl }, quirks);
  // answers of other calls are passed on as they are
  const readerFor = ({ request, model }: ModelCall): SearchReader | undefined =>
    request.web_search_options || abilityOf(quirks.search, settings, model)?.always
      ? quirks.search?.reader
      : undefined;
  return {
    name: provider,
    ...other,
    dialect: 'chat',
    buildRequest: (call, apiKey) =>
      post('chat/completions', chatBody(call, settings, quirks, adapt), call.model, apiKey),
    readCompletion(body, call) {
      const answer = readOpenAICompletion(provider, body, call.model, call.request.n);
      const searches = readerFor(call);
      return searches ? withFound(answer, searches) : answer;
    },
    readEvents(sink, call) {
      const searches = readerFor(call);
      const reader = searches ? new SearchSink(sink, searches) : sink;
      return openAIEvents(reader, provider, call.request);
    },
    readFailure: openAIFailure(provider),
    customTools: quirks.openaiTools,
    leftOut: (request, model) =>
      other.instead?.(request, model)?.leftOut?.(request, model) ??
      fitRequest({ ...request }, namesOf(settings, model), quirks),
    ...(quirks.search && { webSearch: (model) => abilityOf(quirks.search, settings, model) }),
    prefill: () => typeof quirks.history?.started === 'object',
    unopenedImages: quirks.unopenedImages,
    passthrough: { baseUrl, headers: (apiKey) => authHeaders(apiKey, settings, quirks.keyHeader) },
    ...(quirks.modelList !== false && {
      modelList: modelList(provider, { url: `${baseUrl}/models` }),
    }),
    ...(quirks.embeddings !== false && { embeddings: embeddingAdapter(settings, post, quirks) }),
    ...(quirks.reranking && {
      reranking: rerankAdapter(settings, (...asked) => post('rerank', ...asked)),
    }),
  };
}

type RequestMaker = ReturnType<typeof requestMaker>;

function requestMaker(settings: ProviderSettings, baseUrl: string, quirks: CompatibleQuirks) {
  const urlOf = quirks.urlOf ?? ((_settings, root, operation) => `${root}/${operation}`);
  return (operation: OpenAIOperation, body: object, model: string, apiKey: string | null) =>
    upstreamPost(
      urlOf(settings, baseUrl, operation, model),
      body,
      authHeaders(apiKey, settings, quirks.keyHeader),
    );
}

function chatBody(
  call: ModelCall,
  settings: ProviderSettings,
  quirks: CompatibleQuirks,
  adapt: ReturnType<typeof historyAdapter>,
): Record<string, unknown> {
  const { stream_options: streamOptions, n } = call.request;
  if (n && n > 1 && quirks.oneAnswer) throw unsupported(settings.name, 'more than one choice', 'n');
  // the model first: adding it after the spread costs 3 µs more
  const model = deploymentOf(settings, call.model) ?? call.model;
  const body: Record<string, unknown> = { model, ...call.request };
  // which strict servers refuse; JSON omits undefined
  for (const field in body) if (body[field] === null) body[field] = undefined;
  body['messages'] = adapt(call.request.messages, call.model);
  fitRequest(body, namesOf(settings, call.model), quirks);
  if (call.stream) body['stream'] = true;
  if (call.stream && quirks.streamOptions !== false)
    body['stream_options'] = { ...streamOptions, include_usage: true };
  else if (streamOptions !== undefined) delete body['stream_options'];
  if (body['web_search_options']) adaptSearch(body, call, settings, quirks);
  quirks.adaptBody?.(body, settings);
  return body;
}

/** Either name, ours or the provider's, may be one that tells nothing of the model. */
function abilityOf(
  search: CompatibleSearch | undefined,
  settings: ProviderSettings,
  model: string,
): NativeSearch | null {
  const name = deploymentOf(settings, model);
  return search?.ability(model) ?? (name === undefined ? null : (search?.ability(name) ?? null));
}

/** Asks for the search in the provider's own words, where it has them. */
function adaptSearch(
  body: Record<string, unknown>,
  { request, model }: ModelCall,
  settings: ProviderSettings,
  { search }: CompatibleQuirks,
): void {
  const asked = searchRequestOf(request);
  if (asked && search?.ask && abilityOf(search, settings, model)) {
    delete body['web_search_options'];
    search.ask(body, asked);
  } else if (request.web_search_options)
    body['web_search_options'] = withoutExtensions(request.web_search_options);
}

/** Local servers send numbers where base64 was asked for, and others the other way round. */
function inFormat(sent: unknown, format: unknown): unknown {
  // llama.cpp has a list around them
  const isNested = Array.isArray(sent) && sent.length === 1 && Array.isArray(sent[0]);
  const given: unknown = isNested ? sent[0] : sent;
  if (Array.isArray(given)) return format === 'base64' ? packVector(given as number[]) : given;
  const isPacked = typeof given === 'string' && given !== '';
  return isPacked && (format ?? 'float') === 'float' ? unpackVector(given) : given;
}

/** What a body has, which may be a bare list, or one of vectors alone. */
function embeddingsIn(body: unknown): { answer: Json; sent: Json[] } {
  const answer = Array.isArray(body) ? { data: body } : isObject(body) ? body : {};
  // Ollama's own API names them `embeddings`
  const items = asList(answer['data'] ?? answer['embeddings']).map((item) =>
    Array.isArray(item) ? { embedding: item } : item,
  );
  return { answer, sent: objectsIn(items as Json[]) };
}

/** The vectors of an answer; some servers count from 1, or have 0 for each. */
const inOrder = (sent: readonly Json[], format: unknown) =>
  sent
    .map((item, at) => ({
      ...item,
      object: 'embedding',
      index: countIn(item['index']) ?? at,
      embedding: inFormat(item['embedding'], format),
    }))
    .sort((one, other) => one.index - other.index)
    .map((item, index) => ({ ...item, index }));

function embeddingAdapter(
  settings: ProviderSettings,
  post: RequestMaker,
  { maxInputs }: CompatibleQuirks,
): TaskAdapter {
  const provider = settings.name;
  return {
    ...(maxInputs === undefined ? {} : { maxInputs: () => maxInputs }),
    buildRequest(body, model, apiKey) {
      const called = deploymentOf(settings, model) ?? model;
      // some servers refuse null
      return post('embeddings', { ...present(body), model: called }, model, apiKey);
    },
    readAnswer(body, model, request) {
      const { value, isValid } = parseChecked(body);
      const { answer, sent } = embeddingsIn(value);
      if (answer['error']) throw openAIFailureUnder200(provider, answer);
      const data = inOrder(sent, request['encoding_format']);
      const asked = checkVectors(
        provider,
        data.map(({ embedding }) => embedding),
        request,
      );
      const usage = isObject(answer['usage']) ? answer['usage'] : {};
      const { prompt_tokens: input, total_tokens: total } = usage;
      const promptTokens = countIn(input) ?? countIn(total) ?? null;
      const counts = { prompt_tokens: promptTokens ?? 0, total_tokens: promptTokens ?? 0 };
      const isRight =
        answer['object'] === 'list' &&
        typeof answer['model'] === 'string' &&
        [answer['data']].flat().length === asked &&
        input === promptTokens &&
        total === promptTokens &&
        sent.every(
          ({ object, index, embedding }, at) =>
            object === 'embedding' && index === at && embedding === data[at]?.embedding,
        );
      return {
        answer: { object: 'list', model, ...answer, data, usage: { ...usage, ...counts } },
        ...(isRight && isValid ? { text: body } : {}),
        promptTokens,
        costUsd: statedCostUsd(usage),
      };
    },
  };
}
