import type { Request, RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import {
  conversationNotFound,
  dropConversation,
  oneConversation,
  pageOfConversations,
  retitleConversation,
  shownConversation,
  shownMessage,
} from '../../api/conversations.js';
import { idOf, listOf, pageRequestOf } from '../../api/page-request.js';
import type { ConversationRecord } from '../../store/contracts/conversations.js';
import { callerOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** The body of `POST /api/v1/conversations`. */
interface ConversationRequest {
  title?: string | null;
}

const maxTitleLength = 200;

/** `GET /api/v1/conversations`: most recently used first. */
export function listConversations(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req, ['search']);
    const { accountId } = callerOf(res);
    sendJson(res, 200, await pageOfConversations(parts, accountId, page, searchOf(req)));
  });
}

const maxSearchLength = 200;

/** Null: all conversations. */
function searchOf({ query }: Request): string | null {
  const { search } = query;
  if (search === undefined) return null;
  if (typeof search !== 'string' || search.length > maxSearchLength)
    throw invalidField('search', `must be a text of at most ${maxSearchLength} characters`);
  return search.trim() === '' ? null : search;
}

/** `POST /api/v1/conversations`. */
export function createConversation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    sendJson(res, 201, shownConversation(await created(parts, callerOf(res).accountId, req.body)));
  });
}

/**
 * `POST /api/v1/chat/conversation`, for older clients, which read the id from `id` or `data.id`.
 */
export function createChatConversation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const record = await created(parts, callerOf(res).accountId, req.body);
    sendJson(res, 201, { ...shownConversation(record), data: { id: record.id } });
  });
}

/** `GET /api/v1/conversations/{id}`: with a page of its messages. */
export function readConversation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { accountId } = callerOf(res);
    sendJson(res, 200, await oneConversation(parts, accountId, idOf(req), pageRequestOf(req)));
  });
}

/** `GET /api/v1/conversations/{id}/messages`: oldest first. */
export function listMessages(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const { store } = await parts.state.opened();
    const messages = await store.conversations.messages(callerOf(res).accountId, idOf(req), page);
    if (!messages) throw conversationNotFound();
    sendJson(res, 200, listOf(messages, shownMessage));
  });
}

/** `PATCH /api/v1/conversations/{id}`. */
export function renameConversation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { title } = req.body as { title: string };
    const { accountId } = callerOf(res);
    sendJson(res, 200, await retitleConversation(parts, accountId, idOf(req), title));
  });
}

/** `DELETE /api/v1/conversations/{id}`. */
export function removeConversation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    await dropConversation(parts, callerOf(res).accountId, idOf(req));
    res.status(204).end();
  });
}

function created(
  parts: GatewayParts,
  accountId: string,
  body: unknown,
): Promise<ConversationRecord> {
  const { title } = body as ConversationRequest;
  const named = (title ?? '').replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return parts.state.conversations.create(
    accountId,
    named === '' ? null : named.slice(0, maxTitleLength).replace(/[\ud800-\udbff]$/, ''),
  );
}
