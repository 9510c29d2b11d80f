import type { ToolCall } from '../completion.js';
import { shownContent } from '../conversations/answered-message.js';
import { GatewayError } from '../errors.js';
import type { ConversationRecord, MessageRecord } from '../store/contracts/conversations.js';
import { isoOf, type List } from './page-request.js';

/**
 * A conversation as the API returns it. `conversationId` and `conversationTitle` repeat its id and
 * title under the names that completions use.
 */
export interface StoredConversation {
  readonly object: 'conversation';
  readonly id: string;
  readonly conversationId: string;
  readonly title: string;
  readonly conversationTitle: string;
  /** Made of the first message, written by a model, or given by a client. */
  readonly titleSource: ConversationRecord['titleSource'];
  readonly messageCount: number;
  /** Times in ISO 8601. */
  readonly createdAt: string;
  /** When it was last used. */
  readonly updatedAt: string;
}

/** A message as the API returns it. */
export interface StoredMessage {
  readonly object: 'message';
  readonly id: string;
  readonly role: string;
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
  /** This and what follows only of answers of a model. */
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly finishReason?: string | null;
  readonly usage?: unknown;
  /** Null: unknown. */
  readonly costUsd?: number | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A conversation with a page of its messages, oldest first. */
export interface ConversationWithMessages extends StoredConversation {
  readonly messages: List<StoredMessage>;
}

/** A conversation as the API returns it. */
export function shownConversation({
  id,
  title,
  titleSource,
  messageCount,
  createdAt,
  updatedAt,
}: ConversationRecord): StoredConversation {
  return {
    object: 'conversation',
    id,
    conversationId: id,
    title,
    conversationTitle: title,
    titleSource,
    messageCount,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
  };
}

/** A message as the API returns it. Only answers of a model have `model`, `usage` and so on. */
export function shownMessage({
  id,
  role,
  content,
  provider,
  model,
  finishReason,
  usage,
  costUsd,
  createdAt,
}: MessageRecord): StoredMessage {
  const answered = model === null ? {} : { provider, model, finishReason, usage, costUsd };
  return {
    object: 'message',
    id,
    role,
    type: 'text',
    ...shownContent(content),
    ...answered,
    createdAt: isoOf(createdAt),
  };
}

/** For conversations that do not exist or belong to another account. */
export const conversationNotFound = (): GatewayError =>
  new GatewayError('not_found', 'conversation: not found');
