import type { ChatMessage } from '../completion.js';

/** The text of a message: its text parts as lines; '' where it has none. */
export const contentText = (content: ChatMessage['content']): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n');
