import { randomUUID } from 'node:crypto';
import type { CompletionSink, EventReader, Usage } from '../../completion.js';
import { GatewayError } from '../../errors.js';
import type { CompletionAnswer } from '../adapter.js';
import { AnswerChunks, collectAnswer } from '../answer-chunks.js';
import { cutShort, unreadable } from '../failure.js';
import { parseObject } from '../json.js';
import {
  converseUsage,
  readCitations,
  type ContentBlock,
  type ConverseAnswer,
  type ConverseCitation,
  type ConverseToolUse,
} from './answer.js';
import { frameReader, type Frame } from './event-stream-frames.js';
import { malformedOutput, streamException } from './failure.js';
import { isObject, objectsIn } from '../../text/is-object.js';

interface BlockDelta {
  text?: string;
  toolUse?: { input?: string };
  reasoningContent?: { text?: string; signature?: string; redactedContent?: string };
  citation?: ConverseCitation;
}

interface StreamEvent extends Omit<ConverseAnswer, 'output'> {
  contentBlockIndex?: number;
  start?: { toolUse?: ConverseToolUse };
  delta?: BlockDelta;
}

/** A content block between its start and its stop. */
interface OpenBlock {
  /** Its index among the answer's tool calls; -1 for other blocks. */
  callIndex: number;
  thought: string;
  signature: string;
  /** Encrypted thinking: base64 pieces, each decoded separately. */
  encrypted: Buffer[];
  citations: ConverseCitation[];
  /** The offset of its text in the answer's text. */
  textStart: number;
}

class ConverseReader implements EventReader {
  private readonly readFrames = frameReader((frame) => this.readFrame(frame));
  private readonly blocks = new Map<number, OpenBlock>();
  private readonly chunks: AnswerChunks;
  private stopReason: string | null = null;
  private stopSequence: unknown;
  private usage: Usage | null = null;
  private isEnded = false;

  constructor(
    private readonly provider: string,
    model: string,
    sink: CompletionSink,
  ) {
    this.chunks = new AnswerChunks(sink, `chatcmpl-${randomUUID()}`, model);
  }

  /** Reads an answer that was not streamed. */
  whole(blocks: readonly ContentBlock[], answer: ConverseAnswer): void {
    this.chunks.write({ role: 'assistant', content: '' });
    for (const [index, block] of objectsIn(blocks).entries()) {
      this.open(index, block.toolUse);
      for (const delta of deltasOf(block)) this.readDelta(index, delta);
      this.finishBlock(index);
    }
    this.stop(answer);
    this.usage = converseUsage(answer.usage);
    this.end();
  }

  push(bytes: Buffer): void {
    try {
      this.readFrames(bytes);
    } catch (error) {
      throw error instanceof GatewayError
        ? error
        : unreadable(this.provider, 'the event stream is broken', error);
    }
  }

  close(): void {
    if (this.isEnded) return;
    // the usage that follows the end may be missing; the answer is complete without it
    if (this.stopReason === null) throw cutShort(this.provider);
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
    const event = parseObject(this.provider, body, 'an event') as StreamEvent;
    this.readEvent(headers[':event-type'], event);
  }

  private readEvent(type: string | undefined, event: StreamEvent): void {
    const index = event.contentBlockIndex ?? 0;
    switch (type) {
      case 'messageStart':
        this.chunks.write({ role: 'assistant', content: '' });
        return;
      case 'contentBlockStart':
        this.open(index, event.start?.toolUse);
        return;
      case 'contentBlockDelta':
        this.readDelta(index, event.delta ?? {});
        return;
      case 'contentBlockStop':
        this.finishBlock(index);
        return;
      case 'messageStop':
        for (const open of [...this.blocks.keys()]) this.finishBlock(open);
        this.stop(event);
        break;
      case 'metadata':
        this.usage = converseUsage(event.usage);
    }
    // usage follows the end; once both have arrived, the answer is complete
    if (this.stopReason !== null && this.usage) this.end();
  }

  private begin(index: number): OpenBlock {
    const block: OpenBlock = {
      callIndex: -1,
      thought: '',
      signature: '',
      encrypted: [],
      citations: [],
      textStart: this.chunks.textLength,
    };
    this.blocks.set(index, block);
    return block;
  }

