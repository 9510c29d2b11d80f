import type { ChatMessage } from '../../completion.js';
import { invalidField } from '../../errors.js';
import type { CompletionCall } from '../completion-call.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';

/**
 * The call with the results that the gateway's tools had beside the client's own.
 * @throws GatewayError the surface's code for the result of a call that no message has
 */
export function joinToolResults(
  { state }: GatewayParts,
  { caller }: GatewayRequest,
  call: CompletionCall,
): CompletionCall {
  const { messages } = call.chat;
  checkCallIds(messages, call);
  if (!messages.some(({ tool_calls: calls }) => calls?.length)) return call;
  const joined = state.toolResults.joined(caller.accountId, messages);
  return {
    ...call,
    chat: { ...call.chat, messages: joined },
    routing: { ...call.routing, messages: joined },
  };
}

function checkCallIds(messages: readonly ChatMessage[], { invalidCode }: CompletionCall): void {
  const known = new Set<string>();
  messages.forEach(({ role, tool_calls: calls, tool_call_id: id }, index) => {
    for (const call of calls ?? []) known.add(call.id);
    if (role === 'tool' && id !== undefined && !known.has(id))
      throw invalidField(
        `messages[${index}].tool_call_id`,
        'names no call of an earlier message',
        invalidCode,
      );
  });
}
