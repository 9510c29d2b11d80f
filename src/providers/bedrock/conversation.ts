import type { ChatMessage } from '../../completion.js';
import { thinkingBlock } from '../anthropic/messages.js';
import { toolInput } from '../call-arguments.js';
import { alternatingTurns, toldContent, type AlternatingTurn } from '../strict-history.js';
import { cachePointOf, readContent, type Block, type ContentScope } from './content.js';
import type { ModelTraits } from './model-traits.js';

/** Anthropic's thinking as Bedrock has it, unchanged. */
const readThought = (detail: unknown): Block[] =>
  thinkingBlock(detail).map(({ thinking: text, signature, data }) => ({
    reasoningContent:
      typeof data === 'string'
        ? { redactedContent: Buffer.from(data, 'latin1').toString('base64') }
        : { reasoningText: { text, signature } },
  }));

const readAssistant = (message: ChatMessage, traits: ModelTraits, scope: ContentScope): Block[] => [
  ...(traits.thoughts ? (message.reasoning_details ?? []).flatMap(readThought) : []),
  ...readContent(message.content, scope),
  ...readContent(message.refusal, scope),
  ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
    toolUse: { toolUseId: id, name, input: toolInput(text) },
  })),
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

function blocksOf(message: ChatMessage, traits: ModelTraits, scope: ContentScope): Block[] {
  if (message.role === 'assistant') return readAssistant(message, traits, scope);
  if (message.role === 'tool') return readToolResult(message, traits, scope);
  return [...readContent(message.content, scope), ...cachePointOf(message, scope)];
}

const isCachePoint = (block: Block): boolean => 'cachePoint' in block;

/** Bedrock takes four cache points: of a message and of its last part one is left. */
const withoutCopies = (blocks: readonly Block[]): Block[] =>
  blocks.filter((block, at) => !isCachePoint(block) || !isCachePoint(blocks[at - 1] ?? {}));

/**
 * Translates a conversation as `alternatingTurns`.
 * @throws GatewayError `request_refused` for content that Bedrock does not support
 */
export function toConverseMessages(
  messages: readonly ChatMessage[],
  traits: ModelTraits,
  scope: ContentScope,
): { system: Block[]; turns: AlternatingTurn<Block>[] } {
  const { system, turns } = alternatingTurns<Block>(messages, {
    blocksOf: (message) => blocksOf(message, traits, scope),
    textBlock: (text) => ({ text }),
    prefill: traits.prefill,
    isResult: (block) => 'toolResult' in block,
    isMark: isCachePoint,
  });
  for (const turn of turns) {
    turn.content = withoutCopies(turn.content);
    // a turn with a document needs a text
    const first = turn.content.find((block) => 'document' in block)?.['document'] as
      { name: string } | undefined;
    if (first && !turn.content.some((block) => 'text' in block))
      turn.content.push({ text: first.name });
  }
  return { system: withoutCopies(system), turns };
}
