import type { ChatMessage } from '../completion.js';
import {
  type AnsweredMessage,
  contentOf,
  sentMessages,
} from '../conversations/answered-message.js';
import type { JoinedConversation } from '../conversations/keeper.js';
import type { TitleModel } from '../conversations/title-writer.js';
import { costOf } from '../routing/cost.js';
import type { NewMessage } from '../store/contracts/conversations.js';
import type { Parts } from '../http/parts.js';
import { candidateOf } from './plan-request.js';
import type { GatewaySnapshot } from './snapshot.js';
import { usageCounts } from '../http/surfaces/native-envelope.js';
import type { FinishedAnswer } from '../http/surfaces/surface.js';

/** A turn that is over but for its client being told: what was asked, and the answer. */
export interface EndedTurn {
  readonly conversation: JoinedConversation;
  readonly messages: readonly ChatMessage[];
  /** Null where the answer was too long to be kept. */
  readonly message: AnsweredMessage | null;
  readonly answer: FinishedAnswer;
}

/** More messages than a turn may have: nobody else's turns wait seconds for one transaction. */
const mostMessages = 10_000;

/** Adds a turn to its conversation; whether it is stored by now. Never rejects, and keeps the client waiting for three seconds at most. A turn of more than 10,000 messages is not stored. */
export async function keepTurn(
  parts: Parts,
  runtime: GatewaySnapshot,
  { conversation, messages, message, answer }: EndedTurn,
): Promise<boolean> {
  if (!message || messages.length > mostMessages) return false;
  const { id: conversationId, accountId, answerId, begins, title } = conversation;
  const end = await parts.memory.conversations.append({
    conversationId,
    accountId,
    begins: begins ? { title } : null,
    history: sentMessages(messages, answerId),
    answer: answerOf(answerId, message, answer),
    at: Date.now(),
  });
  if (end === 'stored' && conversation.titledNow)
    await putTitle(parts, runtime, conversation, messages, message);
  return end === 'stored';
}

function answerOf(
  id: string,
  message: AnsweredMessage,
  { candidate, finishReason, usage, costs }: FinishedAnswer,
): NewMessage {
  return {
    id,
    role: 'assistant',
    content: contentOf(message),
    provider: candidate.provider,
    model: candidate.model,
    finishReason,
    usage: usageCounts(usage),
    costUsd: costs.total_tokens_cost,
  };
}

/** A conversation that was created empty gets its title now; and a configured model is asked for a better one, for which nobody waits. */
async function putTitle(
  parts: Parts,
  runtime: GatewaySnapshot,
  conversation: JoinedConversation,
  messages: readonly ChatMessage[],
  { text }: AnsweredMessage,
): Promise<void> {
  const { id, accountId, begins } = conversation;
  // the turn is stored: a title that cannot be is no reason to say otherwise
  if (!begins) await parts.memory.conversations.name(conversation);
  const model = titleModelOf(runtime);
  if (model)
    parts.memory.titles.write(model, { accountId, conversationId: id, messages, answer: text });
}

function titleModelOf(runtime: GatewaySnapshot): TitleModel | null {
  const { titleModel } = runtime.conversations;
  if (titleModel === null) return null;
  const candidate = candidateOf(titleModel);
  const { provider, model } = candidate;
  return {
    candidate,
    provider: runtime.providers.get(provider ?? ''),
    onAttempt: (attempt) => runtime.onAttempt(attempt),
    costOf: (usage) => costOf(usage, runtime.catalog.lookup(provider, model)).total_tokens_cost,
  };
}
