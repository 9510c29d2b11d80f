import type { ChatRequest, ContentPart } from '../completion.js';

/** What a prompt contains besides text, as far as its cost depends on it. */
export interface PromptMedia {
  /** How many parts' bytes do not bound their tokens: documents, video, audio, URLs, ids. */
  readonly unbounded: number;
  /** Whether a part is declared as audio. A URL may turn out to be audio too. */
  readonly sound: boolean;
  /** Whether the prompt asks for cache writes with a longer TTL, which cost more. */
  readonly longCache: boolean;
}

/** The address of a picture, in any spelling of the dialect; '' if there is none. */
function pictureUrl({ image_url: given }: ContentPart): string {
  const url: unknown = typeof given === 'string' ? given : given?.url;
  return typeof url === 'string' ? url : '';
}

/** Whether a part is text. */
export const isText = ({ type }: ContentPart): boolean => type === 'text' || type === 'refusal';

/** Whether a part is a picture that was sent with its bytes. */
export const isInlinePicture = (part: ContentPart): boolean =>
  /^data:image\//i.test(pictureUrl(part).slice(0, 20));

/** Whether the tokens of a part are bounded by what was sent. */
const isBoundedPart = (part: ContentPart): boolean => isText(part) || isInlinePicture(part);

function isSound(part: ContentPart): boolean {
  const { file_data: content } = (part['file'] ?? {}) as { file_data?: unknown };
  return (
    /audio/i.test(part.type) ||
    /^data:audio/i.test(pictureUrl(part).slice(0, 20)) ||
    (typeof content === 'string' && /^data:audio/i.test(content.slice(0, 20)))
  );
}

const cacheFields = ['cache_control', 'prompt_cache_options', 'prompt_cache_breakpoint'];
const usualTtls: ReadonlySet<unknown> = new Set([undefined, null, '5m', '30m']);

/** Whether a cache is asked for longer than usual: five minutes, or thirty at OpenAI. */
const isLongCache = (holder: unknown): boolean =>
  cacheFields.some((field) => {
    const control = (holder as Record<string, unknown> | null | undefined)?.[field];
    return !usualTtls.has((control as { ttl?: unknown } | null | undefined)?.ttl);
  });

/** The media of a prompt. */
export function mediaOf(chat: ChatRequest): PromptMedia {
  const { messages, tools } = chat;
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  // an earlier audio answer is named by its id
  const spoken = messages.filter((message) => message['audio']).length;
  const holders = [chat, ...messages, ...parts, ...(tools ?? [])];
  return {
    unbounded: spoken + parts.filter((part) => !isBoundedPart(part)).length,
    sound: spoken > 0 || parts.some(isSound),
    longCache:
      holders.some(isLongCache) || (tools ?? []).some((tool) => isLongCache(tool.function)),
  };
}
