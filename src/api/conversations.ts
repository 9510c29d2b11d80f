import type { ConversationRecord } from '../store/contracts/conversations.js';
import { type Call, endpointsOf, type Endpoint } from './endpoint.js';
import { exportConversation } from './export-conversation.js';
import { json } from './openapi/components.js';
import { idOf, type List, listOf, pageRequestOf, searchOf } from './page-request.js';
import { queryParameter } from './parameters.js';
import {
  conversationNotFound,
  type ConversationWithMessages,
  shownConversation,
  shownMessage,
  type StoredConversation,
} from './shown-conversation.js';

const endpoint = endpointsOf({ tag: 'Conversations', scope: 'completions' });
const path = '/api/v1/conversations';
const onePath = `${path}/{id}`;
const chatPath = '/api/v1/chat/conversation';
const response = 'conversation.response';
const example = { title: 'Colours of the sky' };

/** Most recently used first. */
export const listConversations = endpoint('get', path, 'listConversations', {
  summary: "List the account's conversations, most recently used first",
  response,
  isList: true,
  parameters: [
    queryParameter(
      'search',
      'Only conversations whose titles contain all these words. Each page looks at the next 5,000 conversations, so it may have fewer items than `limit`, or none, although `next` is not null.',
    ),
  ],
  async run(call: Call): Promise<List<StoredConversation>> {
    const [page, search] = [pageRequestOf(call), searchOf(call)];
    const { store } = await call.parts.state.opened();
    const found = await store.conversations.list(call.caller.accountId, page, search);
    return listOf(found, shownConversation);
  },
});

const createConversation = endpoint('post', path, 'createConversation', {
  summary: 'Create a conversation without messages',
  request: 'conversation.request',
  example,
  response,
  status: 201,
  run: async (call: Call<ConversationRequest>) => shownConversation(await created(call)),
});

/** With a page of its messages. */
export const getConversation = endpoint('get', onePath, 'getConversation', {
  summary: 'One conversation, with a page of its messages',
  response,
  parameters: [
    queryParameter('limit', 'Messages per page, from 1 to 100. Default: 20.', 'integer'),
    queryParameter('cursor', '`messages.next` of the previous page.'),
  ],
  async run(call: Call): Promise<ConversationWithMessages> {
    const { accountId } = call.caller;
    const [id, page] = [idOf(call), pageRequestOf(call)];
    const { store } = await call.parts.state.opened();
    const [record, messages] = await Promise.all([
      store.conversations.find(accountId, id),
      store.conversations.messages(accountId, id, page),
    ]);
    if (!record || !messages) throw conversationNotFound();
    return { ...shownConversation(record), messages: listOf(messages, shownMessage) };
  },
});

/** Gives a conversation a title. */
export const updateConversation = endpoint('patch', onePath, 'updateConversation', {
  summary: 'Rename a conversation',
  request: 'conversation-change.request',
  example,
  response,
  async run(call: Call<{ readonly title: string }>): Promise<StoredConversation> {
    const { conversations } = call.parts.state;
    const title = call.body.title.trim();
    const record = await conversations.rename(call.caller.accountId, idOf(call), title, 'given');
    if (!record) throw conversationNotFound();
    return shownConversation(record);
  },
});

/** Deletes a conversation with its messages. */
export const deleteConversation = endpoint('delete', onePath, 'deleteConversation', {
  summary: 'Delete a conversation with its messages',
  async run(call: Call): Promise<void> {
    const { conversations } = call.parts.state;
    if (!(await conversations.remove(call.caller.accountId, idOf(call))))
      throw conversationNotFound();
  },
});

const listMessages = endpoint('get', `${onePath}/messages`, 'listMessages', {
  summary: 'The messages of a conversation, oldest first',
  response: 'message.response',
  isList: true,
  async run(call: Call) {
    const page = pageRequestOf(call);
    const { store } = await call.parts.state.opened();
    const messages = await store.conversations.messages(call.caller.accountId, idOf(call), page);
    if (!messages) throw conversationNotFound();
    return listOf(messages, shownMessage);
  },
});

/** For older clients, which read the id from `id` or `data.id`. */
const createChatConversation = endpoint('post', chatPath, 'createChatConversation', {
  summary: 'Create a conversation (for earlier clients)',
  request: 'chat-conversation.request',
  example,
  answer: {
    description: 'The conversation; `id` and `data.id` hold its id.',
    content: json(response),
  },
  status: 201,
  isDeprecated: true,
  async run(call: Call<ConversationRequest>) {
    const record = await created(call);
    return { ...shownConversation(record), data: { id: record.id } };
  },
});

/** Stored conversations. */
export const conversationEndpoints: readonly Endpoint[] = [
  listConversations,
  createConversation,
  getConversation,
  updateConversation,
  deleteConversation,
  listMessages,
  exportConversation,
  createChatConversation,
];

interface ConversationRequest {
  readonly title?: string | null;
}

const maxTitleLength = 200;

function created({ parts, caller, body }: Call<ConversationRequest>): Promise<ConversationRecord> {
  const named = (body.title ?? '').replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return parts.state.conversations.create(
    caller.accountId,
    named === '' ? null : named.slice(0, maxTitleLength).replace(/[\ud800-\udbff]$/, ''),
  );
}
