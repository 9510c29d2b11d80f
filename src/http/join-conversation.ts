import type { RequestHandler } from 'express';
import type { ServerResponse } from 'node:http';
import type { JoinedConversation } from '../conversations/keeper.js';
import { GatewayError } from '../errors.js';
import { callerOf, contextOf } from './context.js';
import type { Parts } from './parts.js';
import { stage } from './stage.js';
import type { NativeRequest } from './surfaces/native-request.js';

/** Finds the conversation that a native completion continues, or begins one; an id that is not this account's is answered 404. */
export function joinConversation(parts: Parts): RequestHandler {
  return stage((req, res) => {
    const context = contextOf(res);
    const { conversations } = (context.runtime ??= parts.current());
    const { conversationId, messages, store } = req.body as NativeRequest;
    const storing = !conversations.store ? 'off' : store === false ? 'skip' : 'on';
    const take = (joined: JoinedConversation): void => {
      context.conversation = joined;
      context.record.conversationId = joined.stores ? joined.id : null;
      context.record.responseId = joined.answerId;
    };
    const joined = parts.memory.conversations.join(callerOf(res).accountId, {
      conversationId: conversationId ?? null,
      messages,
      storing,
    });
    if (joined instanceof Promise) return joined.then(take);
    take(joined);
  });
}

/** @throws GatewayError `internal` where `joinConversation` has not run */
export function conversationOf(res: ServerResponse): JoinedConversation {
  const { conversation } = contextOf(res);
  if (!conversation) throw new GatewayError('internal', 'no conversation was joined');
  return conversation;
}
