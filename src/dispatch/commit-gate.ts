import {
  type CompletionChunk,
  type CompletionSink,
  type EventsEnd,
  reasoningOf,
  type Usage,
} from '../completion.js';
import { hasContent } from '../providers/has-content.js';
import type { Candidate } from '../chooser/plan.js';
import type { AnswerWriter } from './answer-writer.js';

/** Chunks without content (a role, an empty delta) that are held back; more are dropped. */
const maxHeld = 1_000;

/** Characters per token, for answers whose usage is not reported. */
export const charactersPerToken = 4;

/** Passes chunks to the writer; holds back those before the first content, which do not commit. */
export class CommitGate implements CompletionSink {
  private held: (() => void)[] = [];
  /** `performance.now()` of the first content; null: none yet. */
  firstContentAt: number | null = null;
  /** True once the provider has said that the answer is complete. */
  ended = false;
  finishReason: string | null = null;
  unknownFinish: string | undefined;
  usage: Usage | null = null;
  /** Characters so far, to estimate usage. A short chunk counts as the one token that it has. */
  contentLength = 0;

  constructor(
    private readonly writer: AnswerWriter,
    private readonly candidate: Candidate,
    private readonly claim?: () => void,
  ) {}

  text(escaped: string, frame: string | null): void {
    if (this.firstContentAt === null) this.open();
    this.contentLength += Math.max(charactersPerToken, escaped.length);
    this.writer.text(escaped, frame);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    if (this.firstContentAt === null) {
      if (!hasContent(chunk)) {
        this.hold(() => this.writer.chunk(chunk, frame));
        return;
      }
      this.open();
    }
    const length = addedLength(chunk);
    if (length > 0) this.contentLength += Math.max(charactersPerToken, length);
    this.writer.chunk(chunk, frame);
  }

  event(name: string | undefined, data: string | EventsEnd): void {
    // never dropped, which would break the answer: `ChatStream` bounds their bytes
    if (this.firstContentAt === null) this.held.push(() => this.writer.event?.(name, data));
    else this.writer.event?.(name, data);
  }

  counted(usage: Usage): void {
    this.usage = usage;
  }

  end(finishReason: string | null, usage: Usage | null, unknownFinish?: string): void {
    this.ended = true;
    this.unknownFinish = unknownFinish;
    this.finishReason = finishReason;
    this.usage = usage;
    // an empty answer with a finish reason is an answer
    if (this.firstContentAt === null && finishReason !== null) this.open();
  }

  private hold(write: () => void): void {
    if (this.held.length < maxHeld) this.held.push(write);
  }

  private open(): void {
    this.claim?.();
    this.firstContentAt = performance.now();
    this.writer.begin(this.candidate);
    for (const write of this.held) write();
    this.held = [];
  }
}

/** The characters that a chunk adds to the answer. */
export function addedLength(chunk: CompletionChunk): number {
  let length = 0;
  for (const { delta } of chunk.choices) {
    length +=
      (delta.content?.length ?? 0) +
      (reasoningOf(delta)?.length ?? 0) +
      (delta.refusal?.length ?? 0);
    for (const call of delta.tool_calls ?? [])
      length += (call.function?.name?.length ?? 0) + (call.function?.arguments?.length ?? 0);
  }
  return length;
}
