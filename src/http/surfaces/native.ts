import type { ChatMessage, ChatRequest, ContentPart } from '../../completion.js';
import { GatewayError, invalidField } from '../../errors.js';
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
    refuseUnsupported(body);
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

/** Refuses options that this gateway does not support instead of ignoring them. */
function refuseUnsupported(body: NativeRequest): void {
  const reason = 'is not available in this version; leave it out';
  if (body.research) throw invalidField('research', reason);
}

/** Null: the request asks for nothing but an answer. */
function groundingOf({ search, toolkits, maxToolSteps }: NativeRequest): GroundingWish | null {
  if (!search && !toolkits?.length) return null;
  return {
    search: search === true ? {} : search || null,
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
