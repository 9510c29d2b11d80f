import type { RequestHandler } from 'express';
import { type ConversationLink, joinConversation } from '../pipeline/keep-turn.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { contextOf } from './context.js';
import { stage } from './stage.js';

/**
 * Loads the conversation that a native completion continues, or starts a new one. Ids of other
 * accounts are answered 404.
 */
export function joinNativeConversation(parts: GatewayParts): RequestHandler {
  return stage((req, res) =>
    joinConversation(parts, contextOf(parts, res).request, req.body as ConversationLink),
  );
}
