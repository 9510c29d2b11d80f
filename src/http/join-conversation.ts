import type { RequestHandler } from 'express';
import { type ConversationLink, joinConversation } from '../pipeline/keep-turn.js';
import type { Parts } from '../pipeline/parts.js';
import { contextOf } from './context.js';
import { stage } from './stage.js';

/** Finds the conversation that a native completion continues, or begins one. An id of another account is answered 404. */
export function joinNativeConversation(parts: Parts): RequestHandler {
  return stage((req, res) =>
    joinConversation(parts, contextOf(parts, res).request, req.body as ConversationLink),
  );
}
