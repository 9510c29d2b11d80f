import { invalidField } from '../../../errors.js';
import { omit } from '../../../text/is-object.js';
import { asMessages } from '../foreign-words.js';
import { chatCall } from '../openai.js';
import type { CompletionSurface } from '../surface.js';
import { chatRequest, searchWish } from './chat-request.js';
import { messagesErrors } from './errors.js';
import { notForwarded, originalOf } from './forwarded-body.js';
import { MessagesReply } from './messages-reply.js';
import { MessagesStream } from './messages-stream.js';
import { onlyMessages } from './only-messages.js';
import type { MessagesRequest } from './request.js';

/** Anthropic's Messages. */
export const messages: CompletionSurface = {
  ...messagesErrors('messages'),
  dialect: 'messages',
  router: 'openai',
  path: '/v1/messages',
  schema: 'messages',
  described: {
    id: 'createMessage',
    summary: "Answer a conversation, in Anthropic's shape",
    description:
      "For Anthropic's SDKs and Claude Code: their base URL is this gateway's, with or without `/anthropic`. A provider that speaks Messages gets the body as it is, every other one its translation; the header `x-signalbox-dropped` of the answer names the fields that it was written without.",
    example: {
      model: 'auto',
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'Why is the sky blue?' }],
    },
    answer: "Anthropic's message, or its events.",
    notFound: 'The model does not exist.',
    errorSchema: 'messages-error',
  },
  adapt: asMessages,
  readCall(parsed, along) {
    const sent = parsed as MessagesRequest;
    const body = omit(sent, notForwarded) as MessagesRequest;
    if (sent.messages.every(({ content }) => content.length === 0 && content !== ''))
      throw invalidField('messages', 'have no content', 'bad_request');
    const call = chatCall(chatRequest(sent), sent);
    return Object.assign(call, {
      original: originalOf(body, along, onlyMessages(body).needs),
      grounding: searchWish(body),
    });
  },
  writer: (answered) =>
    answered.stream ? new MessagesStream(answered, answered.stream) : new MessagesReply(answered),
};
