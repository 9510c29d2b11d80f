import type { Page, PageRequest } from './page.js';

export interface ConversationRecord {
  readonly id: string;
  readonly accountId: string;
  readonly title: string;
  /** Where the title comes from: the first message, a model, or the client. */
  readonly titleSource: 'derived' | 'model' | 'given';
  readonly messageCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A conversation with the model of its last answer; null if there is none. */
export interface FoundConversation extends ConversationRecord {
  readonly last: { readonly provider: string | null; readonly model: string } | null;
}

export interface MessageRecord {
  readonly id: string;
  readonly role: string;
  /** As the client sent it: a text, or content parts. */
  readonly content: unknown;
  readonly provider: string | null;
  readonly model: string | null;
  readonly finishReason: string | null;
  /** The API's `usage` object without costs; null for messages of the client. */
  readonly usage: unknown;
  readonly costUsd: number | null;
  readonly createdAt: number;
}

export type NewMessage = Omit<MessageRecord, 'createdAt'>;

/** One request and its answer, to add to a conversation. */
export interface Turn {
  readonly conversationId: string;
  readonly accountId: string;
  /** Set if the conversation begins with this turn. */
  readonly begins: { readonly title: string } | null;
  /** The whole history of the request; messages that are stored already are not added again. */
  readonly history: readonly NewMessage[];
  readonly answer: NewMessage;
  readonly at: number;
}

export interface ConversationStore {
  create(
    conversation: Omit<ConversationRecord, 'messageCount' | 'updatedAt'>,
  ): Promise<ConversationRecord>;
  find(accountId: string, id: string): Promise<FoundConversation | null>;
  /** What an account stores: characters of messages, bytes of notes of research and responses. */
  storedBytes(accountId: string): Promise<number>;
  /**
   * The last used first.
   * @param search only those whose titles contain all its words. Such a page may have fewer items
   * than its limit, or none, although more follow.
   */
  list(
    accountId: string,
    page: PageRequest,
    search?: string | null,
  ): Promise<Page<ConversationRecord>>;
  /** Oldest first. Null if there is no such conversation. */
  messages(accountId: string, id: string, page: PageRequest): Promise<Page<MessageRecord> | null>;
  /** @param onlyDerived changes only a title that was derived from the first message */
  rename(
    accountId: string,
    id: string,
    title: string,
    source: ConversationRecord['titleSource'],
    onlyDerived?: boolean,
  ): Promise<ConversationRecord | null>;
  /** False if there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
  /**
   * Adds turns in one transaction, each completely or not at all; a turn whose answer is stored
   * already is not added again. `gone`: the conversation was deleted.
   */
  append(turns: readonly Turn[]): Promise<('stored' | 'gone')[]>;
}

/** What a research run knows after one of its steps. */
export interface NewNotes {
  /** The id of the answer that the run writes. */
  readonly id: string;
  readonly accountId: string;
  /** The notes as JSON, at most a megabyte. */
  readonly json: string;
  readonly at: number;
}

/**
 * The notes of research runs, from which a run that was killed is continued. They are deleted with
 * their answer's conversation, or when they are old.
 */
export interface ResearchStore {
  /** Stores notes in place of earlier ones of the same account and id. */
  save(notes: NewNotes): Promise<void>;
  /** The notes as JSON; null: the account has none of that id. */
  find(accountId: string, id: string): Promise<string | null>;
  /** Deletes notes; nothing happens where there are none. */
  remove(accountId: string, id: string): Promise<void>;
  /** The notes that the account has, newest first. */
  list(accountId: string, page: PageRequest): Promise<Page<Pick<NewNotes, 'id' | 'at'>>>;
}
