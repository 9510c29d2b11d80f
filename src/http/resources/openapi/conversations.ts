import {
  failure,
  json,
  nativeErrors,
  operation,
  pathParameter,
  queryParameter,
  resourcePath,
} from './parts.js';

const pageOfMessages = [
  queryParameter('limit', 'Messages per page, from 1 to 100. Default: 20.', 'integer'),
  queryParameter('cursor', '`messages.next` of the previous page.'),
];
const exportParameter = {
  name: 'format',
  in: 'query',
  description: 'The file format.',
  schema: { type: 'string', enum: ['json', 'markdown'], default: 'json' },
};

/** Stored conversations. */
export function conversationPaths(): object {
  const chat = operation('Create a conversation (for older clients)', 'chat-conversation.request', {
    201: {
      description: 'The conversation; `id` and `data.id` hold its id.',
      content: json('conversation.response'),
    },
    ...nativeErrors('422'),
  });
  return {
    ...resourcePath('/api/v1/conversations', {
      get: {
        summary: "List the account's conversations, most recently used first",
        response: 'conversation.response',
        isList: true,
      },
      post: {
        summary: 'Create a conversation without messages',
        request: 'conversation.request',
        response: 'conversation.response',
        status: 201,
      },
    }),
    ...resourcePath('/api/v1/conversations/{id}', {
      get: {
        summary: 'One conversation, with a page of its messages',
        response: 'conversation.response',
        parameters: pageOfMessages,
      },
      patch: {
        summary: 'Rename a conversation',
        request: 'conversation-change.request',
        response: 'conversation.response',
      },
      delete: { summary: 'Delete a conversation with its messages' },
    }),
    ...resourcePath('/api/v1/conversations/{id}/messages', {
      get: {
        summary: 'The messages of a conversation, oldest first',
        response: 'message.response',
        isList: true,
      },
    }),
    '/api/v1/conversations/{id}/export': exportPath(),
    '/api/v1/chat/conversation': { post: { ...chat, deprecated: true } },
  };
}

function exportPath(): object {
  const file = {
    description: 'The file, as an attachment.',
    content: {
      'application/json': { schema: { type: 'object' } },
      'text/markdown': { schema: { type: 'string' } },
    },
  };
  const get = operation('Export a conversation as a file', null, {
    200: file,
    ...nativeErrors('422'),
    503: failure('The database cannot be reached.'),
  });
  return {
    parameters: [pathParameter('id', 'An id.')],
    get: { ...get, parameters: [exportParameter] },
  };
}
