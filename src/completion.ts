/**
 * The internal dialect is OpenAI's chat dialect: surfaces and providers translate to and from it.
 * Fields that are not declared here are kept and forwarded.
 */
export interface ContentPart {
  /** `text`, `image_url`, `input_audio`, `file`, `refusal`, … */
  type: string;
  text?: string;
  image_url?: { url: string; detail?: string };
  [field: string]: unknown;
}

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
  [field: string]: unknown;
}

export interface ChatMessage {
  /** `system`, `developer`, `user`, `assistant`, `tool` (or the older `function`). */
  role: string;
  content?: string | ContentPart[] | null;
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  refusal?: string | null;
  /** Reasoning text of an assistant turn, as DeepSeek and others name it. */
  reasoning_content?: string | null;
  /**
   * Opaque reasoning blocks (signatures, encrypted text) that must be returned unchanged to the
   * provider.
   */
  reasoning_details?: unknown[];
  [field: string]: unknown;
}

export interface ToolDefinition {
  type: 'function';
  function: {
    name: string;
    description?: string;
    parameters?: Record<string, unknown>;
    strict?: boolean | null;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/** How much a model reasons before it answers, from not at all to as much as it can. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof efforts)[number];

/** A value as an effort; null if it is none. */
export function effortOf(value: unknown): ReasoningEffort | null {
  return efforts.find((effort) => effort === value) ?? null;
}

/** A chat request without `model` and `stream`, which each attempt sets. */
export interface ChatRequest {
  messages: ChatMessage[];
  temperature?: number | null;
  top_p?: number | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  stop?: string | string[] | null;
  n?: number | null;
  seed?: number | null;
  tools?: ToolDefinition[] | null;
  tool_choice?:
    | 'none'
    | 'auto'
    | 'required'
    | { type: string; function?: { name: string }; [field: string]: unknown }
    | null;
  parallel_tool_calls?: boolean | null;
  response_format?: {
    type: string;
    json_schema?: {
      name?: string;
      schema?: Record<string, unknown>;
      strict?: boolean | null;
      [field: string]: unknown;
    };
    [field: string]: unknown;
  } | null;
  /** `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`. */
  reasoning_effort?: string | null;
  stream_options?: { include_usage?: boolean; [field: string]: unknown } | null;
  [field: string]: unknown;
}

export interface ToolCallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function?: { name?: string; arguments?: string };
  [field: string]: unknown;
}

/** A source that an answer cites, with character offsets into the answer's text if known. */
export interface UrlCitation {
  type: 'url_citation';
  url_citation: {
    url: string;
    title?: string;
    content?: string;
    start_index?: number;
    end_index?: number;
    [field: string]: unknown;
  };
}

export interface ChunkDelta {
  role?: 'assistant' | (string & {});
  content?: string | null;
  reasoning_content?: string | null;
  reasoning_details?: unknown[];
  refusal?: string | null;
  tool_calls?: ToolCallDelta[];
  annotations?: UrlCitation[];
  [field: string]: unknown;
}

export interface ChunkChoice {
  index: number;
  delta: ChunkDelta;
  /**
   * `stop`, `length`, `tool_calls`, `content_filter`, or a value of an OpenAI-compatible provider.
   */
  finish_reason?: string | null;
  logprobs?: unknown;
  [field: string]: unknown;
}

export interface CompletionChunk {
  id?: string;
  object?: 'chat.completion.chunk' | (string & {});
  /** Seconds since 1970. */
  created?: number;
  /** The provider's name of the model. */
  model?: string;
  choices: ChunkChoice[];
  usage?: OpenAIUsage | null;
  [field: string]: unknown;
}

export interface CompletionMessage {
  role: 'assistant' | (string & {});
  content: string | null;
  reasoning_content?: string | null;
  reasoning_details?: unknown[];
  refusal?: string | null;
  tool_calls?: ToolCall[];
  annotations?: UrlCitation[];
  [field: string]: unknown;
}

export interface CompletionChoice {
  index: number;
  message: CompletionMessage;
  finish_reason: string | null;
  logprobs?: unknown;
  [field: string]: unknown;
}

export interface Completion {
  id: string;
  object: 'chat.completion' | (string & {});
  created: number;
  model: string;
  choices: CompletionChoice[];
  usage?: OpenAIUsage | null;
  [field: string]: unknown;
}

/** Token usage with OpenAI's field names. */
export interface OpenAIUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  total_tokens?: number | null;
  prompt_tokens_details?: {
    cached_tokens?: number | null;
    cache_write_tokens?: number | null;
    audio_tokens?: number | null;
    [field: string]: unknown;
  } | null;
  completion_tokens_details?: { reasoning_tokens?: number | null; [field: string]: unknown } | null;
  [field: string]: unknown;
}

