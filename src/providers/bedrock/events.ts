import { randomUUID } from 'node:crypto';
import {
  escapeJson,
  type ChunkDelta,
  type CompletionSink,
  type EventReader,
  type ToolCallDelta,
  type Usage,
} from '../../completion.js';
import { GatewayError } from '../../errors.js';
import {
  isOurs,
  readCitations,
  readStopReason,
  readUsage,
  sealedThought,
  signedThought,
  type Citation,
  type ConverseUsage,
  type ToolUse,
} from './answer.js';
import { streamException } from './failure.js';
import { frameReader, type Frame } from './event-stream-frames.js';
import { cutShort, unreadable } from '../failure.js';

interface BlockDelta {
  text?: string;
  toolUse?: { input?: string };
  reasoningContent?: { text?: string; signature?: string; redactedContent?: string };
  citation?: Citation;
}

interface StreamEvent {
  contentBlockIndex?: number;
  start?: { toolUse?: ToolUse };
  delta?: BlockDelta;
  stopReason?: string;
  usage?: ConverseUsage;
}

/** What is known of a content block that has begun. */
interface OpenBlock {
  /** Which of the answer's tool calls it is; null for any other block. */
  call: number | null;
  calledWith: boolean;
  thought: string;
  signature: string;
  /** Base64 pieces, each decoded by itself. */
  sealed: Buffer[];
  citations: Citation[];
  textStart: number;
}

class ConverseReader implements EventReader {
  readonly #frames = frameReader((frame) => this.#readFrame(frame));
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #head = {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
  };
  #textLength = 0;
  #calls = 0;
  #finishReason: string | null = null;
  #usage: Usage | null = null;
  #ended = false;

  constructor(
    private readonly provider: string,
    private readonly model: string,
    private readonly sink: CompletionSink,
  ) {}

  push(bytes: Buffer): void {
    try {
      this.#frames.push(bytes);
    } catch (error) {
      throw error instanceof GatewayError
        ? error
        : unreadable(this.provider, 'a broken event stream', error);
    }
  }

  close(): void {
    if (this.#ended) return;
    // the usage that follows the end may be missing; the answer is whole without it
    if (this.#finishReason === null) throw cutShort(this.provider);
    this.#end();
  }

  #readFrame({ headers, body }: Frame): void {
    if (this.#ended) return;
    if (headers[':message-type'] === 'exception')
      throw streamException(this.provider, headers[':exception-type'] ?? '', body);
    if (headers[':message-type'] === 'error')
      throw streamException(
        this.provider,
        headers[':error-code'] ?? '',
        JSON.stringify({ message: headers[':error-message'] }),
      );
    this.#readEvent(headers[':event-type'], JSON.parse(body) as StreamEvent);
  }

  #readEvent(type: string | undefined, event: StreamEvent): void {
    const index = event.contentBlockIndex ?? 0;
    switch (type) {
      case 'messageStart':
        this.#send({ role: 'assistant', content: '' });
        return;
      case 'contentBlockStart':
        this.#open(index, event.start?.toolUse);
        return;
      case 'contentBlockDelta':
        this.#readDelta(this.#blocks.get(index) ?? this.#begin(index), event.delta ?? {});
        return;
      case 'contentBlockStop':
        this.#finishBlock(index);
        return;
      case 'messageStop':
        for (const open of [...this.#blocks.keys()]) this.#finishBlock(open);
        this.#finishReason = readStopReason(this.provider, event.stopReason ?? '', this.#calls > 0);
        break;
      case 'metadata':
        this.#usage = readUsage(event.usage);
    }
    // the usage comes after the end; once both are there nothing is worth waiting for
    if (this.#finishReason !== null && this.#usage) this.#end();
  }

  #begin(index: number): OpenBlock {
    const block: OpenBlock = {
      call: null,
      calledWith: false,
      thought: '',
      signature: '',
      sealed: [],
      citations: [],
      textStart: this.#textLength,
    };
    this.#blocks.set(index, block);
    return block;
  }

  #open(index: number, toolUse: ToolUse | undefined): void {
    const block = this.#begin(index);
    if (!toolUse || !isOurs(toolUse)) return;
    block.call = this.#calls++;
    this.#sendCall({
      index: block.call,
      id: toolUse.toolUseId ?? '',
      type: 'function',
      function: { name: toolUse.name ?? '', arguments: '' },
    });
  }

  #readDelta(block: OpenBlock, delta: BlockDelta): void {
    if (delta.text) {
      this.#textLength += delta.text.length;
      this.sink.text(escapeJson(delta.text), null);
    }
    if (delta.toolUse?.input && block.call !== null) {
      block.calledWith = true;
      this.#sendCall({ index: block.call, function: { arguments: delta.toolUse.input } });
    }
    const { text, signature, redactedContent } = delta.reasoningContent ?? {};
    if (text) {
      block.thought += text;
      this.#send({ reasoning_content: text });
    }
    if (signature) block.signature += signature;
    if (redactedContent) block.sealed.push(Buffer.from(redactedContent, 'base64'));
    if (delta.citation) block.citations.push(delta.citation);
  }

  #finishBlock(index: number): void {
    const block = this.#blocks.get(index);
    if (!block) return;
    this.#blocks.delete(index);
    // a tool without arguments comes with no input at all, and clients parse what they gathered as JSON
    if (block.call !== null && !block.calledWith)
      this.#sendCall({ index: block.call, function: { arguments: '{}' } });
    const detail =
      block.sealed.length > 0
        ? sealedThought(Buffer.concat(block.sealed).toString('base64'))
        : signedThought(block.thought, block.signature);
    if (detail) this.#send({ reasoning_details: [detail] });
    const annotations = readCitations(block.citations, block.textStart, this.#textLength);
    if (annotations.length > 0) this.#send({ annotations });
  }

  #sendCall(call: ToolCallDelta): void {
    this.#send({ tool_calls: [call] });
  }

  #send(delta: ChunkDelta): void {
    this.sink.chunk(
      { ...this.#head, model: this.model, choices: [{ index: 0, delta, finish_reason: null }] },
      null,
    );
  }

  #end(): void {
    this.#ended = true;
    this.sink.end(this.#finishReason, this.#usage);
  }
}

/** Reads a body of `converse-stream`: binary frames, each with one JSON event. Whole once `messageStop` has come. */
export function readConverseStream(
  provider: string,
  model: string,
  sink: CompletionSink,
): EventReader {
  return new ConverseReader(provider, model, sink);
}
