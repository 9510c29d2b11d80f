import type { ChatMessage, ToolCall } from '../completion.js';

/**
 * The same conversation with `tool_calls` and `tool` messages in place of OpenAI's older
 * `function_call` and `function` messages, which other dialects do not have. Indexes stay.
 */
export function withoutLegacyFunctions(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some((message) => message.role === 'function' || message['function_call']))
    return messages;
  // functions were called one at a time, and their results name the function only
  const open = new Map<string, string>();
  return messages.map((message, index) => {
    const id = `call_${index}`;
    if (message.role === 'function') {
      const { name = '', role: _role, ...rest } = message;
      return { ...rest, role: 'tool', tool_call_id: open.get(name) ?? id };
    }
    const { function_call: called, ...rest } = message;
    if (!called || message.tool_calls) return message;
    const call: ToolCall = { id, type: 'function', function: called as ToolCall['function'] };
    open.set(call.function.name, id);
    return { ...rest, tool_calls: [call] };
  });
}
