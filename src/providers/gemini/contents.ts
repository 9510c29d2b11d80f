import type { ChatMessage, ToolCall } from '../../completion.js';
import { parseJson } from '../json.js';
import { toParts } from './parts.js';
import type { GeminiContent, GeminiPart } from './wire.js';
import { isObject } from '../../text/is-object.js';

export interface ContentsOptions {
  /** The configured provider's name, for messages. */
  provider: string;
  /** Whether ids of tool calls are sent; Vertex distinguishes calls by their order. */
  callIds: boolean;
  /** The signature for calls that another model made; null for models that need none. */
  foreignSignature: string | null;
}

/** A conversation in the form that generateContent takes. */
export interface Conversation {
  systemInstruction?: GeminiContent;
  contents: GeminiContent[];
}

/**
 * Translates messages into contents. All system messages become the instruction; successive tool
 * results become one turn of the user.
 * @throws GatewayError `request_refused` for content that Gemini does not support
 */
export function toConversation(
  messages: readonly ChatMessage[],
  options: ContentsOptions,
): Conversation {
  const names = namesOfCalls(messages);
  const system: GeminiPart[] = [];
  const contents: GeminiContent[] = [];
  let results: GeminiPart[] | null = null;
  for (const message of messages) {
    if (message.role === 'tool' || message.role === 'function') {
      // Gemini requires the results of parallel calls in one turn
      if (!results) contents.push({ role: 'user', parts: (results = []) });
      results.push(...toResult(message, names, options));
      continue;
    }
    results = null;
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...toParts(message.content, options.provider));
      continue;
    }
    const assistant = message.role === 'assistant';
    const parts = assistant
      ? assistantParts(message, options)
      : toParts(message.content, options.provider);
    if (parts.length > 0) contents.push({ role: assistant ? 'model' : 'user', parts });
  }
  // Gemini refuses a conversation that consists only of instructions
  if (contents.length === 0)
    return { contents: [{ role: 'user', parts: system.length > 0 ? system : [{ text: '' }] }] };
  return { ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}), contents };
}

function callsOf(message: ChatMessage): ToolCall[] {
  const legacy = message['function_call'] as ToolCall['function'] | null | undefined;
  if (!message.tool_calls) return legacy ? [{ id: '', type: 'function', function: legacy }] : [];
  // calls of other types of tools (OpenAI's `custom`) have no function
  return message.tool_calls.filter((call: Partial<ToolCall>) => call.function !== undefined);
}

function namesOfCalls(messages: readonly ChatMessage[]): Map<string, string> {
  return new Map(messages.flatMap(callsOf).map((call) => [call.id, call.function.name]));
}

function signatureOf(carrier: Record<string, unknown>): string | undefined {
  const extra = carrier['extra_content'] as
    { google?: { thought_signature?: unknown } } | null | undefined;
  const signature = extra?.google?.thought_signature;
  return typeof signature === 'string' && signature !== '' ? signature : undefined;
}

function assistantParts(message: ChatMessage, options: ContentsOptions): GeminiPart[] {
  const parts = toParts(message.content ?? message.refusal, options.provider);
  const signature = signatureOf(message);
  const last = parts.at(-1);
  if (signature !== undefined && last) last.thoughtSignature = signature;
  const calls = callsOf(message).map((call) => toCall(call, options.callIds));
  const first = calls[0];
  // Gemini 3 answers 400 where a turn's first call has no signature, as in histories of other
  // models
  if (first && options.foreignSignature !== null && !calls.some((call) => call.thoughtSignature))
    first.thoughtSignature = options.foreignSignature;
  return [...parts, ...calls];
}

function toCall(call: ToolCall, callIds: boolean): GeminiPart {
  const parsed = call.function.arguments ? parseJson(call.function.arguments) : {};
  const signature = signatureOf(call);
  return {
    functionCall: {
      ...(callIds && call.id ? { id: call.id } : {}),
      name: call.function.name,
      // a model may have written something other than an object; Gemini sees it unchanged
      args: isObject(parsed) ? parsed : { arguments: call.function.arguments },
    },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  };
}

function toResult(
  message: ChatMessage,
  names: ReadonlyMap<string, string>,
  options: ContentsOptions,
): GeminiPart[] {
  const id = message.tool_call_id ?? '';
  const parts = toParts(message.content, options.provider);
  const text = parts.map((part) => part.text ?? '').join('');
  const parsed = parseJson(text);
  const response = {
    ...(options.callIds && id ? { id } : {}),
    name: names.get(id) ?? message.name ?? (id || 'tool'),
    response: isObject(parsed) ? parsed : { result: Array.isArray(parsed) ? parsed : text },
  };
  // images and files that a tool returned go beside its result
  return [{ functionResponse: response }, ...parts.filter((part) => part.text === undefined)];
}
