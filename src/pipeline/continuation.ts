import type { Caller } from '../accounts/caller.js';
import type { ChatMessage } from '../completion.js';
import { historyKey, type LastModel } from '../conversations/last-models.js';
import { invalidField } from '../errors.js';
import type { Chooser } from '../chooser/chooser.js';
import type { RoutingRequest } from '../chooser/plan.js';
import { measureRequest } from '../models/tokens.js';
import type { Links } from './completion-call.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import type { GatewayRequest } from './request.js';

type Linked = Awaited<ReturnType<Chooser['preferences']['ofAccount']>>;

/** The shortest prompt that providers cache. */
const minCachedTokens = 1_024;

const conversationKey = (id: string): string => `conversation ${id.toLowerCase()}`;
const cacheKey = (name: string): string => `prompt cache ${name}`;
const sessionKey = (id: string): string => `session ${id}`;

// an empty id counts as given and is then not found: the gateway never issued one
const isGiven = (id: string | null | undefined): id is string => id !== null && id !== undefined;

/**
 * Looks up what a request links to: checks its session, and returns the preference that it names
 * together with the predictor trained for it. Null: it names none.
 * @throws GatewayError `not_found` for an id that was never this caller's; `unavailable` where it
 * cannot be looked up
 */
export async function followLinks(
  { state: { ids, chooser } }: GatewayParts,
  { accountId }: Caller,
  { preference_id: preferenceId, previous_session: session }: Links,
): ReturnType<Chooser['preferences']['ofAccount']> {
  if (isGiven(session)) {
    if (!ids.isReady) await ids.ready();
    if (!ids.isOf(session, accountId))
      throw invalidField('previous_session', 'not found', 'not_found');
  }
  if (!isGiven(preferenceId)) return null;
  const preference = await chooser.preferences.ofAccount(accountId, preferenceId);
  if (preference === null) throw invalidField('preference_id', 'not found', 'not_found');
  return preference;
}

/**
 * What the caller's feedback and outcomes have taught, for the preference that the request names or
 * without any. Null if nothing is known or it cannot be looked up in a moment. Never fails.
 * @param linked the result of `followLinks`
 */
export async function findOnlineLearning(
  { state }: GatewayParts,
  { caller, snapshot }: GatewayRequest,
  links: Links,
  linked: Linked,
): Promise<RoutingRequest['onlineLearning'] | null> {
  const { learning } = snapshot.routing;
  if (!learning.enabled) return null;
  const found = await state.chooser.learning.find({
    accountId: caller.accountId,
    preferenceId: links.preference_id ?? '',
  });
  if (!found?.tuning) return null;
  // no exploration within a session: this process may not know the model that it began with
  const share = isGiven(links.previous_session)
    ? 0
    : (linked?.preference.exploration ?? learning.exploration);
  return { tuning: found.tuning, exploration: found.isRated ? share : 0 };
}

/**
 * The model that answered last before this request: in its conversation, else in its session, else
 * after the same history, else under the same prompt cache key. Looks only in memory; a joined
 * conversation knows its last model itself. Null: not known.
 */
export function continuedBy(
  parts: GatewayParts,
  request: GatewayRequest,
  links: Links,
  { messages, tools }: RoutingRequest,
): RoutingRequest['continued'] | null {
  const end = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = lastModel(parts, request, links, messages, end);
  if (!last) return null;
  // the provider has read what stands before its own last answer
  const tokens = end < 0 ? 0 : measureRequest(messages.slice(0, end), tools ?? []).tokens;
  return {
    provider: last.provider,
    model: last.model,
    cachedTokens: tokens < minCachedTokens ? 0 : tokens,
  };
}

function lastModel(
  { state: { lastModels } }: GatewayParts,
  { caller: { accountId }, conversation, promptCacheKey: name }: GatewayRequest,
  { conversationId, previous_session: session }: Links,
  messages: readonly ChatMessage[],
  end: number,
): LastModel | null {
  return (
    conversation?.last ??
    (typeof conversationId === 'string'
      ? lastModels.find(accountId, conversationKey(conversationId))
      : null) ??
    (session ? lastModels.find(accountId, sessionKey(session)) : null) ??
    (end > 0 ? lastModels.find(accountId, historyKey(messages, end)) : null) ??
    (end >= 0 && name !== null ? lastModels.find(accountId, cacheKey(name)) : null)
  );
}

/**
 * Identifies an account's conversation, to choose one of a provider's keys: by the client's prompt
 * cache key or session, else by the messages up to the first question.
 */
export function affinityOf(
  { caller: { accountId }, promptCacheKey }: GatewayRequest,
  messages: readonly ChatMessage[],
): string {
  const start = (): string =>
    historyKey(messages, messages.findIndex(({ role }) => role === 'user') + 1);
  return `${accountId}\0${promptCacheKey ?? start()}`;
}

/** Remembers which model a selection chose, for the requests that continue its session. */
export function rememberChosen(
  { state }: GatewayParts,
  { caller, sessionId }: GatewayRequest,
  chosen: LastModel,
): void {
  if (sessionId !== null) state.lastModels.add(caller.accountId, sessionKey(sessionId), chosen);
}

/** Remembers which model answered. The history is hashed only where there was a choice. */
export function rememberAnswered(
  { state: { lastModels } }: GatewayParts,
  { caller: { accountId }, conversation, record, plan, sessionId, promptCacheKey }: GatewayRequest,
  messages: readonly ChatMessage[],
  answered: LastModel,
): void {
  if (conversation) lastModels.add(accountId, conversationKey(conversation.id), answered);
  if (record.previousSession)
    lastModels.add(accountId, sessionKey(record.previousSession), answered);
  if (sessionId !== null) lastModels.add(accountId, sessionKey(sessionId), answered);
  if (!plan || plan.candidates.length + plan.excluded.length < 2) return;
  lastModels.add(accountId, historyKey(messages), answered);
  if (promptCacheKey !== null) lastModels.add(accountId, cacheKey(promptCacheKey), answered);
}