  private open(index: number, toolUse: ConverseToolUse | undefined): void {
    // some servers do not stop their blocks
    this.finishBlock(index);
    const block = this.begin(index);
    if (!toolUse || toolUse.type === 'server_tool_use') return;
    const { toolUseId: id, name, input } = toolUse;
    // the whole input of an answer that was not streamed, and of some that were
    const isEmpty = isObject(input) && Object.keys(input).length === 0;
    block.callIndex = this.chunks.startCall(id, name, isEmpty ? '' : input);
  }

  private readDelta(index: number, delta: BlockDelta): void {
    const block = this.blocks.get(index) ?? this.begin(index);
    this.chunks.text(delta.text);
    if (delta.toolUse?.input) this.chunks.addArguments(block.callIndex, delta.toolUse.input);
    const { text, signature, redactedContent } = delta.reasoningContent ?? {};
    if (text) {
      block.thought += text;
      this.chunks.write({ reasoning_content: text });
    }
    if (signature) block.signature += signature;
    if (redactedContent) block.encrypted.push(Buffer.from(redactedContent, 'base64'));
    if (delta.citation) block.citations.push(delta.citation);
  }

  private finishBlock(index: number): void {
    const block = this.blocks.get(index);
    if (!block) return;
    this.blocks.delete(index);
    // AWS sends no input for a call without arguments
    this.chunks.endCall(block.callIndex);
    const detail = thoughtOf(block);
    if (detail) this.chunks.write({ reasoning_details: [detail] });
    const annotations = readCitations(block.citations, block.textStart, this.chunks.textLength);
    if (annotations.length > 0) this.chunks.write({ annotations });
  }

  /** @throws GatewayError where Bedrock reports malformed output of the model */
  private stop({ stopReason, additionalModelResponseFields: fields }: ConverseAnswer): void {
    if (stopReason && /^malformed_(model_output|tool_use)$/.test(stopReason))
      throw malformedOutput(this.provider, stopReason);
    this.stopReason = stopReason ?? '';
    this.stopSequence = fields?.stop_sequence;
  }

  private end(): void {
    this.isEnded = true;
    this.chunks.end(this.provider, this.stopReason, this.usage, this.stopSequence);
  }
}

/**
 * Reads a body of `converse-stream`: binary frames, each with one JSON event. The answer is
 * complete once `messageStop` has arrived.
 */
export const readConverseStream = (
  provider: string,
  model: string,
  sink: CompletionSink,
): EventReader => new ConverseReader(provider, model, sink);

/** Translates a whole answer. @returns null if it is not an answer of Converse */
export function readConverse(
  provider: string,
  answer: ConverseAnswer,
  model: string,
): CompletionAnswer | null {
  const blocks = answer.output?.message?.content;
  if (!Array.isArray(blocks) || (blocks.length === 0 && !answer.stopReason)) return null;
  return collectAnswer(
    (sink) => new ConverseReader(provider, model, sink).whole(blocks, answer),
    model,
  );
}

/**
 * Thinking that must be sent back unchanged; null if it has no signature, so need not be. What is
 * encrypted is Anthropic's opaque text, which Bedrock encodes once more; here it is as at Anthropic, so
 * that the conversation can continue there. Latin-1 keeps every byte.
 */
function thoughtOf({ thought: text, signature, encrypted }: OpenBlock): unknown {
  if (encrypted.length > 0)
    return { type: 'reasoning.encrypted', data: Buffer.concat(encrypted).toString('latin1') };
  return signature ? { type: 'reasoning.text', text, signature } : null;
}

/** A block of a whole answer as the deltas of a streamed one. */
function deltasOf(block: ContentBlock): BlockDelta[] {
  const { text, reasoningContent, citationsContent } = block;
  const { reasoningText, redactedContent } = reasoningContent ?? {};
  const { content, citations } = citationsContent ?? {};
  return [
    ...(text ? [{ text }] : []),
    ...objectsIn(content),
    ...objectsIn(citations).map((citation) => ({ citation })),
    ...(reasoningText ? [{ reasoningContent: reasoningText }] : []),
    ...(redactedContent ? [{ reasoningContent: { redactedContent } }] : []),
  ];
}
