import { type ChatMessage, isInstruction, type ToolCall } from '../../completion.js';
import { parseJson } from '../json.js';
import { toolInput } from '../call-arguments.js';
import { completeTurns, withPairedCalls } from '../strict-history.js';
import { toParts } from './parts.js';
import type { GeminiContent, GeminiPart } from './wire.js';
import { hasLongIntegers } from '../../text/exact-json.js';
import { isObject } from '../../text/is-object.js';

export interface ContentsOptions {
  /** The configured provider's name, for messages. */
  provider: string;
  /** Whether ids of tool calls are sent; Vertex distinguishes calls by their order. */
  callIds: boolean;
  /** The signature for calls that another model made; null for models that need none. */
  foreignSignature: string | null;
}

/** Any text serves Google as the id of a call. */
const callIdForm = { refused: /[^\x20-\x7e]/g, maxLength: 512 };

/**
 * Translates messages into contents. Instructions before the first turn become the system
 * instruction, later ones a user's turn at their place, so that the start of the prompt stays the same
 * and its cache valid; successive tool results become one turn of the user, successive messages of the
 * model one of its turns.
 * @throws GatewayError `request_refused` for content that Gemini does not support
 */
export function toConversation(
  given: readonly ChatMessage[],
  options: ContentsOptions,
): { systemInstruction?: GeminiContent; contents: GeminiContent[] } {
  const messages = withPairedCalls(given, callIdForm);
  const names = new Map(messages.flatMap(callsOf).map((call) => [call.id, call.function.name]));
  const system: GeminiPart[] = [];
  const contents: GeminiContent[] = [];
  let results: GeminiPart[] | null = null;
  for (const message of messages) {
    if (message.role === 'tool') {
      // Gemini requires the results of parallel calls in one turn
      if (!results) contents.push({ role: 'user', parts: (results = []) });
      results.push(...toResult(message, names, options));
      continue;
    }
    results = null;
    if (isInstruction(message) && contents.length === 0) {
      system.push(...toParts(message.content, options.provider));
      continue;
    }
    const assistant = message.role === 'assistant';
    const parts = assistant
      ? assistantParts(message, options)
      : toParts(message.content, options.provider);
    const last = contents.at(-1);
    if (assistant && last?.role === 'model') last.parts?.push(...parts);
    else if (parts.length > 0) contents.push({ role: assistant ? 'model' : 'user', parts });
  }
  // Gemini refuses a conversation that consists only of instructions
  if (contents.length === 0 && system.length > 0)
    contents.push({ role: 'user', parts: system.splice(0) });
  completeTurns(contents, (text) => ({ role: 'user', parts: [{ text }] }));
  return { ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}), contents };
}

/** Calls of other types of tools (OpenAI's `custom`) have no function. */
const callsOf = ({ tool_calls: calls }: ChatMessage): ToolCall[] =>
  calls?.filter((call: Partial<ToolCall>) => call.function !== undefined) ?? [];

function signatureOf(carrier: Record<string, unknown>): string | undefined {
  const extra = carrier['extra_content'] as
    { google?: { thought_signature?: unknown } } | null | undefined;
  const signature = extra?.google?.thought_signature;
  return typeof signature === 'string' && signature !== '' ? signature : undefined;
}

function assistantParts(message: ChatMessage, options: ContentsOptions): GeminiPart[] {
  const parts = toParts(
    message.content?.length ? message.content : message.refusal,
    options.provider,
  );
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
  const signature = signatureOf(call);
  return {
    functionCall: {
      ...(callIds && call.id ? { id: call.id } : {}),
      name: call.function.name,
      args: toolInput(call.function.arguments),
    },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  };
}

/** Google takes these keys for references to other parts, not for those of a JSON Schema. */
const reference = /"\$(ref|defs)"\s*:/;

/** Google's word for what a failed function returns is `error`. */
function responseOf({ is_error: isError }: ChatMessage, text: string): Record<string, unknown> {
  if (isError) return { error: text };
  // and it reads all numbers as floating-point ones
  if (reference.test(text) || hasLongIntegers(text)) return { result: text };
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { result: Array.isArray(parsed) ? parsed : text };
}

function toResult(
  message: ChatMessage,
  names: ReadonlyMap<string, string>,
  options: ContentsOptions,
): GeminiPart[] {
  const id = message.tool_call_id ?? '';
  const parts = toParts(message.content, options.provider);
  const text = parts.map((part) => part.text ?? '').join('');
  const response = {
    ...(options.callIds && id ? { id } : {}),
    name: names.get(id) ?? message.name ?? (id || 'tool'),
    response: responseOf(message, text),
  };
  // images and files that a tool returned go beside its result
  return [{ functionResponse: response }, ...parts.filter((part) => part.text === undefined)];
}
