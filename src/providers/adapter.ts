import type {
  ChatRequest,
  Completion,
  CompletionSink,
  EventReader,
  SharedDialect,
  Usage,
} from '../completion.js';
import type { GatewayError } from '../errors.js';

/** A provider as configured; environment variables are already filled in. */
export interface ProviderSettings {
  /** The part before the slash in `<provider>/<model>`. */
  name: string;
  /** The dialect: a key of the provider table. */
  api: string;
  /** The root of the API, without a trailing slash; absent: the dialect's default. */
  baseUrl?: string;
  /** Extra headers for each call. Lower-case names. */
  headers?: Record<string, string>;
  /** Whether requests ask Claude to keep their beginning. Absent: only where the client does. */
  cacheBreakpoints?: boolean;
  /** AWS or Google region. */
  region?: string;
  /** Google Cloud project. */
  project?: string;
  /** Azure's `api-version`, Anthropic's `anthropic-version`. */
  apiVersion?: string;
  /** Our model name -> the provider's (Azure deployments, Bedrock inference profiles). */
  deployments?: Record<string, string>;
  /** AWS: a fixed access key instead of the default credential chain. */
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string;
  /**
   * Google: path of a service account's JSON file; absent: GOOGLE_APPLICATION_CREDENTIALS, then the
   * metadata server.
   */
  credentialsFile?: string;
}

/** What a model's own web search can do, which `web_search_options` of a request asks for. */
export interface NativeSearch {
  /** Whether a request may have function tools as well. */
  readonly withTools: boolean;
  /** Whether the model searches unasked. */
  readonly always: boolean;
  /** Whether it can be made to search (`required`). */
  readonly forced: boolean;
  /** Whether it keeps `max_uses`, so that what its searches cost has a bound. */
  readonly bounded: boolean;
  /** Whether `max_uses: 0` keeps it from searching, where it would otherwise do so unasked. */
  readonly stoppable?: boolean;
}

/** A request as the client sent it, for providers that speak its dialect. */
export interface OriginalRequest {
  readonly dialect: SharedDialect;
  readonly body: Readonly<Record<string, unknown>>;
  /** Those of the client's headers that may go to a provider. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** What of the client's query goes along, such as `?beta=true`; empty: nothing. */
  readonly query: string;
}

/** One call to one model. */
export interface ModelCall {
  request: ChatRequest;
  /** The provider's own name for the model. */
  model: string;
  /** Whether the provider is asked to stream; the client may have asked for something else. */
  stream: boolean;
  /** Sent in place of `request`, with the call's model; only for an adapter of its dialect. */
  original?: OriginalRequest;
}

/** A body that is too long to be printed at once: `inTurns` takes the steps that print it. */
export interface LongBody {
  print(): Generator<unknown, Buffer>;
  toString(): string;
}

/** An HTTP request to a provider, ready to send. */
export interface UpstreamRequest {
  method: 'GET' | 'POST';
  /** Absolute. */
  url: string;
  /** Lower-case names. The HTTP client adds `content-length` and `host`. */
  headers: Record<string, string>;
  body: string | Buffer | LongBody;
}

/** Response headers with lower-case names. */
export type UpstreamHeaders = Record<string, string | string[] | undefined>;

/** A whole answer in the internal dialect. */
export interface CompletionAnswer {
  completion: Completion;
  /** Null if the provider reported none. */
  usage: Usage | null;
  /** True if the completion differs from the provider's body, which then cannot be passed on. */
  rewritten?: boolean;
  /** The provider's finish reason, if it is not a known one; it counts as `stop`. */
  unknownFinish?: string;
}

/** Translates to and from one provider, without I/O; one for each configured provider. */
export interface ProviderAdapter {
  /** The configured provider's name, for messages and labels. */
  readonly name: string;
  /**
   * The dialect that the provider shares with clients, in which requests and answers are forwarded
   * unchanged; null: it has one of its own.
   */
  readonly dialect: SharedDialect | null;
  /** Whether a body of its dialect can be forwarded; absent: each. */
  takes?(body: OriginalRequest['body']): boolean;
  /**
   * A promise only where credentials must be fetched or the request signed.
   * @param apiKey the key for this call; null if the provider has none (local servers, ambient
   *   credentials)
   * @throws GatewayError `request_refused` for a request that this provider does not support; the
   *   next candidate is then tried
   */
  buildRequest(call: ModelCall, apiKey: string | null): UpstreamRequest | Promise<UpstreamRequest>;
  /**
   * Reads a whole body that came with a 2xx status.
   * @throws GatewayError for an error sent with status 200 (with the code that `readFailure` would
   *   give it), or `unreadable_answer`
   */
  readCompletion(body: string, call: ModelCall): CompletionAnswer;
  /** Reads a streamed body that came with a 2xx status. */
  readEvents(sink: CompletionSink, call: ModelCall): EventReader;
  /**
   * Interprets an answer with any other status; nothing else interprets a provider's errors.
   * @param body any text, possibly empty
   */
  readFailure(status: number, headers: UpstreamHeaders, body: string): GatewayError;
  /**
   * What the model's own web search can do; null if it has none, or none that names its sources.
   * Absent: no model of the provider has one. Cheap, and the same for the same name.
   */
  readonly webSearch?: (model: string) => NativeSearch | null;
  /** Absent: the provider does not count the tokens of a prompt. */
  readonly tokenCount?: TokenCountAdapter;
  /** Absent: the provider has no embeddings. */
  readonly embeddings?: TaskAdapter;
  /** Absent: the provider does not rerank. */
  readonly reranking?: TaskAdapter;
  /**
   * The fields of a request that a model does not take, or not so, and that are left out or changed
   * for it. Absent: the adapter cannot tell.
   */
  readonly leftOut?: (request: ChatRequest, model: string) => readonly string[];
  /** True: it takes OpenAI's custom tools. Others get functions in their place. */
  readonly customTools?: boolean | undefined;
  /** Whether a model goes on with an answer that the conversation ends with. Absent: not dependably. */
  readonly prefill?: (model: string) => boolean;
  /** Matches names of models that the provider serves by another API alone. */
  readonly elsewhere?: RegExp;
  /**
   * The provider's other API, where it gets a request: because a model takes it there alone, or
   * because it came in that API's dialect. Null: it is sent here. Absent: there is no other API.
   * @param dialect of the client
   */
  readonly instead?: (
    request: ChatRequest,
    model: string,
    dialect?: SharedDialect,
  ) => ProviderAdapter | null;
  /** Matches addresses of images that the provider does not open: it gets their bytes. */
  readonly unopenedImages?: RegExp;
  /** Absent: the provider has no list of models, or none of what can be called. */
  readonly modelList?: ModelListAdapter;
  /** Absent: the provider's requests are signed, so requests cannot be passed through. */
  readonly passthrough?: Passthrough;
}

