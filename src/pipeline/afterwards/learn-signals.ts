import type { ChatMessage } from '../../completion.js';
import { historyKey } from '../../conversations/last-models.js';
import type { ModelScore } from '../../chooser/learning/rated-decision.js';
import { isCorrection } from '../../chooser/learning/signals/corrections.js';
import { printOf } from '../../chooser/learning/signals/likeness.js';
import type { AnsweredTurn } from '../../chooser/learning/signals/recent-turns.js';
import type { Signal } from '../../chooser/learning/signals/signal-counts.js';
import { isErrorResult } from '../../chooser/learning/signals/tool-calls.js';
import { statedAnswerTokens } from '../../models/max-cost.js';
import type { CompletionCall } from '../completion-call.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';

type Model = Omit<ModelScore, 'score' | 'at'>;

/**
 * Learns from a completion that is over what needs no rating: what its turn says of the one before,
 * and how its own answer ended. Of a request that asks that nothing be kept, only what needs no
 * content.
 */
export function learnSignals(
  parts: GatewayParts,
  request: GatewayRequest,
  call: CompletionCall,
): void {
  const { caller, snapshot, record } = request;
  const { enabled, implicit } = snapshot.routing.learning;
  if (!enabled || !implicit || !request.plan || record.finishReason === null) return;
  const scope = { accountId: caller.accountId, preferenceId: record.preferenceId ?? '' };
  const { signals } = parts.state;
  const model = answeringModel(request);
  if (model)
    for (const cause of causesInAnswer(request, call))
      signals.add(scope, { cause, key: caller.keyId, model });
  if (call.store && record.content?.kind !== 'digest') learnFromTurn(parts, request, call, model);
  if (model) signals.answered(scope, caller.keyId, model.model);
}

/** The model that answered, if its quality was predicted; null otherwise. */
function answeringModel({ plan, record }: GatewayRequest): Model | null {
  const answered = plan?.candidates.find(
    ({ provider, model }) => provider === record.provider && model === record.model,
  );
  if (!answered || !plan?.kinds) return null;
  const { quality, qualityBefore, uncertainty } = answered.why;
  // without uncertainty, the quality was stated or is not of this conversation
  if (!uncertainty) return null;
  return { model: answered.model, kinds: plan.kinds, predicted: qualityBefore ?? quality };
}

function causesInAnswer(
  { record: { finishReason }, hasBadToolCall }: GatewayRequest,
  { chat }: CompletionCall,
): Signal['cause'][] {
  if (finishReason === 'content_filter' || finishReason === 'refusal') return ['refusal'];
  if (finishReason === 'length' && statedAnswerTokens(chat) === null) return ['truncation'];
  return hasBadToolCall ? ['bad_tool_call'] : [];
}

/** What the turn says of the one that it continues or retries, once of each. */
function learnFromTurn(
  { state: { turns, signals } }: GatewayParts,
  request: GatewayRequest,
  { chat: { messages }, links }: CompletionCall,
  model: Model | null,
): void {
  // where models are named and never chosen, prompts need not be read and hashed
  if (!model && turns.isEmpty) return;
  const { accountId, keyId } = request.caller;
  const caller = `${accountId} ${keyId ?? ''}`;
  const asked = lastText(messages, 'user');
  const print = printOf(asked, caller);
  const end = messages.findLastIndex(({ role }) => role === 'assistant');
  const ids = [links.conversationId, links.previous_session].filter(
    (id) => typeof id === 'string' && id !== '',
  ) as string[];
  const blame = (turn: AnsweredTurn | null, cause: Signal['cause']): void => {
    if (!turn || turn.isBlamed) return;
    turn.isBlamed = true;
    signals.add(turn.scope, { cause, key: keyId, model: turn.model });
  };
  const before = turns.before(caller, end > 0 ? [...ids, historyKey(messages, end)] : ids);
  const cause = end < 0 ? correctionIn(asked, '') : causeAfter(messages, end, asked);
  if (cause && before) blame(before, cause);
  else if (isLastOf(messages, 'user'))
    blame(turns.retried(caller, print, request.startedAt), 'retry');
  if (!model) return;
  const own = [...ids, historyKey(messages)];
  if (request.conversation) own.push(request.conversation.id);
  turns.add(caller, own, {
    scope: { accountId, preferenceId: request.record.preferenceId ?? '' },
    model,
    print,
    endedAt: performance.now(),
    isBlamed: false,
  });
}

const isLastOf = (messages: readonly ChatMessage[], role: string): boolean =>
  messages.at(-1)?.role === role;

/** What came after the last answer: a tool's error, or a correction. */
function causeAfter(
  messages: readonly ChatMessage[],
  end: number,
  asked: string,
): Signal['cause'] | null {
  const after = messages.slice(end + 1);
  if (after.some((one) => one.role === 'tool' && isErrorResult(textOf(one)))) return 'tool_error';
  return after.some(({ role }) => role === 'user')
    ? correctionIn(asked, textOf(messages[end]!))
    : null;
}

const correctionIn = (asked: string, answer: string): Signal['cause'] | null =>
  isCorrection(asked, /[?？؟]\s*$/u.test(answer)) ? 'correction' : null;

const lastText = (messages: readonly ChatMessage[], role: string): string => {
  const last = messages.findLast((message) => message.role === role);
  return last ? textOf(last) : '';
};

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part.text === 'string' ? part.text : '')).join('\n');
}
