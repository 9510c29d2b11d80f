import { anonymous } from '../accounts/caller.js';
import type { ChatMessage } from '../completion.js';
import { historyKey, type LastModel } from '../conversations/last-models.js';
import type { Continued } from '../routing/plan.js';
import { measureRequest } from '../routing/tokens.js';
import type { RequestContext } from '../http/context.js';
import type { Links } from './links.js';
import type { Parts } from '../http/parts.js';

/** What tells which conversation a request goes on with. */
export interface Going extends Links {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[] | null;
  /** As the body has it: not every surface has checked it. */
  readonly conversationId?: unknown;
}

/** No provider keeps shorter prompts. */
const leastCached = 1_024;

const conversationKey = (id: string): string => `conversation ${id.toLowerCase()}`;
const sessionKey = (id: string): string => `session ${id}`;

/** Where the model's last turn stands, -1 where it had none. */
const lastAnswer = (messages: readonly ChatMessage[]): number =>
  messages.findLastIndex(({ role }) => role === 'assistant');

/**
 * Which model answered last in what a request goes on with: in its conversation, else in its session, else after the same history. Nothing is
 * looked up but in memory; a conversation that was joined tells it itself. Null: nobody knows.
 */
export function continuedBy(parts: Parts, context: RequestContext, going: Going): Continued | null {
  const end = lastAnswer(going.messages);
  const last = lastModel(parts, context, going, end);
  if (!last) return null;
  // what it read then is what stood before its answer
  const tokens =
    end < 0 ? 0 : measureRequest(going.messages.slice(0, end), going.tools ?? []).tokens;
  return {
    provider: last.provider,
    model: last.model,
    cachedTokens: tokens < leastCached ? 0 : tokens,
  };
}

function lastModel(
  { memory: { lastModels } }: Parts,
  { caller, conversation }: RequestContext,
  { conversationId, previous_session: session, messages }: Going,
  end: number,
): LastModel | null {
  const { accountId } = caller ?? anonymous;
  return (
    conversation?.last ??
    (typeof conversationId === 'string'
      ? lastModels.find(accountId, conversationKey(conversationId))
      : null) ??
    (session ? lastModels.find(accountId, sessionKey(session)) : null) ??
    (end > 0 ? lastModels.find(accountId, historyKey(messages, end)) : null)
  );
}

/** Puts down whom model selection has chosen. */
export function rememberChosen(
  parts: Parts,
  { caller }: RequestContext,
  sessionId: string,
  chosen: LastModel,
): void {
  parts.memory.lastModels.add((caller ?? anonymous).accountId, sessionKey(sessionId), chosen);
}

/** Puts down who answered, for the requests that go on from there. The history is looked at only where there was a choice. */
export function rememberAnswered(
  parts: Parts,
  { caller, conversation, record, plan }: RequestContext,
  messages: readonly ChatMessage[],
  answered: LastModel,
): void {
  const {
    memory: { lastModels },
  } = parts;
  const { accountId } = caller ?? anonymous;
  if (conversation) lastModels.add(accountId, conversationKey(conversation.id), answered);
  if (record.previousSession)
    lastModels.add(accountId, sessionKey(record.previousSession), answered);
  if (plan && plan.candidates.length + plan.excluded.length > 1) {
    lastModels.add(accountId, sessionKey(plan.id), answered);
    lastModels.add(accountId, historyKey(messages), answered);
  }
}
