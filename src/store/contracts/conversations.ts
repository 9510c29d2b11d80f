import type { Page, PageRequest } from './store.js';

export interface ConversationRecord {
  readonly id: string;
  readonly accountId: string;
  readonly title: string;
  /** Who wrote the title: it was derived from the first message, written by a model, or given by the client. */
  readonly titleSource: 'derived' | 'model' | 'given';
  readonly messageCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A conversation, and who answered in it last; null where nobody has. */
export interface FoundConversation extends ConversationRecord {
  readonly last: { readonly provider: string | null; readonly model: string } | null;
}

export interface MessageRecord {
  readonly id: string;
  readonly role: string;
  /** As it was sent: a text, or content parts. */
  readonly content: unknown;
  readonly provider: string | null;
  readonly model: string | null;
  readonly finishReason: string | null;
  /** The interface's `usage` object, without its costs; null for messages that were sent. */
  readonly usage: unknown;
  readonly costUsd: number | null;
  readonly createdAt: number;
}

export type NewMessage = Omit<MessageRecord, 'createdAt'>;

/** One request and its answer, to be added to a conversation. */
export interface Turn {
  readonly conversationId: string;
  readonly accountId: string;
  /** For a conversation that begins with this turn. */
  readonly begins: { readonly title: string } | null;
  /** The whole history as it was sent; what is stored already is not put in again. */
  readonly history: readonly NewMessage[];
  readonly answer: NewMessage;
  readonly at: number;
}

/** Conversations and their messages. */
export interface ConversationStore {
  /** Creates an empty one. */
  create(
    conversation: Omit<ConversationRecord, 'messageCount' | 'updatedAt'>,
  ): Promise<ConversationRecord>;
  find(accountId: string, id: string): Promise<FoundConversation | null>;
  /** The one that was used last comes first. */
  list(accountId: string, page: PageRequest): Promise<Page<ConversationRecord>>;
  /** Oldest first. Null where there is no such conversation. */
  messages(accountId: string, id: string, page: PageRequest): Promise<Page<MessageRecord> | null>;
  /** `onlyDerived`: leaves a title that was given or written alone. */
  rename(
    accountId: string,
    id: string,
    title: string,
    source: ConversationRecord['titleSource'],
    onlyDerived?: boolean,
  ): Promise<ConversationRecord | null>;
  /** False where there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
  /**
   * Adds turns in one transaction; a turn is there whole or not at all, and one whose answer is there already is not added twice.
   * `gone`: the conversation was deleted meanwhile.
   */
  append(turns: readonly Turn[]): Promise<('stored' | 'gone')[]>;
}
