import type { ChatMessage, ChatRequest, ContentPart } from '../completion.js';
import type { ModelFacts, Prices, TokenPrice } from './model-facts.js';
import { isImage } from './tokens.js';

/** The most tokens that a call can have. */
export interface MaxUsage {
  readonly promptTokens: number;
  /** All of a request's answers together, reasoning included. */
  readonly completionTokens: number;
}

/** What providers put around a request, around its tools (the instructions that explain them) and around each message. */
const tokensPerRequest = 64;
const tokensForTools = 1024;
const tokensPerMessage = 32;
/** More than any provider charges for one picture: small models count the most, up to 48,200 (2026-11). */
const maxImageTokens = 50_000;
/** For a sound clip or a document; one that came with its bytes counts them where they are more. */
const maxFileTokens = 100_000;
/** For models of which nobody knows how much they can write. */
const defaultAnswerTokens = 262_144;

// in a list, since what JSON cannot say is a text in there only
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify([value]));

/** A document can travel as a picture does. */
const isPicture = (part: ContentPart): boolean =>
  isImage(part) && !/^data:(?!image\/)/i.test(part.image_url?.url ?? '');

function maxPartTokens(part: ContentPart): number {
  if (part.type === 'text' || part.type === 'refusal') return jsonBytes(part);
  return isPicture(part)
    ? maxImageTokens + Buffer.byteLength(part.text ?? '')
    : Math.max(maxFileTokens, jsonBytes(part));
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
 * Tokens that no honest tokenizer exceeds for a request: none makes more than one of a byte. Whatever else stands in the request (tools,
 * schemas, fields that nobody here knows) may reach the model too and counts by its JSON. `measureRequest` never gives more.
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

/** Of text in most scripts. */
export const bytesPerToken = 4;
/** Of a picture of ordinary size. */
const defaultImageTokens = 1000;
/** What is shorter than this names a file, and does not hold it. */
const minFileBytes = 2_048;

const isAttachment = ({ type }: ContentPart): boolean => type !== 'text' && type !== 'refusal';

function likelyPart(part: ContentPart): number {
  if (isPicture(part)) return defaultImageTokens;
  const bytes = jsonBytes(part);
  return bytes < minFileBytes
    ? maxFileTokens
    : Math.min(maxFileTokens, Math.ceil(bytes / bytesPerToken));
}

/**
 * Tokens of a prompt that its provider never counted: `measured`, or more where that could have been led astray, since it looks at samples of a
 * long text and at no file at all.
 */
export function cautiousPromptTokens(chat: ChatRequest, measured: number): number {
  const attachments = chat.messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(isAttachment) : [],
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

/** The output tokens that a request asks for, for each of its answers; null where it leaves that to the model. Providers differ in which of two bounds they obey. */
export function statedAnswerTokens({
  max_tokens: older,
  max_completion_tokens: newer,
}: ChatRequest): number | null {
  return older || newer ? Math.max(older ?? 0, newer ?? 0) : null;
}

/**
 * Output tokens of the longest that a model may write for a request.
 * @param bound what a request that states no bound is held to; null: nothing
 */
export function maxAnswerTokens(
  chat: ChatRequest,
  { maxOutput, contextLength }: Pick<ModelFacts, 'maxOutput' | 'contextLength'>,
  bound: number | null,
): number {
  const each =
    statedAnswerTokens(chat) ??
    Math.min(maxOutput ?? contextLength ?? defaultAnswerTokens, bound ?? Infinity);
  // tokens of a prediction that did not come true are charged as written
  const predicted = chat['prediction'] ? jsonBytes(chat['prediction']) : 0;
  return (each + predicted) * (chat.n ?? 1);
}

/** The maxRateOf rate for prompts of at most so many tokens. */
function maxRate(price: TokenPrice | null, promptTokens: number): number {
  if (price === null || typeof price === 'number') return price ?? 0;
  return Math.max(
    price.standard,
    ...price.tiers.filter(({ start }) => promptTokens > start).map((tier) => tier.price),
  );
}

/** USD that a call costs at most, whatever of its tokens was cached, cache-written or reasoning: `costOf` never gives more. Null where a price is unknown. */
export function maxCostUsd(
  { promptTokens, completionTokens }: MaxUsage,
  facts: Prices,
): number | null {
  const { inputPrice, outputPrice } = facts;
  if (inputPrice === null || (outputPrice === null && completionTokens > 0)) return null;
  const maxRateOf = (...prices: (TokenPrice | null)[]): number =>
    Math.max(...prices.map((price) => maxRate(price, promptTokens)));
  const input = promptTokens * maxRateOf(inputPrice, facts.cachedInputPrice, facts.cacheWritePrice);
  const output =
    completionTokens === 0 ? 0 : completionTokens * maxRateOf(outputPrice, facts.reasoningPrice);
  return Math.ceil((input + output) * 1e6 + (facts.requestPrice ?? 0) * 1e12) / 1e12;
}
