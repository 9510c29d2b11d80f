import { compileSchema } from '../../config/schema/compile-schema.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import {
  type StoredConversation,
  type ConversationWithMessages,
  dropConversation,
  oneConversation,
  pageOfConversations,
  retitleConversation,
} from '../conversations.js';
import type { List } from '../page-request.js';
import {
  askedPage,
  checkFields,
  type PageOptions,
  refuseOthers,
  requiredAccount,
  requiredAccountAndId,
} from './host-fields.js';

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
export function conversationMethods(parts: GatewayParts): ConversationMethods {
  const change = compileSchema<{ title: string }>('conversation-change.request');
  return {
    async list(options) {
      const page = askedPage(options, ['account']);
      return pageOfConversations(parts, await requiredAccount(parts, options), page);
    },
    async get(asked) {
      const page = askedPage(asked, ['account', 'id']);
      return oneConversation(parts, ...(await requiredAccountAndId(parts, asked)), page);
    },
    async rename(asked) {
      refuseOthers(asked, ['account', 'id', 'title']);
      const { title } = asked;
      checkFields(change, { title });
      return retitleConversation(parts, ...(await requiredAccountAndId(parts, asked)), title);
    },
    async delete(asked) {
      refuseOthers(asked, ['account', 'id']);
      await dropConversation(parts, ...(await requiredAccountAndId(parts, asked)));
    },
  };
}
