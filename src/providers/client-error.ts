import type { ClientError, ErrorCode } from '../errors.js';

/** The fields of a provider's error body except its message, in the provider's own vocabulary. */
export interface OwnError {
  readonly code?: unknown;
  readonly param?: unknown;
  readonly type?: unknown;
}

interface Translation {
  /** OpenAI's code. */
  readonly code: string;
  readonly param: string | null;
  /** Matches the provider's code, type and message, in lower case. */
  readonly pattern: RegExp;
}

// wordings of 2024 to 2026; the first match decides
const translations: readonly [overflow: Translation, filter: Translation, missing: Translation] = [
  {
    code: 'context_length_exceeded',
    param: 'messages',
    pattern: new RegExp(
      [
        'context[_ ]?(length|window)[_ ]?exceed|model_max_prompt_tokens_exceeded', // LiteLLM; Copilot
        'context_too_large|exceed_context_size|conversation length exceeded', // relays; llama.cpp; Kimi
        'too_many_(prompt_)?tokens|too many ((input )?tokens|total text bytes)', // Perplexity; Cohere, Bedrock; Anthropic
        'max(imum)? context length|model.s context length', // OpenAI, vLLM; Ollama; SGLang
        'longer than the (maximum )?model length|(greater|longer) than the context', // vLLM; LM Studio
        'max_new_tokens. must be <=|inputs. must have less than', // Text Generation Inference, Together
        'exceeded model token limit|prompt exceeds max|range of input length', // Kimi; GLM; Qwen
        // Anthropic, Bedrock, GLM, Gemini, Kimi
        '\\b(prompt|input|messages|input context|(input|token) length|tokens in the request)( \\([^)]{1,40}\\))? (is |are )?too (long|large)',
        'length of all messages is too long', // Perplexity
        'exceed(s|ed)? (the |its |this )?(available |maximum |allowed |model(.?s)? )*(context (window|limit|size|length)|input length)',
        'context the overflows', // LM Studio
        'input tokens?( length)? exceed', // OpenAI, Bedrock
        'input token count.{0,60}(exceed|only supports)', // Gemini; Vertex
        'too large for model with', // Mistral
        'reduce (the length of (the |your )?(messages|prompt|input)|your prompt)', // Groq, Together
        'maximum prompt length|prompt length.{0,30}exceeds', // xAI
        'prompt token count of|request contains \\d+ tokens.{0,20}exceeds', // Copilot; Vertex
        'configured context size is|max_seq_len|context window is .{1,40}you requested', // local servers
        'tokens in request more than|exceed max message tokens', // GLM; Doubao
        'current length is .{1,20}while limit is|tokens_limit_reached', // Cerebras; GitHub
        "expected maxlength: \\d+, actual|'messages\\S*: string too long", // Titan; OpenAI
        '(prompt|输入|上下文|token).{0,8}(超长|超过|超出|超限|过长)|超过最大长度', // GLM and others
      ].join('|'),
    ),
  },
  {
    code: 'content_filter',
    param: 'messages',
    pattern:
      /content_?filter|content_policy|responsible ?ai|content filter|content management policy|content policy|data_?inspection_?failed|inappropriate content|content exists risk|considered high risk|usage guidelines|safety system|blocked (word|output|by)|moderation_blocked|requires moderation|flagged (by (our |the )?(moderation|safety)|for )|(unsafe|sensitive)[ _]?(content|words|information|or sensitive)|new_sensitive|敏感内容/,
  },
  {
    code: 'model_not_found',
    param: 'model',
    pattern:
      /model_not_found|deploymentnotfound|invalid_model\b|\binvalid model\b|model identifier is invalid|unknown model|no such model|model_not_supported|model not exist|not a valid model\b|model (.{1,120}?)??(does not exist|not found|was removed)/,
  },
];

/** What a refusal is in its provider's words, which relays give any status; null: it does not say. */
export function refusalIn(reason: string, own: OwnError = {}): 'overflow' | 'filter' | null {
  const said = saidOf(reason, own);
  const [overflow, filter] = translations;
  return overflow.pattern.test(said) ? 'overflow' : filter.pattern.test(said) ? 'filter' : null;
}

const saidOf = (reason: string, own: OwnError): string =>
  `${word(own.code) ?? ''} ${word(own.type) ?? ''} ${reason}`.toLowerCase();

const safe = /^[\w.[\]-]{1,64}$/;
const word = (value: unknown): string | null =>
  typeof value === 'string' && safe.test(value) && !/^\d+$/.test(value) ? value : null;

/**
 * A provider's refusal in OpenAI's vocabulary: a code by what the provider said, else the
 * provider's own code, parameter and type. An account without money left has a code too.
 * Null for other failures that are not the client's.
 * @param reason the provider's message
 */
export function clientErrorOf(
  code: ErrorCode,
  reason: string,
  own: OwnError = {},
): ClientError | null {
  if (code === 'quota_exhausted')
    return { code: 'insufficient_quota', param: null, type: 'insufficient_quota' };
  if (code !== 'request_refused' && code !== 'model_not_found' && code !== 'stream_refused')
    return null;
  const said = saidOf(reason, own);
  const known = translations.find(({ pattern }) => pattern.test(said));
  const missing = code === 'model_not_found' && !known ? 'model_not_found' : null;
  // a provider that answers 501, or 500 to what it refuses, calls it its own error
  const isOthers =
    code === 'model_not_found' ||
    (known && /server|api_error|internal/i.test(word(own.type) ?? ''));
  return {
    code: known?.code ?? missing ?? word(own.code),
    param: word(own.param) ?? known?.param ?? (missing ? 'model' : paramIn(reason)),
    type: (isOthers ? null : word(own.type)) ?? 'invalid_request_error',
  };
}

/** The field that a message begins with, as Anthropic writes it: `temperature: must be at most 1`. */
function paramIn(reason: string): string | null {
  const found = /^([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*): /.exec(reason);
  return found?.[1] ?? null;
}
