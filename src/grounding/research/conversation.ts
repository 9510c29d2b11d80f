import { type ChatMessage, isInstruction } from '../../completion.js';
import { invalidField } from '../../errors.js';
import { contentText } from '../../text/content-text.js';
import { measureRequest } from '../../models/tokens.js';

/** What the client asks: the text of the last user message. @throws GatewayError: there is none */
export function questionOf(messages: readonly ChatMessage[]): string {
  const last = messages.findLast(({ role }) => role === 'user');
  const text = last ? contentText(last.content).trim() : '';
  if (text === '') throw invalidField('research', 'needs a message of the user with text');
  return text;
}

/** The latest turns before the user's last message that fit, as text. */
export function turnsBefore(messages: readonly ChatMessage[], maxTokens: number): string {
  const lastAt = messages.findLastIndex(({ role }) => role === 'user');
  return history(messages.slice(0, lastAt), maxTokens)
    .map((message) => `${message.role}: ${contentText(message.content)}`)
    .join('\n\n');
}

/** Calls of tools and their results are left out: the writer has no tools. */
const isTurn = (message: ChatMessage): boolean =>
  message.role === 'user' || (message.role === 'assistant' && contentText(message.content) !== '');

/**
 * The conversation for the writer: the client's instructions with ours after them, the latest turns
 * that fit, and the user's last message with the material before it.
 */
export function writerMessages(
  messages: readonly ChatMessage[],
  rules: string,
  material: string,
  maxHistoryTokens: number,
): ChatMessage[] {
  const lastAt = messages.findLastIndex(({ role }) => role === 'user');
  const { content = '', ...last } = messages[lastAt]!;
  const withMaterial = Array.isArray(content)
    ? [{ type: 'text', text: material }, ...content]
    : `${material}\n\n${content ?? ''}`;
  return [
    ...messages.filter(isInstruction),
    { role: 'system', content: rules },
    ...history(messages.slice(0, lastAt), maxHistoryTokens),
    { ...last, content: withMaterial },
  ];
}

function history(messages: readonly ChatMessage[], maxTokens: number): ChatMessage[] {
  const kept: ChatMessage[] = [];
  let left = maxTokens;
  for (const message of messages.filter(isTurn).toReversed()) {
    const { role, content } = message;
    const turn =
      role === 'user' ? { role, content } : { role, content: contentText(message.content) };
    left -= measureRequest([turn]).tokens;
    if (left < 0) break;
    kept.unshift(turn);
  }
  return kept;
}