/**
 * Where requests to the provider's own API are passed through to, and how they are authenticated.
 */
export interface Passthrough {
  /** Without a trailing slash; the client's path is appended. */
  readonly baseUrl: string;
  headers(apiKey: string | null): Record<string, string> | Promise<Record<string, string>>;
}

/** What a model is for. Only `chat` models can answer completions. */
export type ModelType =
  | 'chat'
  | 'completion'
  | 'embedding'
  | 'rerank'
  | 'moderation'
  | 'image'
  | 'video'
  | 'speech'
  | 'transcription'
  | 'realtime'
  | 'other';

/** One model, as its provider lists it. */
export interface ListedModel {
  /** The name to call it by. */
  readonly model: string;
  readonly type: ModelType;
  /** Seconds since 1970. */
  readonly created?: number;
  /** In tokens. */
  readonly contextLength?: number;
}

/** The provider's own list of models: a GET with the headers of pass-through. */
export interface ModelListAdapter {
  /** Absolute. */
  readonly url: string;
  /** Beside those that authenticate. */
  readonly headers: Record<string, string>;
  /** @throws GatewayError `unreadable_answer` */
  readModels(body: string): ListedModel[];
}

/** Asks a provider how many tokens a prompt has, in the dialect of its clients. */
export interface TokenCountAdapter {
  buildRequest(original: OriginalRequest, model: string, apiKey: string | null): UpstreamRequest;
  /** @throws GatewayError `unreadable_answer` */
  readCount(body: string): number;
}

/** What a model answered that embeds or reranks. */
export interface TaskAnswer {
  /** In the client's shape. */
  answer: object;
  /** The same as the provider wrote it; absent: it had to be corrected or translated. */
  text?: string;
  /** Null if the provider reported none. */
  promptTokens: number | null;
  /** Units of search that the provider bills; absent: it bills tokens. */
  searches?: number;
  /** In USD; undefined: the provider does not say. */
  costUsd?: number | undefined;
}

/** Translates `POST /v1/embeddings` or `POST /v1/rerank` in the client's shape, both ways. */
export interface TaskAdapter {
  /**
   * How many texts of a list the provider embeds in one call; longer lists are split. Absent: it has
   * no limit that is known.
   */
  maxInputs?(model: string): number;
  /** @throws GatewayError `request_refused` for input that the provider does not support */
  buildRequest(
    body: Record<string, unknown>,
    model: string,
    apiKey: string | null,
  ): UpstreamRequest | Promise<UpstreamRequest>;
  /**
   * @param request the body of the request, which says whether vectors are wanted as base64
   * @throws GatewayError for an error sent with status 200, or `unreadable_answer`
   */
  readAnswer(body: string, model: string, request: Record<string, unknown>): TaskAnswer;
}

/** What the provider table holds for each dialect. */
export interface ProviderDialect {
  /** The value of `api` in the configuration. */
  readonly api: string;
  /** Variables that turn the provider on under the name `api`; the first one set is the key. */
  readonly env: readonly string[];
  /** The root of the API; null if the configuration must give it. */
  readonly baseUrl: string | null;
  /** What OpenTelemetry's conventions call the provider (2026-11). Absent: as `api`. */
  readonly conventionalName?: string;
  /** The provider's id in the price data; null if it has none. */
  readonly pricesAs: string | null;
  /** False for local servers, and for dialects that find their own credentials. */
  readonly needsKey: boolean;
  /** The header in which the provider's SDK sends the key, lower case; absent: `authorization`. */
  readonly keyHeader?: string;
  /**
   * Request fields of this dialect that cost no more than the tokens that they are or make, beside
   * those that most dialects have.
   */
  readonly pricedFields?: readonly string[];
  /** How long a budget holds what a cut call may have cost, in ms. Absent: the provider bills it. */
  readonly cutCallHoldMs?: number;
  /** Matches names of models that charge for more than tokens. */
  readonly unpricedModels?: RegExp;
  /** Headers of the provider's SDKs to pass on, without secrets, in lower case; `*` may end one. */
  readonly passthroughHeaders?: readonly string[];
  /**
   * Paths of the provider's API that clients ask a gateway for, and that only pass-through reaches.
   */
  readonly ownPaths?: readonly string[];
  /** The body of an error as the provider's SDKs read it. Absent: as OpenAI's. */
  readonly errorBody?: (status: number, message: string) => object;
  /** @throws GatewayError `internal` if a required setting is missing */
  create(settings: ProviderSettings): ProviderAdapter;
}
