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
const translations: readonly [overflow: Translation, ...others: Translation[]] = [
  {
    code: 'context_length_exceeded',
    param: 'messages',
    pattern: new RegExp(
      [
        'context[_ ]?(length|window)[_ ]?exceed|model_max_prompt_tokens_exceeded', // LiteLLM; Copilot
        'too_many_(prompt_)?tokens|too many (input )?tokens', // Perplexity; Cohere, Bedrock
        'max(imum)? context length|model.s context length', // OpenAI, vLLM; Ollama; SGLang
        'longer than the (maximum )?model length|(greater|longer) than the context', // vLLM; LM Studio
        'max_new_tokens. must be <=', // Text Generation Inference, Together
        'exceeded model token limit|prompt exceeds max|range of input length', // Kimi; GLM; Qwen
        '(prompt|input|messages) (is|are) too long|prompt too long', // Anthropic, Bedrock
        'length of all messages is too long', // Perplexity
        '(exceeds?|exceeded) (the |its )?(available |model.?s )?context (window|limit|size|length)',
        'context the overflows', // LM Studio
        'input tokens? exceed', // OpenAI, Bedrock
        'input token count.{0,60}exceeds the maximum', // Gemini
        'too large for model with', // Mistral
        'reduce (the length of (the |your )?(messages|prompt|input)|your prompt)', // Groq, Together
        'maximum prompt length|prompt length.{0,30}exceeds', // xAI
      ].join('|'),
    ),
  },
  {
    code: 'content_filter',
    param: 'messages',
    pattern:
      /content_?filter|content_policy|responsibleaipolicy|content filter|content management policy|content policy|data_inspection_failed|content exists risk|usage guidelines|blocked (word|output|by)|moderation_blocked|flagged by (our |the )?(moderation|safety)|敏感内容/,
  },
  {
    code: 'model_not_found',
    param: 'model',
    pattern:
      /model_not_found|deploymentnotfound|invalid_model\b|\binvalid model\b|model identifier is invalid|unknown model|model not exist|not a valid model\b|model .{1,120}?(does not exist|not found|was removed)/,
  },
];

/** Whether a provider says that a conversation is too long for its model, whatever the status. */
export const isOverflow = (reason: string, own: OwnError = {}): boolean =>
  translations[0].pattern.test(saidOf(reason, own));

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
  // a provider that answers 501, or 500 to a full context, calls it its own error
  const isFull =
    known === translations[0] && /server|api_error|internal/i.test(word(own.type) ?? '');
  const isOthers = code === 'model_not_found' || isFull;
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