/**
 * Token usage, counted alike for all providers: `promptTokens` includes cached and cache-written
 * tokens, `completionTokens` includes reasoning tokens. Whole numbers, never negative.
 */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  /** Of the cache-written tokens, those kept for an hour; absent if the provider does not tell. */
  hourCacheWriteTokens?: number;
  /** Of the prompt's tokens, those of sound; absent: none. */
  audioTokens?: number;
  /** True if the provider reported nothing and the numbers are estimates. */
  estimated: boolean;
}

/**
 * Receives what a provider's stream reader reads, in order. Strings named `frame` and `escaped` are
 * *byte strings*: one character for each byte of UTF-8 (Buffer's `latin1`), so that the hot path
 * does not decode what it only forwards.
 */
export interface CompletionSink {
  /**
   * The common case: a chunk of choice 0 that contains only non-empty text.
   * @param escaped the text as escaped in a JSON string, without the quotes (byte string)
   * @param frame the whole chunk as JSON in the internal dialect (byte string), or null if the
   * provider uses another
   */
  text(escaped: string, frame: string | null): void;
  /** Any other chunk. `frame` as above. */
  chunk(chunk: CompletionChunk, frame: string | null): void;
  /** Called once, last, when the provider has confirmed the end. A failure is thrown instead. */
  end(finishReason: string | null, usage: Usage | null): void;
}

/** Reads one streamed answer, synchronously. The bytes may be split anywhere. */
export interface EventReader {
  /** @throws GatewayError for an error inside the stream or bytes that cannot be read */
  push(bytes: Buffer): void;
  /** The provider closed the stream. @throws GatewayError if its end marker was missing */
  close(): void;
}

/**
 * The reasoning text of a message or delta, which providers name `reasoning_content` or
 * `reasoning`; null if there is none.
 */
export function reasoningOf(part: {
  reasoning_content?: string | null;
  [field: string]: unknown;
}): string | null {
  if (typeof part.reasoning_content === 'string') return part.reasoning_content;
  return typeof part['reasoning'] === 'string' ? part['reasoning'] : null;
}

const count = (value: number | null | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

/** The token counts of `Usage`, as a provider may have reported them. */
type ReportedCounts = {
  [Count in Exclude<keyof Usage, 'estimated'>]?: number | null;
};

/** Converts what a provider reported to whole, non-negative numbers; absent counts are 0. */
export function makeUsage(parts: ReportedCounts & { estimated?: boolean }): Usage {
  const usage: Usage = {
    promptTokens: count(parts.promptTokens),
    completionTokens: count(parts.completionTokens),
    reasoningTokens: count(parts.reasoningTokens),
    cachedTokens: count(parts.cachedTokens),
    cacheWriteTokens: count(parts.cacheWriteTokens),
    estimated: parts.estimated ?? false,
  };
  if (typeof parts.hourCacheWriteTokens === 'number')
    usage.hourCacheWriteTokens = count(parts.hourCacheWriteTokens);
  if (parts.audioTokens) usage.audioTokens = count(parts.audioTokens);
  return usage;
}

/** Usage with OpenAI's field names; estimates are marked `estimated: true`. */
export function toOpenAIUsage(usage: Usage): OpenAIUsage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    ...(usage.estimated ? { estimated: true } : {}),
  };
}

/** Escapes a string for JSON in ASCII, without the quotes, so that it is its own byte string. */
export function escapeJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Converts a JSON-escaped byte string back to text. */
export function unescapeJson(escaped: string): string {
  return JSON.parse(`"${Buffer.from(escaped, 'latin1').toString('utf8')}"`) as string;
}
