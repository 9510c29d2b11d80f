import type { ChatMessage, Usage } from '../completion.js';
import {
  type AnsweredMessage,
  contentOf,
  sentMessages,
} from '../conversations/answered-message.js';
import type { JoinedConversation } from '../conversations/keeper.js';
import type { TitleModel } from '../conversations/title-writer.js';
import { costOf } from '../models/cost.js';
import type { FinishedAnswer } from './completion-call.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import type { GatewayRequest } from './request.js';
import type { GatewaySnapshot } from './engine/snapshot.js';

/** What a request says of the conversation that it belongs to. */
export interface ConversationLink {
  /** Null or absent: a conversation begins. */
  readonly conversationId?: string | null;
  readonly messages: readonly ChatMessage[];
  /** False: nothing of the turn is stored. */
  readonly store?: boolean | null;
  /** True: nothing of the turn is stored. */
  readonly hash_content?: boolean | null;
}

/**
 * Finds the conversation that a completion continues, or begins one. Sets `request.conversation`.
 * @throws GatewayError `not_found` for an id that is not this account's
 */
export async function joinConversation(
  { state }: GatewayParts,
  request: GatewayRequest,
  { conversationId = null, messages, store, hash_content: isHashed }: ConversationLink,
): Promise<void> {
  const { conversations } = request.snapshot;
  const joined = await state.conversations.join(request.caller.accountId, {
    conversationId,
    messages,
    storing: !conversations.store ? 'off' : store === false || isHashed ? 'skip' : 'on',
  });
  request.conversation = joined;
  request.record.conversationId = joined.stores ? joined.id : null;
  request.record.responseId = joined.answerId;
}

/** A turn whose answer is whole. */
export interface EndedTurn {
  readonly conversation: JoinedConversation;
  readonly messages: readonly ChatMessage[];
  /** Null if the answer was too long to be stored. */
  readonly message: AnsweredMessage | null;
  readonly answer: FinishedAnswer;
  /** False: its conversation keeps its derived title. */
  readonly mayAskForTitle: boolean;
}

/** A turn is one transaction: more messages would hold up other turns for seconds. */
const maxMessages = 10_000;

/**
 * Adds a turn to its conversation. True: it is stored. False: it may be stored later, once, or not
 * at all; a turn of more than 10,000 messages is not. Never rejects, and takes three seconds at
 * most.
 */
export async function keepTurn(
  parts: GatewayParts,
  snapshot: GatewaySnapshot,
  turn: EndedTurn,
): Promise<boolean> {
  const { conversation, messages, message, answer } = turn;
  if (!message || messages.length > maxMessages) return false;
  const { id: conversationId, accountId, answerId, begins, title } = conversation;
  const end = await parts.state.conversations.append({
    conversationId,
    accountId,
    begins: begins ? { title } : null,
    history: sentMessages(messages, answerId),
    answer: {
      id: answerId,
      role: 'assistant',
      content: contentOf(message),
      provider: answer.candidate.provider,
      model: answer.candidate.model,
      finishReason: answer.finishReason,
      usage: usageCounts(answer.usage),
      costUsd: answer.costs.total_tokens_cost,
    },
    at: Date.now(),
  });
  if (end === 'stored' && conversation.titledNow) await putTitle(parts, snapshot, turn, message);
  return end === 'stored';
}

/** Usage as answers show it and conversations store it. */
export function usageCounts(usage: Usage): object {
  return {
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    totalTokens: usage.promptTokens + usage.completionTokens,
    reasoningTokens: usage.reasoningTokens,
    cachedTokens: usage.cachedTokens,
    cacheWriteTokens: usage.cacheWriteTokens,
    ...(usage.estimated ? { estimated: true } : {}),
  };
}

/** Names a conversation that was created empty; a model's better title comes later. */
async function putTitle(
  parts: GatewayParts,
  snapshot: GatewaySnapshot,
  { conversation, messages, mayAskForTitle }: EndedTurn,
  { text }: AnsweredMessage,
): Promise<void> {
  const { id, accountId, begins } = conversation;
  // may fail: the turn itself is stored
  if (!begins) await parts.state.conversations.storeTitle(conversation);
  const model = mayAskForTitle ? titleModelOf(snapshot) : null;
  if (model)
    parts.state.titles.write(model, { accountId, conversationId: id, messages, answer: text });
}

function titleModelOf(snapshot: GatewaySnapshot): TitleModel | null {
  const { titleModel } = snapshot.conversations;
  if (titleModel === null) return null;
  const [candidate] = snapshot.names.candidatesOf([titleModel]);
  if (!candidate) return null;
  const { provider, model } = candidate;
  return {
    candidate,
    provider: snapshot.providers.get(provider ?? ''),
    onAttempt: (attempt) => snapshot.onAttempt(attempt),
    costOf: (usage) => costOf(usage, snapshot.catalog.lookup(provider, model)).total_tokens_cost,
  };
}
