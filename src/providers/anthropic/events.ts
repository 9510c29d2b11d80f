import {
  type ChunkDelta,
  type CompletionSink,
  escapeJson,
  type EventReader,
} from '../../completion.js';
import {
  type AnswerBlock,
  type AnthropicAnswer,
  type AnthropicCitation,
  type AnthropicUsage,
  finishReasonOf,
  readAnthropicUsage,
  reasoningDetail,
  type StopDetails,
  toAnnotations,
  toolArguments,
} from './answer.js';
import { cutShort, unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { sseReader } from '../sse-reader.js';
import { anthropicFailureUnder200 } from './failure.js';
import { SearchBlocks } from './web-search.js';

/** Reads a stream of the Messages API whose events are already parsed. */
export interface AnthropicEventReader {
  /** @throws GatewayError for an `error` event */
  event(event: unknown): void;
  /** Call at the end of the stream. @throws GatewayError if `message_stop` has not arrived */
  close(): void;
}

interface StreamEvent {
  type?: string;
  index?: number;
  message?: AnthropicAnswer;
  content_block?: AnswerBlock;
  delta?: BlockDelta & { stop_reason?: string | null; stop_details?: StopDetails | null };
  usage?: AnthropicUsage | null;
}

interface BlockDelta {
  type?: string;
  text?: string;
  thinking?: string;
  signature?: string;
  partial_json?: string;
  citation?: AnthropicCitation;
}

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
  hasArguments: boolean;
}

/** Translates parsed events, for streams that carry them in another framing. */
export function anthropicEventReader(provider: string, sink: CompletionSink): AnthropicEventReader {
  return new MessageStream(provider, sink, new SearchBlocks(false));
}

/** Reads Anthropic's own server-sent events. */
export function anthropicEvents(
  provider: string,
  sink: CompletionSink,
  searches = new SearchBlocks(false),
): EventReader {
  const stream = new MessageStream(provider, sink, searches);
  return sseReader(
    (_name, text) => {
      const event = parseJson(text);
      if (typeof event !== 'object' || event === null)
        throw unreadable(provider, 'an event is not a JSON object');
      stream.event(event);
    },
    () => stream.close(),
  );
}

class MessageStream implements AnthropicEventReader {
  private id: string | null = null;
  private model = '';
  private readonly created = Math.floor(Date.now() / 1000);
  private readonly open = new Map<number, OpenBlock>();
  private textLength = 0;
  private callCount = 0;
  private usage: AnthropicUsage = {};
  private stopReason: string | null = null;
  private done = false;

  constructor(
    private readonly provider: string,
    private readonly sink: CompletionSink,
    private readonly searches: SearchBlocks,
  ) {}

  event(raw: unknown): void {
    if (this.done) return;
    const event = raw as StreamEvent;
    switch (event.type) {
      case 'content_block_delta':
        this.blockDelta(event.index ?? 0, event.delta ?? {});
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
        this.done = true;
        this.sink.end(
          this.searches.finishReason(this.stopReason, finishReasonOf(this.stopReason)),
          readAnthropicUsage(this.usage),
        );
        break;
      case 'error':
        throw anthropicFailureUnder200(this.provider, event);
      // pings, and unknown events, which Anthropic's versioning policy says to ignore
      default:
    }
  }

  close(): void {
    if (!this.done) throw cutShort(this.provider);
  }

  private messageStart(message: AnthropicAnswer): void {
    if (this.id !== null) {
      // some proxies repeat the opening event, and some mix two answers in one stream
      if (message.id !== this.id)
        throw unreadable(this.provider, 'the stream contains two answers');
      return;
    }
    this.id = message.id ?? '';
    this.model = message.model ?? '';
    this.addUsage(message.usage);
    this.chunk({ role: 'assistant', content: '' });
    for (const block of message.content ?? []) {
      this.blockStart(-1, block);
      this.blockStop(-1);
    }
  }

