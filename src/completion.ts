/**
 * The internal dialect is OpenAI's chat dialect: surfaces and providers translate to and from it.
 * Fields that are not declared here are kept and forwarded.
 */
import type { OpenAIUsage, Usage } from './usage.js';
import type { FoundPage, NativeSearchOptions } from './native-search-options.js';
import { unicodeEscape } from './text/json-values.js';
export * from './usage.js';
export * from './native-search-options.js';

/** A dialect that clients and providers both speak: chat completions, Messages, Responses. */
export type SharedDialect = 'chat' | 'messages' | 'responses';

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
  /** Of a tool's result: the tool failed. */
  is_error?: boolean;
  refusal?: string | null;
  /** Reasoning text of an assistant turn, as DeepSeek and others name it. */
  reasoning_content?: string | null;
  /** Opaque reasoning blocks that must be returned unchanged to the provider. */
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

/** The name of a tool's or call's function; a custom tool has none. */
export const functionName = (tool: { readonly function?: { readonly name: string } }): string =>
  tool.function?.name ?? '';

/** How much a model reasons before it answers, from not at all to as much as it can. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof efforts)[number];

/** A value as an effort; null if it is none. */
export const effortOf = (value: unknown): ReasoningEffort | null =>
  efforts.find((effort) => effort === value) ?? null;

/** The effort that a budget of thinking tokens comes close to; null: it is no number. */
export const effortOfBudget = (budget: unknown): ReasoningEffort | null =>
  typeof budget !== 'number' ? null : budget > 8_192 ? 'high' : budget > 2_048 ? 'medium' : 'low';

/**
 * The finish reason of an answer that the provider paused in the middle of its own searches. Sent
 * back as it is, as the last message of the same request, it goes on.
 */
export const pausedTurn = 'pause_turn';

/** The type of `reasoning_details` with what a model's own search found, for the same turn only. */
export const searchDetailType = 'reasoning.search';

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
  /** Has the model search the web. The provider's own search runs it; clients may send anything. */
  web_search_options?: NativeSearchOptions | null;
  stream_options?: { include_usage?: boolean; [field: string]: unknown } | null;
  [field: string]: unknown;
}

export interface ToolCallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function?: { name?: string; arguments?: string };
  /**
   * Where the client's own body was forwarded: its group of tools there (null: none), and whether its
   * arguments are the text of a custom tool, as it is.
   */
  kind?: { readonly namespace: string | null; readonly isCustom: boolean };
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

/** What a message and a piece of one have alike. */
interface AnswerParts {
  reasoning_content?: string | null;
  reasoning_details?: unknown[];
  refusal?: string | null;
  annotations?: UrlCitation[];
  /** The pages that the model's own search found; it need not cite them. */
  search_results?: FoundPage[];
  search_queries?: string[];
  [field: string]: unknown;
}

export interface ChunkDelta extends AnswerParts {
  role?: 'assistant' | (string & {});
  content?: string | null;
  tool_calls?: ToolCallDelta[];
}

export interface ChunkChoice {
  index: number;
  delta: ChunkDelta;
  /** `stop`, `length`, `tool_calls`, `content_filter`, or a provider's own value. */
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

export interface CompletionMessage extends AnswerParts {
  role: 'assistant' | (string & {});
  content: string | null;
  tool_calls?: ToolCall[];
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

/** How far a client has got a provider's own events. */
export interface EventsEnd {
  /** Whether it has got the one that begins an answer. */
  readonly hasBegun: boolean;
  /** How many blocks or items have begun. */
  readonly count: number;
  /** Those that have not ended, with the ids that they and their calls have. */
  readonly open: readonly {
    readonly index: number;
    readonly type: string;
    readonly id: string;
    readonly callId: string;
  }[];
  /** Items that have ended, by their index, as the client got them: an answer's end repeats them. */
  readonly ended: readonly unknown[];
}

/**
 * Receives what a provider's stream reader reads, in order. Strings named `frame`, `escaped` and `data` are
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
  /**
   * A whole event of the provider, called before the methods for its content; only where the client's
   * body was forwarded.
   * @param name an ordinary string; undefined if none was sent
   * @param data a byte string on one line; or, once, that no more events come because the provider's
   *   own are not as its clients could read them: what the other methods say goes on from there
   */
  event?(name: string | undefined, data: string | EventsEnd): void;
  /** The provider has stated the usage of the whole answer; `end` follows, unless the stream is cut. */
  counted?(usage: Usage): void;
  /**
   * Called once, last, when the provider has confirmed the end. A failure is thrown instead.
   * @param unknownFinish as in CompletionAnswer
   */
  end(finishReason: string | null, usage: Usage | null, unknownFinish?: string): void;
}

/** Reads one streamed answer, synchronously. The bytes may be split anywhere. */
export interface EventReader {
  /** @throws GatewayError for an error inside the stream or bytes that cannot be read */
  push(bytes: Buffer): void;
  /** The provider closed the stream. @throws GatewayError if its end marker was missing */
  close(): void;
}

/** The reasoning text of a message or delta, whatever its provider calls it; null if there is none. */
export function reasoningOf(part: { readonly [field: string]: unknown }): string | null {
  for (const field of ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking']) {
    const text = part[field];
    if (typeof text === 'string' && text !== '') return text;
  }
  return null;
}

/** ASCII that JSON needs not escape, as most pieces of an answer are. */
const isPlain = /^[ !#-[\]-~]*$/;

/** Escapes a string for JSON, without the quotes, as a byte string. */
export const escapeJson = (text: string): string =>
  isPlain.test(text) ? text : byteLine(JSON.stringify(text)).slice(1, -1);

/** Converts a JSON-escaped byte string back to text. */
export const unescapeJson = (escaped: string): string =>
  isPlain.test(escaped)
    ? escaped
    : (JSON.parse(`"${Buffer.from(escaped, 'latin1').toString()}"`) as string);

/** Text as a byte string, on one line. */
export function byteLine(text: string): string {
  const line = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ') : text;
  // most events are ASCII, and then their own bytes
  if (!/[\u0080-\uffff]/.test(line)) return line;
  // some clients end an event's line at these too, which JSON need not escape
  return Buffer.from(line.replace(/[\u0085\u2028\u2029]/g, unicodeEscape)).toString('latin1');
}

/** Whether a message instructs the model. */
export const isInstruction = ({ role }: { readonly role: unknown }): boolean =>
  role === 'system' || role === 'developer';
