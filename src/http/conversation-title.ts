import type { ChatMessage } from '../completion.js';

const maxLength = 60;
/** What a reader takes for one character: an emoji or a letter with its accents is never cut in two. */
const graphemes = new Intl.Segmenter();

/** The text of a message's content. */
export function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').filter((text) => text !== '').join('\n');
}

/** A conversation's title: the first sentence of the first user message, cleaned of markup, at most 60 characters. */
export function conversationTitle(messages: readonly ChatMessage[]): string {
  const first = messages.find((message) => message.role === 'user') ?? messages[0];
  const text = textOf(first?.content)
    .slice(0, 2_000)
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    // not the joiners: they hold emoji and the letters of several scripts together
    .replace(/(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}])+/gu, ' ')
    .replace(/[#*_`>~|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.!?。！？](?=\s|$|[^\x00-\x7f])/u.exec(text)?.[0] ?? text;
  const title = sentence.replace(/[.。,;:]+$/u, '').trim();
  if (title === '') return 'New conversation';
  const characters = Array.from(graphemes.segment(title), ({ segment }) => segment);
  if (characters.length <= maxLength) return title;
  const cut = characters.slice(0, maxLength - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
