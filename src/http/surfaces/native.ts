import type { ChatMessage, ChatRequest, ContentPart } from '../../completion.js';
import { GatewayError } from '../../errors.js';
import { nativeErrorBody } from '../error-handler.js';
import { NativeReply } from './native-reply.js';
import type { NativeRequest } from './native-request.js';
import { NativeStream } from './native-stream.js';
import type { GroundingWish } from '../../pipeline/grounding/grounding-call.js';
import type { CompletionCall } from '../../pipeline/completion-call.js';
import type { CompletionSurface } from './surface.js';

/** Native completions: docs/http-api.md. */
export const native: CompletionSurface = {
  name: 'completions',
  invalidCode: 'validation_failed',
  errorBody: nativeErrorBody,
  readCall(parsed) {
    const body = parsed as NativeRequest;
    return callOf(body, chatOf(body));
  },
  writer(answered) {
    const { res, request, stream } = answered;
    const { conversation } = request;
    if (!conversation) throw new GatewayError('internal', 'no conversation was joined');
    return stream
      ? new NativeStream(answered, stream, conversation)
      : new NativeReply(res, conversation, request);
  },
};

function callOf(body: NativeRequest, chat: ChatRequest): CompletionCall {
  return {
    chat,
    models: body.models,
    modelsField: 'models',
    modelField: 'models[0]',
    fallbackModels: body.fallback_models ?? [],
    order: body.order ?? null,
    routing: {
      messages: chat.messages,
      maxTokens: body.maxTokens ?? null,
      tradeoff: body.tradeoff ?? null,
    },
    links: body,
    stream: body.stream ?? false,
    streamFromProvider: true,
    maxRetries: body.maxRetries ?? null,
    store: body.store !== false,
    sentMessages: body.messages,
    invalidCode: native.invalidCode,
    keepsStatus: false,
    grounding: groundingOf(body),
  };
}

/** Null: the request asks for nothing but an answer. */
function groundingOf({
  search,
  research,
  toolkits,
  maxToolSteps,
}: NativeRequest): GroundingWish | null {
  if (!search && !research && !toolkits?.length) return null;
  return {
    search: search === true ? {} : search || null,
    research: research === true ? {} : research || null,
    toolkits: (toolkits ?? []).map((named) =>
      typeof named === 'string' ? { name: named } : named,
    ),
    maxToolSteps: maxToolSteps ?? null,
  };
}

function chatOf(body: NativeRequest): ChatRequest {
  return {
    messages: body.messages.map(chatMessage),
    ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
    ...(typeof body.maxTokens === 'number' ? { max_tokens: body.maxTokens } : {}),
  };
}

/** What a message may have beside its role and content; `null` counts as absent. */
const messageFields = [
  'name',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'refusal',
  'reasoning_content',
  'reasoning_details',
  'annotations',
] as const;

function chatMessage(sent: ChatMessage): ChatMessage {
  const message: ChatMessage = { role: sent.role, content: plain(sent.content) };
  for (const field of messageFields) {
    const value = sent[field];
    if (value !== null && value !== undefined) message[field as string] = value;
  }
  return message;
}

/**
 * A single block becomes a string, because some providers do not know blocks; several stay blocks.
 */
function plain(content: ChatMessage['content']): string | ContentPart[] | null {
  if (typeof content === 'string') return content;
  // an assistant's turn that only has calls
  if (content === null || content === undefined) return null;
  const blocks = content;
  return blocks.length === 1
    ? (blocks[0]?.text ?? '')
    : blocks.map(({ text }) => ({ type: 'text', text: text ?? '' }));
}
