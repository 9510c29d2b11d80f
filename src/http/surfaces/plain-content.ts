import type { ChatMessage, ChatRequest, ContentPart } from '../../completion.js';
import { invalidField } from '../../errors.js';
import type { CompletionCall } from '../../pipeline/completion-call.js';
import { plainImageUrl } from '../../providers/image-type.js';
import { contentText } from '../../text/content-text.js';
import { isObject, objectsIn, present } from '../../text/is-object.js';
import { messagesOf } from './messages/chat-messages.js';
import { translatedBlocks } from './messages/only-messages.js';
import { contentPart as responsesPart } from './responses/read-input.js';

/**
 * Translates the parts that other dialects have, and brings the addresses of images to the form that
 * all providers take. Parts of unknown types are passed on, because a provider may know them.
 * @returns the same request if nothing changed
 * @throws GatewayError the surface's code for an image that no model takes
 */
export function withPlainContent(
  chat: ChatRequest,
  invalidCode: CompletionCall['invalidCode'] = 'bad_request',
): ChatRequest {
  const plain = (part: ContentPart, index: number): ContentPart => {
    const own = plainPart(part);
    if (own) return own;
    const reason = 'must hold an http(s) or data: URL of an image that models read (not SVG)';
    throw invalidField(`messages[${index}][content][image_url]`, reason, invalidCode);
  };
  const messages = chat.messages.map((message, index) =>
    Array.isArray(message.content)
      ? plainMessage(message, message.content, (part) => plain(part, index))
      : message,
  );
  return messages.some((message, at) => message !== chat.messages[at])
    ? { ...chat, messages: messages.flat() }
    : chat;
}

/** A turn with parts of any dialect, as turns of chat. */
export const plainTurns = (turn: ChatMessage): ChatMessage[] =>
  Array.isArray(turn.content)
    ? [plainMessage(turn, objectsIn(turn.content), (part) => plainPart(part) ?? part)].flat()
    : [turn];

type PlainPart = (part: ContentPart) => ContentPart;

function plainMessage(
  message: ChatMessage,
  content: readonly ContentPart[],
  plain: PlainPart,
): ChatMessage | ChatMessage[] {
  const parts = content.map(plain);
  if (!parts.some(isBlock)) {
    const plainOne = parts.some((part, at) => part !== content[at])
      ? { ...message, content: parts }
      : message;
    return withOwnMedia(plainOne, parts);
  }
  const turns = [messagesOf({ role: message.role, content: parts })].flat();
  // a turn of several may have images too, and the last one has what the message had
  return turns.map((turn, at) => {
    const fields = at === turns.length - 1 && turn.role === message.role ? message : null;
    const calls = [...(fields?.tool_calls ?? []), ...(turn.tool_calls ?? [])];
    return {
      ...fields,
      ...turn,
      ...(Array.isArray(turn.content) ? { content: turn.content.map(plain) } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
  });
}

/**
 * OpenAI, Anthropic and Bedrock take images and files from users alone: what a model made, or its
 * instructions have, follows in a turn of the user.
 */
function withOwnMedia(message: ChatMessage, parts: readonly ContentPart[]) {
  const isOfOthers = message.role !== 'user' && message.role !== 'tool' && !message.tool_calls;
  if (!isOfOthers || !parts.some(isMedia)) return message;
  const said = parts.filter((part) => !isMedia(part));
  const told = said.length > 0 ? said : '(An image follows.)';
  return [
    { ...message, content: told },
    { role: 'user' as const, content: parts.filter(isMedia) },
  ];
}

const media = new Set(['image_url', 'file']);
const isMedia = ({ type }: ContentPart): boolean => media.has(type);

/** Whether a part is a block of Messages: a call or a result, reasoning, what has a source. */
const isBlock = ({ type, source }: ContentPart): boolean =>
  type !== 'text' &&
  translatedBlocks.has(type) &&
  (!sourced.has(type) || isObject(source) || typeof source === 'string');
/** Cohere's documents have the same name, and no source. */
const sourced: ReadonlySet<string> = new Set(['image', 'document', 'search_result']);

/** Null: it is an image that no model takes. */
function plainPart(part: ContentPart): ContentPart | null {
  const { type } = part;
  if (type === 'text') return part;
  if (type === 'image_url') return plainImage(part);
  // the AI SDK's reasoning
  if (type === 'reasoning' && typeof part.text === 'string')
    return { type: 'thinking', thinking: part.text };
  // Mistral's is a list of texts
  if (type === 'thinking' && Array.isArray(part['thinking']))
    return { ...part, thinking: contentText(part['thinking'] as ContentPart[]) };
  if (type !== 'output_text' && !/^input_(text|image|file)$/.test(type)) return part;
  const [own = part] = responsesPart(part);
  return own.type === 'image_url' ? plainImage(own) : own;
}

/** Some clients write an image's address as text, without the object around it. */
function plainImage(part: ContentPart): ContentPart | null {
  const given: unknown = part.image_url;
  const image = typeof given === 'string' ? { url: given } : part.image_url;
  const url = typeof image?.url === 'string' ? plainImageUrl(image.url) : null;
  if (!image || url === null) return null;
  const saysNothing = 'detail' in image && !image.detail;
  if (url === image.url && image === given && !saysNothing) return part;
  const { detail, ...own } = image;
  return { ...part, image_url: { ...own, url, ...present({ detail }) } };
}
