import { type CompletionSink, type EventReader, pausedTurn } from '../../completion.js';
import type { CompletionAnswer } from '../adapter.js';
import { AnswerChunks, collectAnswer, partsIn } from '../answer-chunks.js';
import {
  type AnswerBlock,
  type AnthropicAnswer,
  type AnthropicUsage,
  readAnthropicUsage,
  reasoningDetail,
  toAnnotations,
} from './answer.js';
import { cutShort, unreadable } from '../failure.js';
import { parseObject } from '../json.js';
import { type Fields, isObject, objectsIn } from '../../text/is-object.js';
import { sseReader } from '../sse-reader.js';
import { anthropicFailureUnder200 } from './failure.js';
import {
  type BlockDelta,
  isRightMessage,
  type MessageEvent,
  OwnMessageEvents,
} from './own-events.js';
import type { SearchBlocks } from './web-search.js';

/** A block between its start and its stop. */
interface OpenBlock {
  type: string;
  /** The offset of its text in the answer's text. */
  start: number;
  /** Collects the deltas: thinking, its signature, citations. */
  block: AnswerBlock;
  /** The input of one of Anthropic's own tools, as far as it came in pieces. */
  json: string;
  /** Its index among the tool calls; -1 for other blocks. */
  callIndex: number;
}

/**
 * Translates a whole answer that is already parsed.
 * @throws GatewayError for an answer of type `error`, `unreadable_answer` for anything but an
 *   answer
 */
export function fromAnthropicAnswer(
  provider: string,
  body: unknown,
  searches: SearchBlocks,
): CompletionAnswer {
  const answer = body as AnthropicAnswer | null;
  if (answer?.type === 'error') throw anthropicFailureUnder200(provider, body);
  if (!isObject(answer) || answer.content === undefined)
    throw unreadable(provider, 'the body is not a message of the Messages API');
  const read = collectAnswer((sink) => new MessageStream(provider, sink, searches).whole(answer));
  for (const choice of read.completion.choices) choice.logprobs = null;
  return isRightMessage(answer) ? read : { ...read, rewritten: true };
}

/**
 * Reads Anthropic's own server-sent events.
 * @param forwards whether the sink gets the events themselves too
 */
export function anthropicEvents(
  provider: string,
  sink: CompletionSink,
  searches: SearchBlocks,
  forwards = false,
): EventReader {
  const own = new OwnMessageEvents(sink, forwards);
  const stream = new MessageStream(provider, sink, searches);
  return sseReader(
    (name, text) => {
      if (text === '[DONE]' || stream.isDone) return false;
      const event = parseObject(provider, text, 'an event') as MessageEvent;
      // servers of other makers leave its type out
      if (event.error) event.type = 'error';
      if (event.type !== 'error') own.pass(event, name, text);
      event.type ??= name;
      stream.event(event);
      return event.delta?.type === 'text_delta';
    },
    () => stream.close(),
    {
      field: 'text',
      onText(escaped, name, data) {
        if (stream.isDone) return;
        own.passText(name, data);
        stream.text(escaped);
      },
    },
  );
}

const fieldTypes: readonly (readonly [keyof BlockDelta, string])[] = [
  ['text', 'text_delta'],
  ['partial_json', 'input_json_delta'],
  ['thinking', 'thinking_delta'],
];

/** A delta of the type that its fields tell, where it names none. */
function typed(delta: BlockDelta): BlockDelta {
  if (delta.type !== undefined) return delta;
  const known = fieldTypes.find(([field]) => delta[field] !== undefined);
  return known ? { ...delta, type: known[1] } : delta;
}

class MessageStream {
  private readonly chunks: AnswerChunks;
  private readonly open = new Map<number, OpenBlock>();
  private usage: AnthropicUsage = {};
  private stopReason: string | null = null;
  private stopSequence: unknown;
  isDone = false;

  constructor(
    private readonly provider: string,
    private readonly sink: CompletionSink,
    private readonly searches: SearchBlocks,
  ) {
    this.chunks = new AnswerChunks(sink, undefined, '');
  }

  /** Reads the message of a body that was not streamed. */
  whole(message: AnthropicAnswer): void {
    this.messageStart(message);
    this.messageDelta({ delta: message });
    this.end();
  }

  /** @param escaped a byte string */
  text(escaped: string): void {
    this.chunks.escapedText(escaped);
  }

  event(raw: unknown): void {
    const event = raw as MessageEvent;
    switch (event.type) {
      case 'content_block_delta':
        this.blockDelta(event.index ?? 0, typed(event.delta ?? {}));
        break;
      case 'content_block_start':
        this.blockStart(event.index ?? 0, event.content_block ?? {});
        break;
      case 'content_block_stop':
        this.blockStop(event.index ?? 0);
        break;
      case 'message_start':
        this.messageStart(event.message ?? {});
        break;
      case 'message_delta':
        this.messageDelta(event);
        break;
      case 'message_stop':
        this.end();
        break;
      case 'error':
        throw anthropicFailureUnder200(this.provider, event);
      // pings, and unknown events, which Anthropic's versioning policy says to ignore
      default:
    }
  }

