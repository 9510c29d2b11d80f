import {
  type ChatMessage,
  type ChatRequest,
  functionName,
  type ToolCall,
  type ToolCallDelta,
} from './completion.js';
import { type Json, isObject, objectsIn, present } from './text/is-object.js';

/** The calls of a turn, each with an id. */
function callsOf({ function_call: older, tool_calls: calls }: ChatMessage, index: number) {
  const given = calls ?? (isObject(older) ? [{ type: 'function', function: older }] : []);
  return objectsIn(given as Partial<ToolCall>[]).map((call, at) =>
    call.id ? call : { ...call, id: at === 0 ? `call_${index}` : `call_${index}_${at}` },
  ) as ToolCall[];
}

/**
 * The same conversation with `tool_calls` and `tool` messages in place of OpenAI's older
 * `function_call` and `function` messages, which other dialects do not have. Indexes stay.
 */
export const withoutLegacyFunctions = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.some(({ role, function_call: called }) => role === 'function' || called)
    ? withCallIds(messages)
    : messages;

/** The same, with ids for calls and results that have none too, as in Ollama's own API. */
export function withCallIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  // such results name the function only
  let open: ToolCall[] = [];
  return messages.map((message, index) => {
    const { role, name, tool_name: called = name, ...result } = message;
    if (role === 'function' || (role === 'tool' && !result.tool_call_id)) {
      const at = open.findIndex((one) => functionName(one) === called);
      const [call] = open.splice(Math.max(at, 0), 1);
      return { ...result, role: 'tool', tool_call_id: call?.id ?? `call_${index}` };
    }
    const calls = callsOf(message, index);
    if (calls.length === 0) return message;
    const names = new Set(calls.map(functionName));
    open = [...open.filter((one) => !names.has(functionName(one))), ...calls];
    const { function_call: older, ...turn } = message;
    if (older && !message.tool_calls) return { ...turn, tool_calls: calls };
    const haveIds = calls.every((call, at) => call === message.tool_calls?.[at]);
    return haveIds ? message : { ...message, tool_calls: calls };
  });
}

/** A request with `tools` in place of OpenAI's older `functions`; null: it has none. */
export function withoutFunctions(request: ChatRequest): ChatRequest | null {
  const { functions, function_call: choice, ...rest } = request;
  if (!Array.isArray(functions) || request.tools) return null;
  const tools = objectsIn(functions as Json[]).map((one) => ({ type: 'function', function: one }));
  const tool_choice = isObject(choice) ? { type: 'function', function: choice } : choice;
  return { ...rest, tools, ...present({ tool_choice }), parallel_tool_calls: false } as ChatRequest;
}

/** A choice of an answer for a client that asked with `functions`: it reads one call. */
export function withFunctionCall<Choice extends { finish_reason?: string | null }>(
  choice: Choice,
  holder: 'delta' | 'message',
): Choice {
  const { tool_calls: calls = [], ...part } = (choice as Json)[holder] as {
    tool_calls?: Partial<ToolCallDelta>[];
  };
  const called = calls.find(({ index = 0 }) => index === 0)?.function;
  const fields = { [holder]: { ...part, ...present({ function_call: called }) } };
  const isCall = choice.finish_reason === 'tool_calls';
  return { ...choice, ...fields, ...(isCall && { finish_reason: 'function_call' }) };
}
