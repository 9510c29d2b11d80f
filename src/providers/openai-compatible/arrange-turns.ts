import { type ChatMessage, isInstruction } from '../../completion.js';
import { filler, joinedTurns } from '../strict-history.js';

/** How a provider wants the turns of a conversation to follow one another. */
export interface TurnRules {
  /** Takes instructions at the start only; then user and assistant alternate, the user first. */
  readonly alternates?: boolean;
  /** True: it wants an answer between a tool's result and the user's next turn. */
  readonly answerAfterTools?: boolean;
  /** Fields of a last answer that the model is to go on with; `user`: the user speaks last. */
  readonly started?: Readonly<Record<string, true>> | 'user';
}

/** The turns in the provider's order; the same list where the provider takes any. */
export function arrangedTurns(
  messages: readonly ChatMessage[],
  { alternates, answerAfterTools, started }: TurnRules,
): readonly ChatMessage[] {
  const last = messages.at(-1);
  const isStarted = started && last?.role === 'assistant' && !last.tool_calls;
  if (!alternates && !answerAfterTools && !isStarted) return messages;
  const turns: ChatMessage[] = [];
  for (const message of messages) {
    if (alternates) addAlternating(turns, message);
    else turns.push(message);
    if (answerAfterTools) answerTools(turns);
  }
  if (!isStarted) return turns;
  if (started === 'user') return [...turns, { role: 'user', content: filler.goOn }];
  return [...turns.slice(0, -1), { ...turns.at(-1), role: 'assistant', ...started }];
}

function addAlternating(turns: ChatMessage[], message: ChatMessage): void {
  const last = turns.at(-1);
  const isAtStart = !last || isInstruction(last);
  if (isInstruction(message) && !isAtStart) {
    addAlternating(turns, { ...message, role: 'user' });
    return;
  }
  if (message.role === 'assistant' && isAtStart)
    turns.push({ role: 'user', content: filler.opening });
  const isSame = last?.role === message.role && message.role !== 'tool';
  if (isSame && !last.tool_calls) turns.splice(-1, 1, joinedTurns(last, message));
  else turns.push(message);
}

function answerTools(turns: ChatMessage[]): void {
  if (turns.at(-1)?.role === 'user' && turns.at(-2)?.role === 'tool')
    turns.splice(-1, 0, { role: 'assistant', content: 'OK.' });
}