  close(): void {
    if (!this.isDone) throw cutShort(this.provider);
  }

  private messageStart(message: AnthropicAnswer): void {
    const { chunks } = this;
    if (chunks.id !== undefined) {
      // some proxies repeat the opening event, and some mix two answers in one stream
      if (message.id !== chunks.id)
        throw unreadable(this.provider, 'the stream contains two answers');
      return;
    }
    chunks.id = message.id ?? '';
    chunks.model = message.model ?? '';
    this.addUsage(message.usage);
    chunks.write({ role: 'assistant', content: '' });
    for (const block of partsIn<AnswerBlock>(message.content)) {
      this.blockStart(-1, block);
      this.blockStop(-1);
    }
  }

  private blockStart(index: number, block: AnswerBlock): void {
    // some servers do not stop their blocks
    this.blockStop(index);
    const type = block.type ?? (block.text === undefined ? '' : 'text');
    const opened: OpenBlock = {
      type,
      start: this.chunks.textLength,
      block: { ...block },
      json: '',
      callIndex: -1,
    };
    this.open.set(index, opened);
    if (type === 'text') {
      this.chunks.text(block.text);
    } else if (type === 'thinking') {
      if (block.thinking) this.chunks.write({ reasoning_content: block.thinking });
    } else if (type === 'tool_use') {
      opened.callIndex = this.chunks.startCall(block.id, block.name);
    }
  }

  private blockDelta(index: number, delta: BlockDelta): void {
    if (delta.type === 'text_delta') {
      this.chunks.text(delta.text);
      return;
    }
    // what has the index of no block belongs to the last one
    const opened = this.open.get(index) ?? [...this.open.values()].at(-1);
    if (!opened) return;
    const { block } = opened;
    if (delta.type === 'thinking_delta' && delta.thinking) {
      block.thinking = (block.thinking ?? '') + delta.thinking;
      this.chunks.write({ reasoning_content: delta.thinking });
    } else if (delta.type === 'signature_delta') {
      block.signature = (block.signature ?? '') + (delta.signature ?? '');
    } else if (delta.type === 'citations_delta' && delta.citation) {
      block.citations = [...objectsIn(block.citations), delta.citation];
    } else if (delta.type === 'input_json_delta' && delta.partial_json) {
      if (opened.callIndex === -1) opened.json += delta.partial_json;
      else this.chunks.addArguments(opened.callIndex, delta.partial_json);
    }
  }

  private blockStop(index: number): void {
    const opened = this.open.get(index);
    if (!opened) return;
    this.open.delete(index);
    const { type, block, json, callIndex, start } = opened;
    const { chunks } = this;
    if (type === 'text') {
      const annotations = toAnnotations(block.citations ?? [], start, chunks.textLength);
      if (annotations.length > 0) chunks.write({ annotations });
    } else if (type === 'thinking' || type === 'redacted_thinking') {
      // in one piece, because the client must send it back unchanged
      const detail = reasoningDetail(block);
      if (detail) chunks.write({ reasoning_details: [detail] });
    } else if (callIndex >= 0) {
      // Anthropic streams nothing for a call without arguments
      chunks.endCall(callIndex, block.input ?? {});
    } else {
      const found = this.searches.read(block, json);
      if (Object.keys(found).length > 0) chunks.write(found);
    }
  }

  private messageDelta(event: MessageEvent): void {
    this.addUsage(event.usage);
    this.stopReason = event.delta?.stop_reason ?? this.stopReason;
    this.stopSequence = event.delta?.stop_sequence ?? this.stopSequence;
    const explanation = event.delta?.stop_details?.explanation;
    if (this.stopReason === 'refusal' && explanation) this.chunks.write({ refusal: explanation });
    if (!this.sink.counted || !this.stopReason) return;
    const usage = readAnthropicUsage(this.usage);
    if (usage) this.sink.counted(usage);
  }

  /** Counts are running totals, which a later event may repeat, correct or omit. */
  private addUsage(usage: AnthropicUsage | null | undefined): void {
    const counts = this.usage as Fields;
    // some servers end with counts of 0
    for (const [name, count] of Object.entries(usage ?? {})) if (count) counts[name] = count;
  }

  private end(): void {
    for (const index of [...this.open.keys()]) this.blockStop(index);
    this.isDone = true;
    const usage = readAnthropicUsage(this.usage);
    if (this.searches.hasPaused(this.stopReason)) this.sink.end(pausedTurn, usage);
    else this.chunks.end(this.provider, this.stopReason, usage, this.stopSequence);
  }
}
