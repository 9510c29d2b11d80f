import type { Schema } from '../../api/schema.js';
import { type PageOf, type PageQuery, read, readAll } from '../../api/queries.js';
import type { AnsweredRequest } from '../../components/conversation/stored-turns.js';

export type Conversation = Schema<'ConversationResponse'>;
type StoredMessage = Schema<'MessageResponse'>;

const messagesPerPage = 100;
/** The maximum number of messages shown. A longer conversation is exported instead. */
const maxMessages = 1_000;

/** A conversation with its messages, oldest first. */
export interface WholeConversation {
  readonly conversation: Conversation;
  readonly messages: readonly StoredMessage[];
  /** What the request log has of its answers, by the answer's id. */
  readonly requests: ReadonlyMap<string, AnsweredRequest>;
  /** Whether it has more messages than are shown. */
  readonly isCut: boolean;
}

/** Reads a conversation with all its messages, up to a thousand. */
export async function readWholeConversation(
  id: string,
  mayReadRequests: boolean,
): Promise<WholeConversation> {
  const path = { id };
  const readPages = <Item>(readPage: (page: PageQuery) => Promise<PageOf<Item>>) =>
    readAll(readPage, messagesPerPage, maxMessages);
  const [conversation, messages, requests] = await Promise.all([
    read('/api/v1/conversations/{id}', { path, query: { limit: 1 } }),
    readPages((page) => read('/api/v1/conversations/{id}/messages', { path, query: page })),
    // those that the answers came from, as long as they are kept
    mayReadRequests
      ? readPages((page) => read('/api/v1/requests', { query: { conversation: id, ...page } }))
      : [],
  ]);
  const byAnswer = requests.map((one) => [one.responseId ?? '', one] as const);
  const isCut = conversation.messageCount > maxMessages;
  return { conversation, messages, requests: new Map(byAnswer), isCut };
}
