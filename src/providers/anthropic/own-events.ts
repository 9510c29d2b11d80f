import { type Fields, isObject, namesIn, table } from '../../text/is-object.js';
import { beginsWell } from '../call-arguments.js';
import {
  either,
  fits,
  isCount,
  isFull,
  isString,
  isTyped,
  list,
  nullable,
  object,
  OwnEvents,
  perhaps,
  type Shape,
} from '../own-events.js';
import type { AnswerBlock, AnthropicAnswer, AnthropicCitation, AnthropicUsage } from './answer.js';

/** An event of a stream, with the fields that are read. */
export interface MessageEvent {
  type?: string;
  index?: number;
  message?: AnthropicAnswer;
  content_block?: AnswerBlock;
  delta?: BlockDelta & Pick<AnthropicAnswer, 'stop_reason' | 'stop_sequence' | 'stop_details'>;
  usage?: AnthropicUsage | null;
  error?: unknown;
}

/** What is added to a block. */
export interface BlockDelta extends Pick<AnswerBlock, 'type' | 'text' | 'thinking' | 'signature'> {
  partial_json?: string;
  citation?: AnthropicCitation;
}

const usage = object({
  input_tokens: isCount,
  output_tokens: perhaps(isCount),
  cache_creation_input_tokens: nullable(isCount),
  cache_read_input_tokens: nullable(isCount),
  server_tool_use: nullable(isObject),
});
const envelope: Shape = {
  id: isFull,
  type: perhaps(either('message')),
  role: perhaps(either('assistant')),
  model: isFull,
  usage,
};

const page: Shape = { url: isFull, title: nullable(isString), encrypted_index: isString };
const isCitation = (value: unknown): boolean =>
  fits(value, { type: isFull, cited_text: isString }) &&
  (value['type'] !== 'web_search_result_location' || fits(value, page));

/** What clients read of a block, by its type; of others they read what they know. */
const blocks: Readonly<Record<string, Shape>> = {
  text: { text: isString, citations: perhaps(list(isCitation)) },
  thinking: { thinking: isString, signature: isString },
  redacted_thinking: { data: isString },
  tool_use: { id: isFull, name: isFull, input: isObject },
};
const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
/** Of one that begins: most clients pass over what it has already. */
const begun: Readonly<Record<string, Shape>> = {
  text: { text: either(''), citations: perhaps(list(either())) },
  thinking: { thinking: either(''), signature: perhaps(isString) },
  redacted_thinking: { data: isString },
  tool_use: { id: isFull, name: isFull, input: isEmpty },
};

/** What a delta has, and the types of the blocks that it may belong to. */
const deltas: Readonly<Record<string, readonly [Shape, RegExp]>> = table({
  text_delta: [{ text: isString }, /^text$/],
  citations_delta: [{ citation: isCitation }, /^text$/],
  thinking_delta: [{ thinking: isString }, /^thinking$/],
  signature_delta: [{ signature: isString }, /^thinking$/],
  input_json_delta: [{ partial_json: isString }, /tool_use$/],
});

const isReason = either(
  ...namesIn(`
  end_turn max_tokens stop_sequence tool_use pause_turn refusal
  model_context_window_exceeded compaction
`),
);

/** An answer that ends for calls has some, and one that has some ends for them, or breaks off. */
const fitsCalls = (reason: unknown, hasCalls: boolean): boolean =>
  hasCalls ? !/^(end_turn|stop_sequence)$/.test(String(reason)) : reason !== 'tool_use';

const ended: Shape = { content: Array.isArray, stop_reason: isReason };
const started: Shape = { content: perhaps(list(either())) };

/** Whether Anthropic's clients can read a whole message. */
export function isRightMessage(message: unknown): boolean {
  if (!fits(message, envelope) || !fits(message, ended)) return false;
  const content = message['content'] as unknown[];
  const ids = content.flatMap((block) => (isCall(block) ? [block['id']] : []));
  return (
    content.every((block) => isTyped(block, blocks)) &&
    new Set(ids).size === ids.length &&
    fitsCalls(message['stop_reason'], ids.length > 0)
  );
}

const isCall = (block: unknown): block is Fields => isObject(block) && block['type'] === 'tool_use';

/** Passes on the events of the Messages API. */
export class OwnMessageEvents extends OwnEvents<MessageEvent> {
  private hasReason = false;

  /** Leaves out what some proxies repeat: it ends the stream for Anthropic's own SDK. */
  override pass(...told: Parameters<OwnEvents<MessageEvent>['pass']>): void {
    if (!this.hasBegun || told[0].type !== 'message_start') super.pass(...told);
  }

  protected isRight(event: MessageEvent): boolean {
    const { type, index } = event;
    if (type === 'message_start') return this.start(event.message);
    if (type !== 'ping' && !this.hasBegun) return false;
    switch (type) {
      case 'content_block_start':
        return this.startBlock(index, event.content_block);
      case 'content_block_delta':
        return this.isDelta(index, event.delta);
      case 'content_block_stop':
        return this.open.delete(index);
      case 'message_delta':
        return this.isEnd(event);
      case 'message_stop':
        return this.hasReason;
      default:
        return type !== undefined;
    }
  }

  private start(message: unknown): boolean {
    return (this.hasBegun ||= fits(message, envelope) && fits(message, started));
  }

  private startBlock(index: unknown, block: unknown): boolean {
    if (index !== this.count || this.open.size > 0 || !isTyped(block, begun)) return false;
    const { type, id } = block;
    if (isCall(block) && !this.isNew(id)) return false;
    return this.begin(index, String(type));
  }

  private isDelta(index: unknown, delta: unknown): boolean {
    const block = this.open.get(index);
    if (!block || !fits(delta, { type: isFull })) return false;
    const [shape, types] = deltas[String(delta['type'])] ?? [{}, /./];
    const isFirst = !block.hasSpoken;
    block.hasSpoken ||= delta['partial_json'] !== '';
    this.speaking = block;
    return (
      fits(delta, shape) &&
      types.test(block.type) &&
      (!isFirst || (beginsWell(delta['partial_json']) && delta['partial_json'] !== '{}'))
    );
  }

  private isEnd({ delta, usage: counts }: MessageEvent): boolean {
    const isRight =
      !this.hasReason &&
      this.open.size === 0 &&
      fits(delta, { stop_reason: isReason }) &&
      fitsCalls(delta['stop_reason'], this.callIds.size > 0) &&
      fits(counts, { output_tokens: isCount, input_tokens: nullable(isCount) });
    this.hasReason ||= isRight;
    return isRight;
  }
}
