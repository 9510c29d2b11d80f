import type { ChatRequest, Completion, CompletionSink, EventReader, Usage } from '../completion.js';
import type { GatewayError } from '../errors.js';

/** A provider as the configuration describes it: values only, environment variables already filled in. */
export interface ProviderSettings {
  /** The name that stands before the slash in `<provider>/<model>`. */
  name: string;
  /** The dialect, a key of the provider table. */
  api: string;
  /** Where the API's root is, without a trailing slash; absent: the dialect's own. */
  baseUrl?: string;
  /** Extra headers for each call. */
  headers?: Record<string, string>;
  /** AWS or Google region. */
  region?: string;
  /** Google Cloud project. */
  project?: string;
  /** Azure's `api-version`, Anthropic's `anthropic-version`. */
  apiVersion?: string;
  /** Our model name -> what the provider calls it (Azure deployments, Bedrock inference profiles). */
  deployments?: Record<string, string>;
  /** AWS: a fixed access key instead of the default credential chain. */
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string;
  /** Google: path of a service account's JSON file; absent: GOOGLE_APPLICATION_CREDENTIALS, then the metadata server. */
  credentialsFile?: string;
}

/** One call to one model. `stream` is what is asked of the provider, not what the client asked of us. */
export interface ModelCall {
  request: ChatRequest;
  /** The provider's own name for the model. */
  model: string;
  stream: boolean;
}

export interface UpstreamRequest {
  method: 'GET' | 'POST';
  /** Absolute. */
  url: string;
  /** Lower-case names. `content-length` and `host` are added by the caller. */
  headers: Record<string, string>;
  body: string | Buffer;
}

/** Response headers with lower-case names. */
export type UpstreamHeaders = Record<string, string | string[] | undefined>;

/** A whole answer in the internal dialect. `usage` is null where the provider reported none. */
export interface CompletionAnswer {
  completion: Completion;
  usage: Usage | null;
  /** True where the completion says it otherwise than the provider's body, which then cannot be passed on as it is. */
  rewritten?: boolean;
}

/** Translates to and from one provider; does no I/O of its own. One instance for each configured provider. */
export interface ProviderAdapter {
  /** The configured provider's name, for messages and labels. */
  readonly name: string;
  /** True where the provider speaks the internal dialect: answers may be passed on byte for byte. */
  readonly speaksInternalDialect: boolean;
  /**
   * @param apiKey the key to use for this call, null where the provider has none (local servers, ambient credentials)
   * @throws GatewayError `request_refused` for what this provider cannot be asked (it is then passed over)
   */
  buildRequest(call: ModelCall, apiKey: string | null): UpstreamRequest | Promise<UpstreamRequest>;
  /** A whole body with a 2xx status. @throws GatewayError for an error under 200 (`readFailure`'s code for it) or `unreadable_answer` */
  readCompletion(body: string, call: ModelCall): CompletionAnswer;
  /** A streamed body with a 2xx status. */
  readEvents(sink: CompletionSink, call: ModelCall): EventReader;
  /** A body with any other status: the only place where a provider's error is interpreted. `body` may be any text or empty. */
  readFailure(status: number, headers: UpstreamHeaders, body: string): GatewayError;
  /** Absent: the provider has no embeddings. */
  readonly embeddings?: EmbeddingAdapter;
  /** Absent: its requests are signed, so nothing can be passed through. */
  readonly passthrough?: Passthrough;
}

/** Where any request to the provider's own API goes, and how its key is shown there. */
export interface Passthrough {
  /** Without a trailing slash; the client's path is appended. */
  readonly baseUrl: string;
  headers(apiKey: string | null): Record<string, string> | Promise<Record<string, string>>;
}

/** `POST /v1/embeddings` in OpenAI's shape, both ways. */
export interface EmbeddingAdapter {
  buildRequest(
    body: Record<string, unknown>,
    model: string,
    apiKey: string | null,
  ): UpstreamRequest | Promise<UpstreamRequest>;
  /**
   * @param request the body that was asked with: only it says whether vectors are to come as base64
   * @returns the answer in OpenAI's shape, and the prompt's tokens where they are reported
   */
  readAnswer(
    body: string,
    model: string,
    request: Record<string, unknown>,
  ): { answer: unknown; promptTokens: number | null };
}

/** What the provider table holds for each dialect. */
export interface ProviderDialect {
  /** The value of `api` in the configuration. */
  readonly api: string;
  /** Environment variables of which one that is set turns the provider on by itself, under the name `api`; the first holds the key. */
  readonly env: readonly string[];
  /** The API's root; null where the configuration must give it. */
  readonly baseUrl: string | null;
  /** The provider's id in the price data, null where it has none. */
  readonly pricesAs: string | null;
  /** False for servers that need no key (local ones) or that find their own credentials. */
  readonly needsKey: boolean;
  create(settings: ProviderSettings): ProviderAdapter;
}
