import type { ChatMessage, ChatRequest, ContentPart } from '../completion.js';
import type { ModelFacts, Prices, TokenPrice } from './model-facts.js';
import { isInlinePicture, isText, type PromptMedia } from './prompt-media.js';
import { isImage } from './tokens.js';

/** The most tokens that a call can use. */
interface MaxUsage {
  readonly promptTokens: number;
  /** All answers to a request together, reasoning included. */
  readonly completionTokens: number;
  /** The model's own web searches; absent: none. */
  readonly searches?: number;
}

/** Tokens that providers add around a request, its tools and each message. */
const tokensPerRequest = 64;
const tokensForTools = 1024;
const tokensPerMessage = 32;
/** More than any provider charges for a picture: up to 48,200 tokens (2026-11). */
const maxImageTokens = 50_000;
/** The tokens of a file, for a model of unknown context length. */
const maxFileTokens = 100_000;
/** More than a model's own search adds to its prompt: at most 12,000 tokens seen (2026-11). */
const maxTokensOfSearch = 20_000;
/** The longest answer that is assumed for a model whose own is unknown. */
const defaultAnswerTokens = 262_144;

// in a list, because JSON.stringify returns no text for a bare `undefined`
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify([value]));

function maxPartTokens(part: ContentPart): number {
  if (isText(part)) return jsonBytes(part);
  return isInlinePicture(part) ? maxImageTokens + Buffer.byteLength(part.text ?? '') : 0;
}

function maxMessageTokens(message: ChatMessage): number {
  let tokens = tokensPerMessage;
  for (const [field, value] of Object.entries(message)) {
    if (field !== 'content') tokens += jsonBytes(value);
    else if (Array.isArray(value))
      for (const part of value as ContentPart[]) tokens += maxPartTokens(part);
    else if (typeof value === 'string') tokens += Buffer.byteLength(value);
  }
  return tokens;
}

/**
 * An upper bound on the tokens of a request: no tokenizer makes more than one token of a byte.
 * Everything else in the request (tools, schemas, unknown fields) may reach the model too, so its
 * JSON counts. Parts whose bytes do not bound their tokens count 0: see `maxPromptWithMedia`.
 */
export function maxPromptTokens(chat: ChatRequest): number {
  let tokens =
    tokensPerRequest +
    (chat.tools?.length || chat['functions'] || chat.response_format ? tokensForTools : 0);
  for (const message of chat.messages) tokens += maxMessageTokens(message);
  for (const [field, value] of Object.entries(chat)) {
    if (field !== 'messages' && (typeof value === 'object' || typeof value === 'string'))
      tokens += jsonBytes(value);
  }
  return tokens;
}

/** Where a word begins. No known tokenizer makes one token of two words. */
const wordStart = /(?<![^ \t\r\n])[A-Za-z]/g;

/** A lower bound on the tokens of a request: the words of its messages in Latin letters. */
export function minPromptTokens({ messages }: ChatRequest): number {
  let words = 0;
  for (const { content } of messages) {
    const texts = Array.isArray(content) ? content.map(({ text }) => text) : [content];
    for (const text of texts) if (typeof text === 'string') while (wordStart.test(text)) words++;
  }
  return words;
}

/**
 * An upper bound on the tokens of a request with its files. Parts whose bytes do not bound their
 * tokens are bounded by the model's context length.
 * @param promptTokens as `maxPromptTokens`
 */
export function maxPromptWithMedia(
  promptTokens: number,
  { unbounded }: PromptMedia,
  { contextLength }: Pick<ModelFacts, 'contextLength'>,
): number {
  if (unbounded === 0) return promptTokens;
  return contextLength === null
    ? promptTokens + unbounded * maxFileTokens
    : Math.max(promptTokens, contextLength);
}

/**
 * How often a model may search by itself for a request: 0 if it does not ask for search, null if
 * nothing bounds it.
 * @param bounded whether the model keeps the request's `max_uses`
 */
export function maxSearches(
  { web_search_options: asked }: ChatRequest,
  bounded: boolean,
): number | null {
  if (!asked) return 0;
  const { max_uses: uses } = asked;
  return bounded && Number.isInteger(uses) && Number(uses) > 0 ? Number(uses) : null;
}

/**
 * An upper bound on the tokens that a model reads to answer with searches of its own: after each, it
 * reads the prompt and all results so far again.
 */
export const maxPromptWithSearches = (promptTokens: number, searches: number): number =>
  (searches + 1) * promptTokens + ((searches * (searches + 1)) / 2) * maxTokensOfSearch;

/** The average of text in most scripts. */
export const bytesPerToken = 4;
/** The tokens of a picture of ordinary size. */
const defaultImageTokens = 1000;
/** A shorter part refers to a file instead of containing it. */
const minFileBytes = 2_048;

