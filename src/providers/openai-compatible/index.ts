import { type Completion, type OpenAIUsage } from '../../completion.js';
import { GatewayError } from '../../errors.js';
import type {
  CompletionAnswer,
  EmbeddingAdapter,
  ModelCall,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import { parseJson } from '../failure.js';
import { notACompletion, openAIEvents, splitContentParts } from './events.js';
import { errorIn, openAIFailure, openAIFailureUnder200 } from './failure.js';
import { readOpenAIUsage } from './usage.js';
import { packVector } from '../pack-vector.js';

/** What sets one member of the family apart from OpenAI's own chat API. Everything is optional: a plain server needs nothing. */
export interface CompatibleQuirks {
  /** Environment variables whose presence turns the provider on; the first that is set holds the key. */
  env?: readonly string[];
  /** The API's root. Absent: the configuration must give it. */
  baseUrl?: string;
  /** Its id in the price data, where that is not its own name. Null: it has no prices there. */
  pricesAs?: string | null;
  /** False for local servers. */
  needsKey?: boolean;
  /** False where `stream_options` is refused; usage then comes without being asked for, or is estimated. */
  streamOptions?: boolean;
  /** False where streams may end without `[DONE]`; the finish reason is then the end marker. */
  endsWithDone?: boolean;
  /** False where there are no embeddings. */
  embeddings?: boolean;
  /** Last changes to a request's body; may change it in place. */
  adaptBody?: (body: Record<string, unknown>, settings: ProviderSettings) => void;
  /** Where a call goes; absent: `<baseUrl>/<operation>`. */
  urlOf?: (
    settings: ProviderSettings,
    baseUrl: string,
    operation: 'chat/completions' | 'embeddings',
    model: string,
  ) => string;
  /** How the key is shown; absent: as a bearer token. */
  keyHeader?: (apiKey: string) => Record<string, string>;
}

/** Makes a dialect of the family: a name and what is different about it. */
export function openAICompatible(api: string, quirks: CompatibleQuirks = {}): ProviderDialect {
  return {
    api,
    env: quirks.env ?? [],
    baseUrl: quirks.baseUrl ?? null,
    pricesAs: quirks.pricesAs === undefined ? api : quirks.pricesAs,
    needsKey: quirks.needsKey ?? true,
    create: (settings) => createAdapter(settings, quirks),
  };
}

function createAdapter(settings: ProviderSettings, quirks: CompatibleQuirks): ProviderAdapter {
  const provider = settings.name;
  const baseUrl = settings.baseUrl ?? quirks.baseUrl;
  if (baseUrl === undefined)
    throw new GatewayError(
      'internal',
      `${provider} needs a baseUrl: there is no usual address for api ${settings.api}`,
    );
  const post = requestMaker(settings, baseUrl, quirks);
  return {
    name: provider,
    speaksInternalDialect: true,
    buildRequest: (call, apiKey) =>
      post('chat/completions', chatBody(call, settings, quirks), call.model, apiKey),
    readCompletion: (body) => readCompletion(provider, body),
    readEvents: (sink) =>
      openAIEvents(sink, { provider, endsWithDone: quirks.endsWithDone ?? true }),
    readFailure: (status, headers, body) => openAIFailure(provider, status, headers, body),
    passthrough: {
      baseUrl,
      headers: (apiKey) => ({
        ...(apiKey === null ? {} : keyHeaderOf(quirks)(apiKey)),
        ...settings.headers,
      }),
    },
    ...(quirks.embeddings === false ? {} : { embeddings: embeddingAdapter(provider, post) }),
  };
}

const bearer = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` });
const keyHeaderOf = (quirks: CompatibleQuirks): ((apiKey: string) => Record<string, string>) =>
  quirks.keyHeader ?? bearer;

type PostMaker = (
  operation: 'chat/completions' | 'embeddings',
  body: object,
  model: string,
  apiKey: string | null,
) => UpstreamRequest;

function requestMaker(
  settings: ProviderSettings,
  baseUrl: string,
  quirks: CompatibleQuirks,
): PostMaker {
  const urlOf = quirks.urlOf ?? ((_settings, root, operation) => `${root}/${operation}`);
  const keyHeader = keyHeaderOf(quirks);
  return (operation, body, model, apiKey) => ({
    method: 'POST',
    url: urlOf(settings, baseUrl, operation, model),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(apiKey === null ? {} : keyHeader(apiKey)),
      ...settings.headers,
    },
    body: JSON.stringify(body),
  });
}

function chatBody(
  call: ModelCall,
  settings: ProviderSettings,
  quirks: CompatibleQuirks,
): Record<string, unknown> {
  const { stream_options: streamOptions } = call.request;
  // the name first: added after a spread it costs 3 µs more
  const body: Record<string, unknown> = { model: call.model, ...call.request };
  if (call.stream) body['stream'] = true;
  if (call.stream && quirks.streamOptions !== false)
    body['stream_options'] = { ...streamOptions, include_usage: true };
  else if (streamOptions !== undefined) delete body['stream_options'];
  quirks.adaptBody?.(body, settings);
  return body;
}

function readCompletion(provider: string, body: string): CompletionAnswer {
  const completion = parseJson(body) as Completion | null;
  if (typeof completion !== 'object' || completion === null) throw notACompletion(provider);
  const error = errorIn(completion);
  if (error !== null) throw openAIFailureUnder200(provider, error);
  if (!Array.isArray(completion.choices)) throw notACompletion(provider);
  let rewritten = false;
  for (const choice of completion.choices) {
    const unfit = typeof choice.message !== 'object' || (choice.message as unknown) === null;
    // Azure leaves the message out where its filter stepped in
    if (unfit) choice.message = { role: 'assistant', content: null };
    const inParts = Array.isArray(choice.message.content);
    if (inParts) splitContentParts(choice.message);
    rewritten ||= unfit || inParts;
  }
  return { completion, usage: readOpenAIUsage(completion.usage), rewritten };
}

function embeddingAdapter(provider: string, post: PostMaker): EmbeddingAdapter {
  return {
    buildRequest: (body, model, apiKey) => post('embeddings', { ...body, model }, model, apiKey),
    readAnswer(body, _model, request) {
      const answer = parseJson(body) as {
        data?: { embedding?: unknown }[];
        usage?: OpenAIUsage;
        error?: unknown;
      } | null;
      if (answer?.error) throw openAIFailureUnder200(provider, answer);
      if (!Array.isArray(answer?.data)) throw notACompletion(provider);
      // local servers answer with numbers whatever was asked, and a client that asked for base64 reads nothing in them
      if (request['encoding_format'] === 'base64')
        for (const item of answer.data)
          if (Array.isArray(item.embedding))
            item.embedding = packVector(item.embedding as number[]);
      return { answer, promptTokens: answer.usage?.prompt_tokens ?? null };
    },
  };
}
