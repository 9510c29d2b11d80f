import { readFileSync } from 'node:fs';
import type { ChatMessage } from '../../../src/completion.js';

/** A conversation as people have them, and the language of its last turn. */
export interface PeoplesConversation {
  readonly language: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
}

type Written = Omit<PeoplesConversation, 'messages'> &
  ({ readonly text: string } | { readonly messages: readonly ChatMessage[] });

/** How hard conversations are; the share of each in the mixture that bills are stated for. */
export const mixture = { easy: 22 / 60, middling: 22 / 60, hard: 16 / 60 } as const;

/** How hard a conversation is. */
export type Hardness = keyof typeof mixture;

/** A file of conversations: mixed ones of a hardness, or those of further fields. */
export type ConversationSet = Hardness | 'fields-easy' | 'fields-hard';

/** The conversations of a file. No text that the reader of requests is fitted to is among them. */
export function peoplesConversations(set: ConversationSet): PeoplesConversation[] {
  const file = new URL(`conversations/${set}.json`, import.meta.url);
  const written = JSON.parse(readFileSync(file, 'utf8')) as readonly Written[];
  return written.map((one) =>
    'messages' in one
      ? one
      : { language: one.language, messages: [{ role: 'user', content: one.text }] },
  );
}
