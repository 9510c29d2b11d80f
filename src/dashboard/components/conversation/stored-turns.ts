import type { Schema } from '../../api/schema.js';
import { type Answer, emptyAnswer, type Step, type Turn } from './answer.js';

type StoredMessage = Schema<'MessageResponse'>;

/** What the request log has of an answer. */
export type AnsweredRequest = Pick<
  Schema<'RequestResponse'>,
  'id' | 'responseId' | 'latencyMs' | 'ttftMs' | 'costUsd'
>;

/**
 * A stored conversation as turns with one lane, to read or to go on with.
 * @param requests of its answers by their ids; without one, its times and its reason are not known
 */
export function turnsOf(
  messages: readonly StoredMessage[],
  requests: ReadonlyMap<string, AnsweredRequest> = new Map(),
): Turn[] {
  const turns: { text: string; pictures: string[]; steps: Step[] }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'user')
      turns.push({ text: textOf(message), pictures: picturesOf(message), steps: [] });
    else if (message.role === 'assistant') {
      const turn = last ?? { text: '', pictures: [], steps: [] };
      if (!last) turns.push(turn);
      turn.steps.push({ answer: answerOf(message, requests.get(message.id)), results: null });
    } else if (message.tool_call_id !== undefined) addResult(last?.steps, message);
  }
  return turns.map(({ text, pictures, steps }) => ({ text, pictures, lanes: [steps] }));
}

/** The system message of a conversation; `''`: it has none. */
export const instructionsOf = (messages: readonly StoredMessage[]): string =>
  messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(textOf)
    .at(-1) ?? '';

function addResult(steps: Step[] | undefined, message: StoredMessage): void {
  const step = steps?.at(-1);
  if (!steps || !step) return;
  const results = { ...step.results, [message.tool_call_id ?? '']: textOf(message) };
  steps[steps.length - 1] = { ...step, results };
}

/** The text of a message. */
const textOf = ({ content }: StoredMessage): string =>
  content.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n');

const picturesOf = ({ content }: StoredMessage): string[] =>
  content.flatMap(({ image_url: picture }) => (picture ? [picture.url] : []));

interface StoredUsage {
  promptTokens?: number;
  completionTokens?: number;
  estimated?: boolean;
}

function answerOf(message: StoredMessage, request?: AnsweredRequest): Answer {
  const { model, provider, usage, costUsd } = message;
  const counts = (usage ?? {}) as StoredUsage;
  return {
    ...emptyAnswer,
    state: 'done',
    text: textOf(message),
    reasoning: message.reasoning ?? '',
    provider: provider ?? '',
    model: model ?? '',
    // messages that the client sent as an answer cannot be rated
    responseId: model === undefined ? null : message.id,
    requestId: request?.id ?? null,
    sources: message.sources ?? [],
    citations: message.citations ?? [],
    toolCalls: message.tool_calls ?? [],
    at: new Date(message.createdAt).getTime(),
    figures:
      model === undefined
        ? null
        : {
            promptTokens: counts.promptTokens ?? null,
            completionTokens: counts.completionTokens ?? null,
            costUsd: costUsd ?? request?.costUsd ?? null,
            latency: request?.latencyMs ?? null,
            ttft: request?.ttftMs ?? null,
            isEstimated: counts.estimated === true,
            grounding: null,
          },
  };
}
