import type { ToolCall } from '../completion.js';
import { shownContent } from '../conversations/answered-message.js';
import { GatewayError } from '../errors.js';
import type { ConversationRecord, MessageRecord } from '../store/contracts/conversations.js';
import type { List } from './page-request.js';
import { isoOf, shownFieldsOf, type Shown } from './shown-fields.js';

/**
 * A conversation as the API returns it. `conversationId` and `conversationTitle` repeat its id and
 * title under the names that completions use. `updatedAt` is when it was last used.
 */
export interface StoredConversation extends Shown<
  ConversationRecord,
  'id' | 'title' | 'titleSource' | 'messageCount' | 'createdAt' | 'updatedAt'
> {
  readonly object: 'conversation';
  readonly conversationId: string;
  readonly conversationTitle: string;
}

/** Only answers of a model have these. `costUsd` is null if it is unknown. */
const answerFields = ['provider', 'model', 'finishReason', 'usage', 'costUsd'] as const;

/** A message as the API returns it. */
export interface StoredMessage
  extends
    Shown<MessageRecord, 'id' | 'role' | 'createdAt'>,
    Partial<Pick<MessageRecord, (typeof answerFields)[number]>> {
  readonly object: 'message';
  readonly type: 'text';
  /** Blocks, such as `{ type: 'text', text }`. */
  readonly content: readonly object[];
  readonly reasoning?: string;
  /** As in an answer; older ones have only `{ title, url, snippet }` each. */
  readonly sources?: unknown;
  /** As in an answer. */
  readonly citations?: unknown;
  /** The calls of an assistant's message that the client sent. */
  readonly tool_calls?: readonly ToolCall[];
}

/** A conversation with a page of its messages, oldest first. */
export interface ConversationWithMessages extends StoredConversation {
  readonly messages: List<StoredMessage>;
}

/** A conversation as the API returns it. */
export const shownConversation = (record: ConversationRecord): StoredConversation => ({
  object: 'conversation',
  id: record.id,
  conversationId: record.id,
  title: record.title,
  conversationTitle: record.title,
  ...shownFieldsOf(record, ['titleSource', 'messageCount', 'createdAt', 'updatedAt']),
});

/** A message as the API returns it. Only answers of a model have `model`, `usage` and so on. */
export const shownMessage = (record: MessageRecord): StoredMessage => ({
  object: 'message',
  ...shownFieldsOf(record, ['id', 'role']),
  type: 'text',
  ...shownContent(record.content),
  ...(record.model === null ? {} : shownFieldsOf(record, answerFields)),
  createdAt: isoOf(record.createdAt),
});

/** For conversations that do not exist or belong to another account. */
export const conversationNotFound = (): GatewayError =>
  new GatewayError('not_found', 'conversation: not found');
