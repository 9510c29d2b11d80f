import type { ChatMessage, ChatRequest, ContentPart } from '../../completion.js';
import { invalidField } from '../../errors.js';
import type { CompletionCall } from '../../pipeline/completion-call.js';
import { plainImageUrl } from '../../providers/image-type.js';
import { contentText } from '../../text/content-text.js';
import { isObject, objectsIn } from '../../text/is-object.js';
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
  if (!parts.some(isBlock))
    return parts.some((part, at) => part !== content[at])
      ? { ...message, content: parts }
      : message;
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
  // Mistral's reasoning is a list of texts
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
  return url === image.url && image === given ? part : { ...part, image_url: { ...image, url } };
}