/** Whether a part is most likely a picture. A document can be sent in the same fields. */
const isPicture = (part: ContentPart): boolean =>
  isImage(part) && !/^data:(?!image\/)/i.test(part.image_url?.url ?? '');

function likelyPart(part: ContentPart): number {
  if (isPicture(part)) return defaultImageTokens;
  const bytes = jsonBytes(part);
  return bytes < minFileBytes
    ? maxFileTokens
    : Math.min(maxFileTokens, Math.ceil(bytes / bytesPerToken));
}

/**
 * Prompt tokens of a call for which the provider reported no usage: `measured`, or a higher
 * estimate from the bytes, because the measurement samples long texts and does not look into files.
 */
export function cautiousPromptTokens(chat: ChatRequest, measured: number): number {
  const attachments = chat.messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter((part) => !isText(part)) : [],
  );
  const written = attachments.reduce(
    (left, part) => left - maxPartTokens(part),
    maxPromptTokens(chat),
  );
  return Math.max(
    measured,
    attachments.reduce((sum, part) => sum + likelyPart(part), Math.ceil(written / bytesPerToken)),
  );
}

/**
 * The output tokens that a request asks for, per answer; null if it sets no limit. Providers differ
 * in which of the two fields they obey, so the larger one counts.
 */
export const statedAnswerTokens = ({
  max_tokens: older,
  max_completion_tokens: newer,
}: ChatRequest): number | null => (older || newer ? Math.max(older ?? 0, newer ?? 0) : null);

/**
 * The most output tokens that a model may write for a request: bounded by the request's own limit,
 * by the model's longest answer, and by the part of the context that the prompt leaves.
 * @param bound the limit for a request that states none; null: no limit
 * @param promptTokens a lower bound, as `minPromptTokens`
 */
export function maxAnswerTokens(
  chat: ChatRequest,
  { maxOutput, contextLength }: Pick<ModelFacts, 'maxOutput' | 'contextLength'>,
  bound: number | null,
  promptTokens = 0,
): number {
  const asked = statedAnswerTokens(chat) ?? bound;
  const each = Math.min(
    asked ?? Infinity,
    maxOutput ?? asked ?? defaultAnswerTokens,
    Math.max(0, (contextLength ?? Infinity) - promptTokens),
  );
  // rejected tokens of a prediction are charged as output
  const predicted = chat['prediction'] ? jsonBytes(chat['prediction']) : 0;
  return (each + predicted) * (chat.n ?? 1);
}

/** The highest rate for prompts of at most that many tokens. */
function maxRate(price: TokenPrice | null, promptTokens: number): number {
  if (price === null || typeof price === 'number') return price ?? 0;
  return Math.max(
    price.standard,
    ...price.tiers.filter(({ start }) => promptTokens > start).map((tier) => tier.price),
  );
}

/** The most that a model's longest answer costs, without its prompt, in USD; null: unknown. */
export const longestAnswerUsd = (facts: Pick<ModelFacts, 'maxOutput'> & Prices): number | null =>
  facts.maxOutput === null
    ? null
    : maxCostUsd({ promptTokens: 0, completionTokens: facts.maxOutput }, facts);

/**
 * The highest possible cost of a call in USD, whatever share of its tokens is cached, cache-written
 * or reasoning: `costOf` never returns more. Null if a price of tokens is unknown; searches of
 * unknown price count as free.
 * @param media absent: there is only text
 */
export function maxCostUsd(
  { promptTokens, completionTokens, searches = 0 }: MaxUsage,
  facts: Prices,
  media: Pick<PromptMedia, 'unbounded' | 'longCache'> = { unbounded: 0, longCache: false },
): number | null {
  const { inputPrice, outputPrice } = facts;
  if (inputPrice === null || (outputPrice === null && completionTokens > 0)) return null;
  const maxRateOf = (...prices: (TokenPrice | null)[]): number =>
    Math.max(...prices.map((price) => maxRate(price, promptTokens)));
  const rate = Math.max(
    maxRateOf(inputPrice, facts.cachedInputPrice, facts.cacheWritePrice),
    // an address may turn out to be sound
    media.unbounded > 0 ? maxRateOf(facts.audioInputPrice, facts.cachedAudioPrice) : 0,
    media.longCache
      ? facts.hourCacheWritePrice === null
        ? 2 * maxRateOf(inputPrice)
        : maxRateOf(facts.hourCacheWritePrice)
      : 0,
  );
  const input = promptTokens * rate;
  const output =
    completionTokens === 0
      ? 0
      : completionTokens * maxRateOf(outputPrice, facts.reasoningPrice, facts.mediaOutputPrice);
  const beside = (facts.requestPrice ?? 0) + searches * (facts.searchPrice ?? 0);
  return Math.ceil((input + output) * 1e6 + beside * 1e12) / 1e12;
}
