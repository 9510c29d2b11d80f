import { randomUUID } from 'node:crypto';
import type { Usage } from '../../../completion.js';
import type { Candidate } from '../../../chooser/plan.js';
import { type AnsweredCall, getsOriginal, leftOut } from '../surface.js';
import { onlyMessages } from './only-messages.js';
import type { MessagesRequest } from './request.js';

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** What says how an answer has ended, while it has not. Anthropic's SDK has each always. */
export const notStopped = {
  container: null,
  stop_details: null,
  stop_reason: null,
  stop_sequence: null,
};

/** Usage that only Anthropic knows. */
const unknownUsage = { cache_creation: null, inference_geo: null, service_tier: null, speed: null };

/**
 * Why an answer has ended, in Anthropic's words. Some providers end one with calls as any other.
 * @param stopSequence at which it stopped; null: at none
 */
export function stopOf(
  finishReason: string | null,
  hasCalls: boolean,
  stopSequence: string | null,
) {
  const reason = stopReasons[finishReason ?? 'stop'] ?? 'end_turn';
  const plain = hasCalls && reason === 'end_turn' ? 'tool_use' : reason;
  const why = stopSequence ? 'stop_sequence' : plain;
  return { ...notStopped, stop_reason: why, stop_sequence: stopSequence };
}

/** Usage as Anthropic counts it: `input_tokens` without those read from or written to a cache. */
export function messagesUsage(usage: Usage, searches: number): object {
  const { promptTokens, completionTokens, reasoningTokens, cachedTokens, cacheWriteTokens } = usage;
  return {
    ...unknownUsage,
    input_tokens: Math.max(0, promptTokens - cachedTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
    output_tokens_details: reasoningTokens > 0 ? { thinking_tokens: reasoningTokens } : null,
    server_tool_use: searches > 0 ? { web_fetch_requests: 0, web_search_requests: searches } : null,
  };
}

/** The fields of a message before its content. */
export const newMessage = (model: string) => ({
  id: `msg_${randomUUID().replaceAll('-', '')}`,
  type: 'message',
  role: 'assistant',
  model,
  diagnostics: null,
});

/** Fields of the canonical request whose names are others here. */
const ownNames = { stop: 'stop_sequences', reasoning_effort: 'thinking' };

/**
 * Names what another dialect's answer was written without, while headers can still be sent.
 * @param candidate that answers; absent: not known yet
 */
export function sendDropped({ res, call, request }: AnsweredCall, candidate?: Candidate): void {
  if (res.headersSent || (candidate && getsOriginal(request, call, 'messages', candidate))) return;
  const body = call.original?.body as MessagesRequest | undefined;
  const dropped = [
    ...(body ? onlyMessages(body).dropped : []),
    ...(candidate ? leftOut(request, call, candidate, ownNames) : []),
  ];
  if (dropped.length > 0) res.setHeader('x-signalbox-dropped', dropped.join(', '));
}
