import type { RequestDetails, Schema } from '../../api/schema.js';
import type { Turn } from '../../components/conversation/answer.js';
import { turnsOf } from '../../components/conversation/stored-turns.js';

type Message = Schema<'MessageResponse'>;

/** Content as the request log keeps it. */
export interface KeptContent {
  readonly messages: readonly Message[];
  readonly answer: readonly Message[];
  /** Messages at the beginning that are no longer stored. */
  readonly omitted: number;
}

interface Written {
  readonly role?: string;
  readonly content?: unknown;
  readonly tool_calls?: Message['tool_calls'];
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
}

/** The messages of a request as stored conversations have them; null: they are not stored. */
export function keptContentOf(request: RequestDetails): KeptContent | null {
  const { messages, answer, omitted } = (request.content ?? {}) as {
    messages?: unknown;
    answer?: unknown;
    omitted?: number;
  };
  if (messages === undefined) return null;
  const read = (list: unknown): Message[] =>
    (Array.isArray(list) ? list : [{ role: 'user', content: list }]).map(
      (one: Written, index): Message => messageOf(one, `${index}`, request.at),
    );
  return {
    messages: read(messages),
    answer: answer === undefined ? [] : read(answer).map((one, at) => answerOf(one, at, request)),
    omitted: omitted ?? 0,
  };
}

/** The kept messages and answer as turns, with what the log has of the answer. */
export const keptTurns = (request: RequestDetails, { messages, answer }: KeptContent): Turn[] =>
  turnsOf([...messages, ...answer], new Map([[answerId(request), request]]));

const answerId = ({ id, responseId }: RequestDetails): string => responseId ?? id;

/** A message of the request's own answer. Earlier answers came with the request, from any model. */
function answerOf(message: Message, index: number, request: RequestDetails): Message {
  const { provider, model, promptTokens, completionTokens, estimatedUsd } = request;
  if (message.role !== 'assistant' || model === null) return message;
  const whose = { ...message, provider: provider ?? '', model };
  return index > 0
    ? whose
    : {
        ...whose,
        id: answerId(request),
        usage: { promptTokens, completionTokens, estimated: estimatedUsd > 0 },
      };
}

function messageOf(written: Written, id: string, at: string): Message {
  const { role = 'user', content, tool_calls, tool_call_id, reasoning_content } = written;
  return {
    id,
    role,
    content: partsOf(content),
    createdAt: at,
    ...(tool_calls ? { tool_calls } : {}),
    ...(tool_call_id ? { tool_call_id } : {}),
    ...(reasoning_content ? { reasoning: reasoning_content } : {}),
  } as Message;
}

function partsOf(content: unknown): Message['content'] {
  if (Array.isArray(content)) return content as Message['content'];
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  return text === '' ? [] : [{ type: 'text', text }];
}
