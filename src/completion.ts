/**
 * The only internal dialect is OpenAI's chat dialect: surfaces translate into it, providers out of it and back.
 * Fields that are not named here are kept and passed on.
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
  /** Opaque reasoning blocks that must be handed back as they came (signatures, encrypted text). */
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

/** A chat request without its `model` and `stream`: those belong to the call that is made of it. */
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
  /** `none`, `minimal`, `low`, `medium`, `high`, `xhigh`. */
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

/** A source that an answer cites. Character offsets into the answer's text where they are known. */
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
  /** `stop`, `length`, `tool_calls`, `content_filter` (or what an OpenAI-compatible provider says). */
  finish_reason?: string | null;
  logprobs?: unknown;
  [field: string]: unknown;
}

export interface CompletionChunk {
  id?: string;
  object?: 'chat.completion.chunk' | (string & {});
  /** Seconds since 1970. */
  created?: number;
  /** The model as the provider names it. */
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

/** Usage as OpenAI spells it. */
export interface OpenAIUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  total_tokens?: number | null;
  prompt_tokens_details?: {
    cached_tokens?: number | null;
    cache_write_tokens?: number | null;
    [field: string]: unknown;
  } | null;
  completion_tokens_details?: { reasoning_tokens?: number | null; [field: string]: unknown } | null;
  [field: string]: unknown;
}

/**
 * Token usage as Signalbox counts it, whatever the provider's habit: `promptTokens` includes cached and cache-written
 * tokens, `completionTokens` includes reasoning tokens. Whole numbers, never negative.
 */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  /** True where the provider reported nothing and the numbers are a guess. */
  estimated: boolean;
}

/**
 * Where a provider's stream reader puts what it reads, in order. Strings named `frame` and `escaped` are *byte strings*:
 * one character for one byte of UTF-8 (Buffer's `latin1`), so that the hot path never decodes what it only passes on.
 */
export interface CompletionSink {
  /**
   * The common case: a chunk of choice 0 that holds non-empty text and nothing else.
   * @param escaped the text as it stands between the quotes of a JSON string (byte string)
   * @param frame the whole chunk as JSON in the internal dialect (byte string), or null where the provider speaks another
   */
  text(escaped: string, frame: string | null): void;
  /** Any other chunk. `frame` as above. */
  chunk(chunk: CompletionChunk, frame: string | null): void;
  /** Once, last, when the provider has said that the answer is whole. A failure is thrown instead. */
  end(finishReason: string | null, usage: Usage | null): void;
}

/** Reads one streamed answer. Synchronous; bytes may be cut anywhere. */
export interface EventReader {
  /** @throws GatewayError for an error inside the stream or bytes that cannot be read */
  push(bytes: Buffer): void;
  /** The provider closed the stream. @throws GatewayError if its own end marker has not been seen */
  close(): void;
}

/** The reasoning text of a message or delta: some providers say `reasoning_content`, others `reasoning`. */
export function reasoningOf(part: {
  reasoning_content?: string | null;
  [field: string]: unknown;
}): string | null {
  if (typeof part.reasoning_content === 'string') return part.reasoning_content;
  return typeof part['reasoning'] === 'string' ? part['reasoning'] : null;
}

/** True if the chunk carries what a client came for: text, reasoning, a refusal or a tool call. */
export function hasContent(chunk: CompletionChunk): boolean {
  for (const choice of chunk.choices) {
    const delta = choice.delta as ChunkDelta | undefined;
    if (!delta) continue;
    if (delta.content || delta.reasoning_content || delta['reasoning'] || delta.refusal)
      return true;
    if (
      delta.tool_calls?.length ||
      delta.reasoning_details?.length ||
      delta['function_call'] ||
      delta['audio'] ||
      delta['images']
    )
      return true;
  }
  return false;
}

const count = (value: number | null | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

/** Makes whole, non-negative numbers of whatever a provider reported; absent classes are 0. */
export function makeUsage(parts: {
  promptTokens?: number | null;
  completionTokens?: number | null;
  reasoningTokens?: number | null;
  cachedTokens?: number | null;
  cacheWriteTokens?: number | null;
  estimated?: boolean;
}): Usage {
  return {
    promptTokens: count(parts.promptTokens),
    completionTokens: count(parts.completionTokens),
    reasoningTokens: count(parts.reasoningTokens),
    cachedTokens: count(parts.cachedTokens),
    cacheWriteTokens: count(parts.cacheWriteTokens),
    estimated: parts.estimated ?? false,
  };
}

/** Usage in OpenAI's spelling, for clients that speak it; a guess is marked `estimated: true`. */
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

/** A string as it stands between the quotes of a JSON string, ASCII only, so that it is its own byte string. */
export function escapeJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Back from a JSON-escaped byte string to text. */
export function unescapeJson(escaped: string): string {
  return JSON.parse(`"${Buffer.from(escaped, 'latin1').toString('utf8')}"`) as string;
}
