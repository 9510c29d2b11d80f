import type { ChatMessage, ToolCall } from '../../completion.js';
import { parseJson } from '../json.js';
import { cachePointOf, readContent, type Block, type ContentScope } from './content.js';
import type { ModelTraits } from './model-traits.js';
import { isObject } from '../../text/is-object.js';

/** One turn; successive turns have different roles. */
export interface ConverseTurn {
  role: 'user' | 'assistant';
  content: Block[];
}

/**
 * Bedrock accepts at most 64 letters, digits, `_` and `-`; other providers' ids may be different.
 */
const toolUseId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);

/** Thinking that Anthropic signed is sent back unchanged; other providers' reasoning is omitted. */
function readThoughts(details: readonly unknown[]): Block[] {
  return details.flatMap((detail): Block[] => {
    const thought = detail as {
      type?: string;
      text?: string;
      signature?: string;
      data?: string;
      format?: string | null;
    };
    if (thought.format && !thought.format.startsWith('anthropic')) return [];
    if (thought.type === 'reasoning.text' && thought.signature) {
      return [
        {
          reasoningContent: {
            reasoningText: { text: thought.text ?? '', signature: thought.signature },
          },
        },
      ];
    }
    if (thought.type !== 'reasoning.encrypted' || !thought.data) return [];
    return [
      {
        reasoningContent: {
          redactedContent: Buffer.from(thought.data, 'latin1').toString('base64'),
        },
      },
    ];
  });
}

/**
 * Bedrock requires an object; other arguments (a call that was cut off) are put unchanged in one.
 */
function readToolCall(call: ToolCall): Block {
  const text = call.function.arguments;
  const parsed = text.trim() ? parseJson(text) : {};
  const input = isObject(parsed) ? parsed : { invalid_arguments: text };
  return { toolUse: { toolUseId: toolUseId(call.id), name: call.function.name, input } };
}

function readAssistant(message: ChatMessage, traits: ModelTraits, scope: ContentScope): Block[] {
  return [
    ...(traits.thoughts ? readThoughts(message.reasoning_details ?? []) : []),
    ...readContent(message.content, scope),
    ...readContent(message.refusal, scope),
    ...(message.tool_calls ?? []).map(readToolCall),
    ...cachePointOf(message, scope),
  ];
}

function readToolResult(message: ChatMessage, scope: ContentScope): Block[] {
  // Bedrock allows a cache point after a result, but not inside one
  const content = readContent(message.content, { ...scope, cachePoints: false });
  const marked = Array.isArray(message.content)
    ? message.content.find((part) => part['cache_control'])
    : undefined;
  const id = toolUseId(message.tool_call_id ?? '');
  return [
    {
      toolResult: {
        toolUseId: id,
        content: content.length > 0 ? content : [{ text: '(no output)' }],
      },
    },
    ...cachePointOf(marked ?? message, scope),
  ];
}

function readMessage(message: ChatMessage, traits: ModelTraits, scope: ContentScope): ConverseTurn {
  if (message.role === 'assistant')
    return { role: 'assistant', content: readAssistant(message, traits, scope) };
  if (message.role === 'tool') return { role: 'user', content: readToolResult(message, scope) };
  return {
    role: 'user',
    content: [...readContent(message.content, scope), ...cachePointOf(message, scope)],
  };
}

/** Meets two more demands of Bedrock, in place. */
function correctTurns(turns: ConverseTurn[]): void {
  for (const turn of turns) {
    // a turn with a document needs a text
    const first = turn.content.find((block) => 'document' in block)?.['document'] as
      { name: string } | undefined;
    if (first && !turn.content.some((block) => 'text' in block))
      turn.content.push({ text: first.name });
  }
  const last = turns.at(-1)?.role === 'assistant' ? turns.at(-1)?.content.at(-1) : undefined;
  // Claude refuses a started answer that ends in white space
  if (typeof last?.['text'] === 'string') last['text'] = last['text'].trimEnd();
}

/**
 * Translates a conversation. Successive messages of one role become one turn, and messages without
 * content none.
 * @throws GatewayError `request_refused` for content that Bedrock does not support
 */
export function toConverseMessages(
  messages: readonly ChatMessage[],
  traits: ModelTraits,
  scope: ContentScope,
): { system: Block[]; turns: ConverseTurn[] } {
  const system: Block[] = [];
  const turns: ConverseTurn[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...readContent(message.content, scope), ...cachePointOf(message, scope));
      continue;
    }
    const turn = readMessage(message, traits, scope);
    const previous = turns.at(-1);
    if (previous?.role === turn.role) previous.content.push(...turn.content);
    else if (turn.content.length > 0) turns.push(turn);
  }
  correctTurns(turns);
  // Bedrock requires a user's turn, even where there are only instructions
  return turns.length === 0
    ? { system: [], turns: [{ role: 'user', content: system }] }
    : { system, turns };
}
