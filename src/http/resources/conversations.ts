import type { RequestHandler } from 'express';
import { shownContent } from '../../conversations/answered-message.js';
import { GatewayError } from '../../errors.js';
import type { ConversationRecord, MessageRecord } from '../../store/contracts/conversations.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from '../../resources/page-request.js';

/** The body of `POST /api/v1/conversations`. */
interface ConversationRequest {
  title?: string | null;
}

const maxTitleLength = 200;

/**
 * A conversation as the API returns it. `conversationId` and `conversationTitle` repeat its id and
 * title under the names that completions use.
 */
export function shownConversation({
  id,
  title,
  titleSource,
  messageCount,
  createdAt,
  updatedAt,
}: ConversationRecord): object {
  return {
    object: 'conversation',
    id,
    conversationId: id,
    title,
    conversationTitle: title,
    titleSource,
    messageCount,
    createdAt: isoOrNull(createdAt),
    updatedAt: isoOrNull(updatedAt),
  };
}

/** A message as the API returns it. Only answers of a model have `model`, `usage` and so on. */
export function shownMessage({
  id,
  role,
  content,
  provider,
  model,
  finishReason,
  usage,
  costUsd,
  createdAt,
}: MessageRecord): object {
  const answered = model === null ? {} : { provider, model, finishReason, usage, costUsd };
  return {
    object: 'message',
    id,
    role,
    type: 'text',
    ...shownContent(content),
    ...answered,
    createdAt: isoOrNull(createdAt),
  };
}

/** For conversations that do not exist or belong to another account. */
export const conversationNotFound = (): GatewayError =>
  new GatewayError('not_found', 'conversation: not found');

/** `GET /api/v1/conversations`: most recently used first. */
export function listConversations(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const { store } = await parts.state.opened();
    sendJson(
      res,
      200,
      listOf(await store.conversations.list(callerOf(res).accountId, page), shownConversation),
    );
  });
}

/** `POST /api/v1/conversations`. */
export function createConversation(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    sendJson(res, 201, shownConversation(await created(parts, callerOf(res).accountId, req.body)));
  });
}

/**
 * `POST /api/v1/chat/conversation`, for older clients, which read the id from `id` or `data.id`.
 */
export function createChatConversation(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const record = await created(parts, callerOf(res).accountId, req.body);
    sendJson(res, 201, { ...shownConversation(record), data: { id: record.id } });
  });
}

/** `GET /api/v1/conversations/{id}`: with a page of its messages. */
export function readConversation(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { accountId } = callerOf(res);
    const page = pageRequestOf(req);
    const { store } = await parts.state.opened();
    const [record, messages] = await Promise.all([
      store.conversations.find(accountId, idOf(req)),
      store.conversations.messages(accountId, idOf(req), page),
    ]);
    if (!record || !messages) throw conversationNotFound();
    sendJson(res, 200, { ...shownConversation(record), messages: listOf(messages, shownMessage) });
  });
}

/** `GET /api/v1/conversations/{id}/messages`: oldest first. */
export function listMessages(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const { store } = await parts.state.opened();
    const messages = await store.conversations.messages(callerOf(res).accountId, idOf(req), page);
    if (!messages) throw conversationNotFound();
    sendJson(res, 200, listOf(messages, shownMessage));
  });
}

/** `PATCH /api/v1/conversations/{id}`. */
export function renameConversation(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { title } = req.body as { title: string };
    const record = await parts.state.conversations.rename(
      callerOf(res).accountId,
      idOf(req),
      title.trim(),
      'given',
    );
    if (!record) throw conversationNotFound();
    sendJson(res, 200, shownConversation(record));
  });
}

/** `DELETE /api/v1/conversations/{id}`. */
export function removeConversation(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    if (!(await parts.state.conversations.remove(callerOf(res).accountId, idOf(req))))
      throw conversationNotFound();
    res.status(204).end();
  });
}

function created(parts: Parts, accountId: string, body: unknown): Promise<ConversationRecord> {
  const { title } = body as ConversationRequest;
  const named = (title ?? '').replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return parts.state.conversations.create(
    accountId,
    named === '' ? null : named.slice(0, maxTitleLength).replace(/[\ud800-\udbff]$/, ''),
  );
}
