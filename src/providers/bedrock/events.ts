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
import { cutShort, unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import {
  converseUsage,
  encryptedThought,
  isClientCall,
  readCitations,
  readStopReason,
  signedThought,
  type ConverseCitation,
  type ConverseToolUse,
  type ConverseUsage,
} from './answer.js';
import { frameReader, type Frame } from './event-stream-frames.js';
import { streamException } from './failure.js';
import { isObject } from '../../text/is-object.js';

interface BlockDelta {
  text?: string;
  toolUse?: { input?: string };
  reasoningContent?: { text?: string; signature?: string; redactedContent?: string };
  citation?: ConverseCitation;
}

interface StreamEvent {
  contentBlockIndex?: number;
  start?: { toolUse?: ConverseToolUse };
  delta?: BlockDelta;
  stopReason?: string;
  usage?: ConverseUsage;
}

/** A content block between its start and its stop. */
interface OpenBlock {
  /** Its index among the answer's tool calls; null for other blocks. */
  callIndex: number | null;
  hasArguments: boolean;
  thought: string;
  signature: string;
  /** Encrypted thinking: base64 pieces, each decoded separately. */
  encrypted: Buffer[];
  citations: ConverseCitation[];
  /** The offset of its text in the answer's text. */
  textStart: number;
}

class ConverseReader implements EventReader {
  private readonly frames = frameReader((frame) => this.readFrame(frame));
  private readonly blocks = new Map<number, OpenBlock>();
  private readonly head = {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
  };
  private textLength = 0;
  private callCount = 0;
  private finishReason: string | null = null;
  private usage: Usage | null = null;
  private isEnded = false;

  constructor(
    private readonly provider: string,
    private readonly model: string,
    private readonly sink: CompletionSink,
  ) {}

  push(bytes: Buffer): void {
    try {
      this.frames.push(bytes);
    } catch (error) {
      throw error instanceof GatewayError
        ? error
        : unreadable(this.provider, 'the event stream is broken', error);
    }
  }

  close(): void {
    if (this.isEnded) return;
    // the usage that follows the end may be missing; the answer is complete without it
    if (this.finishReason === null) throw cutShort(this.provider);
    this.end();
  }

  private readFrame({ headers, body }: Frame): void {
    if (this.isEnded) return;
    if (headers[':message-type'] === 'exception')
      throw streamException(this.provider, headers[':exception-type'] ?? '', body);
    if (headers[':message-type'] === 'error')
      throw streamException(
        this.provider,
        headers[':error-code'] ?? '',
        JSON.stringify({ message: headers[':error-message'] }),
      );
    const event = parseJson(body);
    if (!isObject(event)) throw unreadable(this.provider, 'an event is not a JSON object');
    this.readEvent(headers[':event-type'], event);
  }

  private readEvent(type: string | undefined, event: StreamEvent): void {
    const index = event.contentBlockIndex ?? 0;
    switch (type) {
      case 'messageStart':
        this.send({ role: 'assistant', content: '' });
        return;
      case 'contentBlockStart':
        this.open(index, event.start?.toolUse);
        return;
      case 'contentBlockDelta':
        this.readDelta(this.blocks.get(index) ?? this.begin(index), event.delta ?? {});
        return;
      case 'contentBlockStop':
        this.finishBlock(index);
        return;
      case 'messageStop':
        for (const open of [...this.blocks.keys()]) this.finishBlock(open);
        this.finishReason = readStopReason(
          this.provider,
          event.stopReason ?? '',
          this.callCount > 0,
        );
        break;
      case 'metadata':
        this.usage = converseUsage(event.usage);
    }
    // usage follows the end; once both have arrived, the answer is complete
    if (this.finishReason !== null && this.usage) this.end();
  }

  private begin(index: number): OpenBlock {
    const block: OpenBlock = {
      callIndex: null,
      hasArguments: false,
      thought: '',
      signature: '',
      encrypted: [],
      citations: [],
      textStart: this.textLength,
    };
    this.blocks.set(index, block);
    return block;
  }

  private open(index: number, toolUse: ConverseToolUse | undefined): void {
    const block = this.begin(index);
    if (!toolUse || !isClientCall(toolUse)) return;
    block.callIndex = this.callCount++;
    this.sendCall({
      index: block.callIndex,
      id: toolUse.toolUseId ?? '',
      type: 'function',
      function: { name: toolUse.name ?? '', arguments: '' },
    });
  }

  private readDelta(block: OpenBlock, delta: BlockDelta): void {
    if (delta.text) {
      this.textLength += delta.text.length;
      this.sink.text(escapeJson(delta.text), null);
    }
    if (delta.toolUse?.input && block.callIndex !== null) {
      block.hasArguments = true;
      this.sendCall({ index: block.callIndex, function: { arguments: delta.toolUse.input } });
    }
    const { text, signature, redactedContent } = delta.reasoningContent ?? {};
    if (text) {
      block.thought += text;
      this.send({ reasoning_content: text });
    }
    if (signature) block.signature += signature;
    if (redactedContent) block.encrypted.push(Buffer.from(redactedContent, 'base64'));
    if (delta.citation) block.citations.push(delta.citation);
  }

  private finishBlock(index: number): void {
    const block = this.blocks.get(index);
    if (!block) return;
    this.blocks.delete(index);
    // AWS sends no input for a call without arguments, but clients parse the arguments as JSON
    if (block.callIndex !== null && !block.hasArguments)
      this.sendCall({ index: block.callIndex, function: { arguments: '{}' } });
    const detail =
      block.encrypted.length > 0
        ? encryptedThought(Buffer.concat(block.encrypted).toString('base64'))
        : signedThought(block.thought, block.signature);
    if (detail) this.send({ reasoning_details: [detail] });
    const annotations = readCitations(block.citations, block.textStart, this.textLength);
    if (annotations.length > 0) this.send({ annotations });
  }

  private sendCall(call: ToolCallDelta): void {
    this.send({ tool_calls: [call] });
  }

  private send(delta: ChunkDelta): void {
    this.sink.chunk(
      { ...this.head, model: this.model, choices: [{ index: 0, delta, finish_reason: null }] },
      null,
    );
  }

  private end(): void {
    this.isEnded = true;
    this.sink.end(this.finishReason, this.usage);
  }
}

/**
 * Reads a body of `converse-stream`: binary frames, each with one JSON event. The answer is
 * complete once `messageStop` has arrived.
 */
export function readConverseStream(
  provider: string,
  model: string,
  sink: CompletionSink,
): EventReader {
  return new ConverseReader(provider, model, sink);
}
