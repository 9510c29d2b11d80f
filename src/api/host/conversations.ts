import type { ApiContext } from '../api-context.js';
import {
  deleteConversation,
  getConversation,
  listConversations,
  updateConversation,
} from '../conversations.js';
import type { List } from '../page-request.js';
import type { ConversationWithMessages, StoredConversation } from '../shown-conversation.js';
import { hostMethod } from './host-call.js';
import type { PageOptions } from './host-fields.js';

/** Names something that belongs to an account. */
export interface OwnedId {
  /** `host:<your id>` for one of your users, or an id that the gateway has given. */
  readonly account: string;
  readonly id: string;
}

/** The stored conversations of an account, as `/api/v1/conversations` has them. */
export interface ConversationMethods {
  /** An account's conversations, most recently used first. */
  list(options: PageOptions & { readonly account: string }): Promise<List<StoredConversation>>;
  /** A conversation with a page of its messages, oldest first. @throws GatewayError `not_found` */
  get(conversation: OwnedId & PageOptions): Promise<ConversationWithMessages>;
  /** Gives it a title. @throws GatewayError `not_found`, `validation_failed` */
  rename(conversation: OwnedId & { readonly title: string }): Promise<StoredConversation>;
  /** Deletes it with its messages. @throws GatewayError `not_found` */
  delete(conversation: OwnedId): Promise<void>;
}

/** The conversations, for the code of a host app. */
export const conversationMethods = (host: ApiContext): ConversationMethods => ({
  list: hostMethod(host, listConversations, 'required'),
  get: hostMethod(host, getConversation, 'required'),
  rename: hostMethod(host, updateConversation, 'required'),
  delete: hostMethod(host, deleteConversation, 'required'),
});
