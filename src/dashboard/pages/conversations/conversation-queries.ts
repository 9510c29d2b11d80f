import type { Schema } from '../../api/schema.js';
import { type PageOf, type PageQuery, read } from '../../api/queries.js';
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
  const [conversation, { items: messages, isCut }, requests] = await Promise.all([
    read('/api/v1/conversations/{id}', { path, query: { limit: 1 } }),
    readPages((page) => read('/api/v1/conversations/{id}/messages', { path, query: page })),
    // those that the answers came from, as long as they are kept
    mayReadRequests
      ? readPages((page) => read('/api/v1/requests', { query: { conversation: id, ...page } }))
      : { items: [] },
  ]);
  const byAnswer = requests.items.map((one) => [one.responseId ?? '', one] as const);
  return { conversation, messages, requests: new Map(byAnswer), isCut };
}

async function readPages<Item>(readPage: (page: PageQuery) => Promise<PageOf<Item>>) {
  const items: Item[] = [];
  let page: PageQuery | null = { limit: messagesPerPage };
  while (page !== null && items.length < maxMessages) {
    const read: PageOf<Item> = await readPage(page);
    items.push(...read.items);
    page = read.next === null ? null : { ...page, cursor: read.next };
  }
  return { items, isCut: page !== null };
}
