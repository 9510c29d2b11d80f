import type { Schema } from '../../api/schema.js';
import { read } from '../../api/queries.js';
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

const noRequests: ReadonlyMap<string, AnsweredRequest> = new Map();

/** Reads a conversation with all its messages, up to a thousand. */
export async function readWholeConversation(
  id: string,
  mayReadRequests: boolean,
): Promise<WholeConversation> {
  const [conversation, requests] = await Promise.all([
    read('/api/v1/conversations/{id}', { path: { id }, query: { limit: messagesPerPage } }),
    mayReadRequests ? readRequests(id) : noRequests,
  ]);
  const messages = [...(conversation.messages?.items ?? [])];
  let cursor = conversation.messages?.next ?? null;
  while (cursor !== null && messages.length < maxMessages) {
    const page = await read('/api/v1/conversations/{id}/messages', {
      path: { id },
      query: { limit: messagesPerPage, cursor },
    });
    messages.push(...page.items);
    cursor = page.next;
  }
  return { conversation, messages, requests, isCut: cursor !== null };
}

/** The requests that the answers of a conversation came from, as long as they are kept. */
async function readRequests(conversation: string): Promise<ReadonlyMap<string, AnsweredRequest>> {
  const found = new Map<string, AnsweredRequest>();
  let cursor: string | null = null;
  do {
    const query = { conversation, limit: messagesPerPage, ...(cursor === null ? {} : { cursor }) };
    const page: Schema<'RequestList'> = await read('/api/v1/requests', { query });
    for (const request of page.items)
      if (request.responseId !== null) found.set(request.responseId, request);
    cursor = page.next;
  } while (cursor !== null && found.size < maxMessages);
  return found;
}
