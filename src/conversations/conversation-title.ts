import type { ChatMessage } from '../completion.js';
import { contentText } from '../text/content-text.js';

const maxLength = 60;
/** Splits into what readers see as characters, so that no emoji or accent is cut off. */
const graphemes = new Intl.Segmenter();
const plain = /^[\x20-\x7e]*$/;

/** A title: the first sentence of the first user message, cleaned, at most 60 characters. */
export function conversationTitle(messages: readonly ChatMessage[]): string {
  const first = messages.find((message) => message.role === 'user') ?? messages[0];
  const text = contentText(first?.content)
    .slice(0, 2_000)
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    // keeps zero-width joiners, which connect emoji and letters of several scripts
    .replace(/(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}])+/gu, ' ')
    .replace(/[#*_`>~|]+/g, ' ')
    // leaves single spaces alone, which are the most common
    .replace(/ \s+|[^\S ]\s*/g, ' ')
    .trim();
  const sentence = /^.*?[.!?。！？](?=\s|$|[^\x00-\x7f])/u.exec(text)?.[0] ?? text;
  const title = sentence.replace(/[.。,;:]+$/u, '').trim();
  if (title === '') return 'New conversation';
  const end = endOfTitle(title);
  if (end === title.length) return title;
  const space = title.lastIndexOf(' ', end - 1);
  return `${title.slice(0, space > maxLength / 2 ? space : end).trimEnd()}…`;
}

/** Where to cut a title that is too long, with room for the ellipsis; its length if it fits. */
function endOfTitle(title: string): number {
  if (title.length <= maxLength) return title.length;
  // segmenting costs 1 µs per character
  if (plain.test(title.slice(0, maxLength + 1))) return maxLength - 1;
  const starts: number[] = [];
  for (const { index } of graphemes.segment(title))
    if (starts.push(index) > maxLength) return starts[maxLength - 1]!;
  return title.length;
}
