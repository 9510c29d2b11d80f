import { json } from './components.js';
import { queryParameter, resourcePath } from './operations.js';

const pageOfMessages = [
  queryParameter('limit', 'Messages per page, from 1 to 100. Default: 20.', 'integer'),
  queryParameter('cursor', '`messages.next` of the previous page.'),
];
const searchParameter = queryParameter(
  'search',
  'Only conversations whose titles contain all these words. Each page looks at the next 5,000 conversations, so it may have fewer items than `limit`, or none, although `next` is not null.',
);
const exportParameter = {
  name: 'format',
  in: 'query',
  description: 'The file format. Default: `json`.',
  schema: { type: 'string', enum: ['json', 'markdown'] },
};
const exportedFile = {
  description: 'The file, as an attachment.',
  content: {
    'application/json': { schema: { type: 'object' } },
    'text/markdown': { schema: { type: 'string' } },
  },
};

/** Stored conversations. */
export function conversationPaths(): object {
  return {
    ...resourcePath('Conversations', '/api/v1/conversations', {
      get: {
        id: 'listConversations',
        summary: "List the account's conversations, most recently used first",
        response: 'conversation.response',
        isList: true,
        parameters: [searchParameter],
        scope: 'completions',
      },
      post: {
        id: 'createConversation',
        summary: 'Create a conversation without messages',
        request: 'conversation.request',
        example: { title: 'Colours of the sky' },
        response: 'conversation.response',
        status: 201,
        scope: 'completions',
      },
    }),
    ...resourcePath('Conversations', '/api/v1/conversations/{id}', {
      get: {
        id: 'getConversation',
        summary: 'One conversation, with a page of its messages',
        response: 'conversation.response',
        parameters: pageOfMessages,
        scope: 'completions',
      },
      patch: {
        id: 'updateConversation',
        summary: 'Rename a conversation',
        request: 'conversation-change.request',
        example: { title: 'Colours of the sky' },
        response: 'conversation.response',
        scope: 'completions',
      },
      delete: {
        id: 'deleteConversation',
        summary: 'Delete a conversation with its messages',
        scope: 'completions',
      },
    }),
    ...messagePaths(),
  };
}

function messagePaths(): object {
  return {
    ...resourcePath('Conversations', '/api/v1/conversations/{id}/messages', {
      get: {
        id: 'listMessages',
        summary: 'The messages of a conversation, oldest first',
        response: 'message.response',
        isList: true,
        scope: 'completions',
      },
    }),
    ...resourcePath('Conversations', '/api/v1/conversations/{id}/export', {
      get: {
        id: 'exportConversation',
        summary: 'Export a conversation as a file',
        answer: exportedFile,
        parameters: [exportParameter],
        scope: 'completions',
      },
    }),
    ...resourcePath('Conversations', '/api/v1/chat/conversation', {
      post: {
        id: 'createChatConversation',
        summary: 'Create a conversation (for earlier clients)',
        request: 'chat-conversation.request',
        example: { title: 'Colours of the sky' },
        answer: {
          description: 'The conversation; `id` and `data.id` hold its id.',
          content: json('conversation.response'),
        },
        status: 201,
        scope: 'completions',
        isDeprecated: true,
      },
    }),
  };
}
