import { type ChatMessage, isInstruction, type ToolCall } from '../../completion.js';
import { thinkingBlock } from '../anthropic/messages.js';
import { toolInput } from '../call-arguments.js';
import { addToTurn, completeTurns, toldContent } from '../strict-history.js';
import { cachePointOf, readContent, type Block, type ContentScope } from './content.js';
import type { ModelTraits } from './model-traits.js';

/** One turn; successive turns have different roles. */
export interface ConverseTurn {
  role: 'user' | 'assistant';
  content: Block[];
}

/** Anthropic's thinking as Bedrock has it, unchanged. */
const readThought = (detail: unknown): Block[] =>
  thinkingBlock(detail).map(({ thinking: text, signature, data }) => ({
    reasoningContent:
      typeof data === 'string'
        ? { redactedContent: Buffer.from(data, 'latin1').toString('base64') }
        : { reasoningText: { text, signature } },
  }));

function readToolCall({ id, function: { name, arguments: text } }: ToolCall): Block {
  return { toolUse: { toolUseId: id, name, input: toolInput(text) } };
}

const readAssistant = (message: ChatMessage, traits: ModelTraits, scope: ContentScope): Block[] => [
  ...(traits.thoughts ? (message.reasoning_details ?? []).flatMap(readThought) : []),
  ...readContent(message.content, scope),
  ...readContent(message.refusal, scope),
  ...(message.tool_calls ?? []).map(readToolCall),
  ...cachePointOf(message, scope),
];

function readToolResult(message: ChatMessage, traits: ModelTraits, scope: ContentScope): Block[] {
  // Bedrock allows a cache point after a result, but not inside one
  const told = traits.claude ? message.content : toldContent(message);
  const content = readContent(told, { ...scope, cachePoints: false });
  const marked = Array.isArray(message.content)
    ? message.content.find((part) => part['cache_control'])
    : undefined;
  return [
    {
      toolResult: {
        toolUseId: message.tool_call_id ?? '',
        content: content.length > 0 ? content : [{ text: '(no output)' }],
        // other models refuse it
        ...(message.is_error && traits.claude ? { status: 'error' } : {}),
      },
    },
    ...cachePointOf(marked ?? message, scope),
  ];
}

function readMessage(message: ChatMessage, traits: ModelTraits, scope: ContentScope): ConverseTurn {
  if (message.role === 'assistant')
    return { role: 'assistant', content: readAssistant(message, traits, scope) };
  if (message.role === 'tool')
    return { role: 'user', content: readToolResult(message, traits, scope) };
  return {
    role: 'user',
    content: [...readContent(message.content, scope), ...cachePointOf(message, scope)],
  };
}

const isResult = (block: Block): boolean => 'toolResult' in block;
const isCachePoint = (block: Block): boolean => 'cachePoint' in block;

/** Bedrock takes four cache points: of a message and of its last part one is left. */
const withoutCopies = (blocks: readonly Block[]): Block[] =>
  blocks.filter((block, at) => !isCachePoint(block) || !isCachePoint(blocks[at - 1] ?? {}));

/** Meets more demands of Bedrock, in place. */
function correctTurns(turns: readonly ConverseTurn[]): void {
  for (const turn of turns) {
    turn.content = withoutCopies(turn.content);
    // a turn with a document needs a text
    const first = turn.content.find((block) => 'document' in block)?.['document'] as
      { name: string } | undefined;
    if (first && !turn.content.some((block) => 'text' in block))
      turn.content.push({ text: first.name });
  }
  const last = turns.at(-1);
  const end =
    last?.role === 'assistant' ? last.content.findLast((one) => !isCachePoint(one)) : undefined;
  // Claude refuses a started answer that ends in white space
  if (typeof end?.['text'] === 'string') end['text'] = end['text'].trimEnd();
}

/**
 * Translates a conversation. Instructions before the first turn go to `system`, later ones into the
 * user's turn at their place, so that the start of the prompt stays the same and its cache valid.
 * Successive messages of one role become one turn, and messages without content none.
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
    if (isInstruction(message) && turns.length === 0) {
      system.push(...readContent(message.content, scope), ...cachePointOf(message, scope));
      continue;
    }
    const turn = readMessage(message, traits, scope);
    const previous = turns.at(-1);
    if (previous?.role === turn.role)
      addToTurn(previous.content, turn.content, isResult, isCachePoint);
    else if (turn.content.length > 0) turns.push(turn);
  }
  // Bedrock requires a user's turn, even where there are only instructions
  if (turns.length === 0 && system.length > 0)
    turns.push({ role: 'user', content: system.splice(0) });
  correctTurns(turns);
  // a last message without content has no turn
  const prefill = traits.prefill && messages.at(-1)?.role === 'assistant';
  completeTurns<ConverseTurn>(turns, (text) => ({ role: 'user', content: [{ text }] }), prefill);
  return { system: withoutCopies(system), turns };
}
