import { completeChat } from './complete-chat.js';
import type { CompletionCall, CompletionWriter } from './completion-call.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { planCompletion } from './plan-request.js';
import type { GatewayRequest } from './request.js';
import { reserveCompletion } from './reserve-completion.js';

/**
 * Plans a completion, reserves what it may use, and carries it out: for callers that do nothing in
 * between.
 * @throws GatewayError as `planCompletion`, `reserveCompletion` and `completeChat`
 */
export async function runCompletion(
  parts: GatewayParts,
  request: GatewayRequest,
  call: CompletionCall,
  writer: CompletionWriter,
): Promise<void> {
  await planCompletion(parts, request, call);
  const settle = await reserveCompletion(parts, request);
  try {
    const { reason } = request.cancellation;
    if (reason) throw reason;
    await completeChat(parts, request, writer);
  } finally {
    settle();
  }
}