  private blockStart(index: number, block: AnswerBlock): void {
    const opened: OpenBlock = {
      type: block.type ?? '',
      start: this.textLength,
      block: { ...block },
      json: '',
      callIndex: -1,
      hasArguments: false,
    };
    this.open.set(index, opened);
    if (block.type === 'text') {
      this.text(block.text);
    } else if (block.type === 'thinking') {
      if (block.thinking) this.chunk({ reasoning_content: block.thinking });
    } else if (block.type === 'tool_use') {
      opened.callIndex = this.callCount++;
      this.chunk({
        tool_calls: [
          {
            index: opened.callIndex,
            id: block.id ?? '',
            type: 'function',
            function: { name: block.name ?? '', arguments: '' },
          },
        ],
      });
    }
  }

  private blockDelta(index: number, delta: BlockDelta): void {
    if (delta.type === 'text_delta') {
      this.text(delta.text);
      return;
    }
    const opened = this.open.get(index);
    if (!opened) return;
    const { block } = opened;
    if (delta.type === 'thinking_delta' && delta.thinking) {
      block.thinking = (block.thinking ?? '') + delta.thinking;
      this.chunk({ reasoning_content: delta.thinking });
    } else if (delta.type === 'signature_delta') {
      block.signature = (block.signature ?? '') + (delta.signature ?? '');
    } else if (delta.type === 'citations_delta' && delta.citation) {
      block.citations = [...(block.citations ?? []), delta.citation];
    } else if (delta.type === 'input_json_delta' && delta.partial_json) {
      this.inputDelta(opened, delta.partial_json);
    }
  }

  private inputDelta(opened: OpenBlock, piece: string): void {
    if (opened.callIndex === -1) {
      opened.json += piece;
      return;
    }
    opened.hasArguments = true;
    this.chunk({ tool_calls: [{ index: opened.callIndex, function: { arguments: piece } }] });
  }

  private blockStop(index: number): void {
    const opened = this.open.get(index);
    if (!opened) return;
    this.open.delete(index);
    const { type, block, json, callIndex, start } = opened;
    if (type === 'text') {
      const annotations = toAnnotations(block.citations ?? [], start, this.textLength);
      if (annotations.length > 0) this.chunk({ annotations });
    } else if (type === 'thinking' || type === 'redacted_thinking') {
      // in one piece, because the client must send it back unchanged
      const detail = reasoningDetail(block);
      if (detail) this.chunk({ reasoning_details: [detail] });
    } else if (callIndex >= 0 && !opened.hasArguments) {
      // Anthropic streams nothing for a call without arguments, but arguments must be JSON
      this.chunk({
        tool_calls: [{ index: callIndex, function: { arguments: toolArguments(block.input) } }],
      });
    } else if (callIndex === -1) {
      const found = this.searches.read(block, json);
      if (Object.keys(found).length > 0) this.chunk(found);
    }
  }

  private messageDelta(event: StreamEvent): void {
    this.addUsage(event.usage);
    this.stopReason = event.delta?.stop_reason ?? this.stopReason;
    const explanation = event.delta?.stop_details?.explanation;
    if (this.stopReason === 'refusal' && explanation) this.chunk({ refusal: explanation });
  }

  /** Counts are running totals, which a later event may repeat, correct or omit. */
  private addUsage(usage: AnthropicUsage | null | undefined): void {
    const reported = Object.entries(usage ?? {}).filter(
      ([, value]: [string, unknown]) => value !== null,
    );
    this.usage = { ...this.usage, ...Object.fromEntries(reported) };
  }

  private text(text: string | undefined): void {
    if (!text) return;
    this.textLength += text.length;
    this.sink.text(escapeJson(text), null);
  }

  private chunk(delta: ChunkDelta): void {
    this.sink.chunk(
      {
        id: this.id ?? '',
        object: 'chat.completion.chunk',
        created: this.created,
        model: this.model,
        choices: [{ index: 0, delta, finish_reason: null }],
      },
      null,
    );
  }
}
