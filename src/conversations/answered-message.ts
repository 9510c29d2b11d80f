import { createHash } from 'node:crypto';
import type { ChatMessage, ToolCall } from '../completion.js';
import type { Citation, Source } from '../grounding/source.js';
import type { NewMessage } from '../store/contracts/conversations.js';

/** A complete answer as a message. */
export interface AnsweredMessage {
  readonly text: string;
  /** '' if there is none. */
  readonly reasoning: string;
  readonly sources: readonly Source[];
  readonly citations: readonly Citation[];
  /** Calls of tools that the client runs. */
  readonly toolCalls: readonly ToolCall[];
  /** Where another model continued the answer. */
  readonly seams?: readonly object[];
}

/** The content of an answer as it is stored: blocks, of which clients send only the text back. */
export function contentOf(message: AnsweredMessage): object[] {
  const { text, reasoning, sources, citations, toolCalls, seams = [] } = message;
  return [
    { type: 'text', text },
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }]),
    ...(sources.length === 0 ? [] : [{ type: 'sources', sources, citations }]),
    ...(seams.length === 0 ? [] : [{ type: 'seams', seams }]),
    ...(toolCalls.length === 0 ? [] : [{ type: toolTurn, tool_calls: toolCalls }]),
  ];
}

/** Content as the API shows it: blocks, with reasoning and sources beside them. */
export function shownContent(content: unknown): {
  content: object[];
  reasoning?: string;
  sources?: unknown;
  citations?: unknown;
  seams?: unknown;
  tool_calls?: ToolCall[];
} {
  if (!Array.isArray(content))
    return { content: [{ type: 'text', text: typeof content === 'string' ? content : '' }] };
  const blocks = content as {
    type?: unknown;
    text?: unknown;
    sources?: unknown;
    citations?: unknown[];
    seams?: unknown;
    tool_calls?: ToolCall[];
  }[];
  const reasoning = blocks.find(({ type }) => type === 'reasoning')?.text;
  const { sources, citations } = blocks.find(({ type }) => type === 'sources') ?? {};
  const seams = blocks.find(({ type }) => type === 'seams')?.seams;
  const { type: _type, ...toolFields } = blocks.find(({ type }) => type === toolTurn) ?? {};
  return {
    content: blocks.filter(({ type }) => !besideContent.has(type)),
    ...(typeof reasoning === 'string' ? { reasoning } : {}),
    ...(sources === undefined ? {} : { sources }),
    ...(citations?.length ? { citations } : {}),
    ...(seams === undefined ? {} : { seams }),
    ...toolFields,
  };
}

/** The type of the block with a stored message's tool calls, or the id of the call it answers. */
const toolTurn = 'tool_turn';
const besideContent: ReadonlySet<unknown> = new Set(['reasoning', 'sources', 'seams', toolTurn]);

/** The content of a sent message as it is stored: as sent, with its calls in a block of their own. */
function sentContent(message: ChatMessage): unknown {
  const { role, content, name, tool_calls: calls, tool_call_id: id } = message;
  const { function_call: legacy } = message;
  const fields = {
    ...(name && role === 'function' ? { name } : {}),
    ...(calls?.length ? { tool_calls: calls } : {}),
    ...(id ? { tool_call_id: id } : {}),
    ...(legacy ? { function_call: legacy } : {}),
  };
  if (Object.keys(fields).length === 0) return content ?? '';
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return [...blocks, { type: toolTurn, ...fields }];
}

/** A turn's sent messages. Their ids derive from the answer's: writing them twice copies none. */
export function sentMessages(messages: readonly ChatMessage[], answerId: string): NewMessage[] {
  const seed = createHash('sha256').update(answerId).digest('hex');
  const head = `${seed.slice(0, 8)}-${seed.slice(8, 12)}-8${seed.slice(13, 16)}-9${seed.slice(17, 20)}-${seed.slice(20, 24)}`;
  return messages.map((message, index) => ({
    id: head + index.toString(16).padStart(8, '0'),
    role: message.role,
    content: sentContent(message),
    provider: null,
    model: null,
    finishReason: null,
    usage: null,
    costUsd: null,
  }));
}
