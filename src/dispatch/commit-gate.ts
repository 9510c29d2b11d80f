import {
  type CompletionChunk,
  type CompletionSink,
  hasContent,
  reasoningOf,
  type Usage,
} from '../completion.js';
import type { RankedCandidate } from '../routing/plan.js';
import type { AnswerWriter } from './answer-writer.js';

/** What comes before the first content (a role, an empty delta) is held back; more of it than this is not an opening. */
const maxHeld = 1_000;

/** Characters of an answer for one token, where nobody counts them. */
export const charactersPerToken = 4;

/** Stands between a provider's reader and the writer: holds back what comes before the first content, since it commits nothing. */
export class CommitGate implements CompletionSink {
  private held: [CompletionChunk, string | null][] = [];
  /** When the first content came, in `performance.now()` ms; null: none yet. */
  firstContentAt: number | null = null;
  /** The provider has said that the answer is whole. */
  ended = false;
  finishReason: string | null = null;
  usage: Usage | null = null;
  /** Characters of content so far, from which usage is estimated where nobody reports it. A chunk holds a token at least, however short it is. */
  contentLength = 0;

  constructor(
    private readonly writer: AnswerWriter,
    private readonly candidate: RankedCandidate,
  ) {}

  text(escaped: string, frame: string | null): void {
    if (this.firstContentAt === null) this.open();
    this.contentLength += Math.max(charactersPerToken, escaped.length);
    this.writer.text(escaped, frame);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    if (this.firstContentAt === null) {
      if (!hasContent(chunk)) {
        if (this.held.length < maxHeld) this.held.push([chunk, frame]);
        return;
      }
      this.open();
    }
    const length = lengthOf(chunk);
    if (length > 0) this.contentLength += Math.max(charactersPerToken, length);
    this.writer.chunk(chunk, frame);
  }

  end(finishReason: string | null, usage: Usage | null): void {
    this.ended = true;
    this.finishReason = finishReason;
    this.usage = usage;
    // an answer may be empty and still have a reason for it
    if (this.firstContentAt === null && finishReason !== null) this.open();
  }

  private open(): void {
    this.firstContentAt = performance.now();
    this.writer.begin(this.candidate);
    for (const [chunk, frame] of this.held) this.writer.chunk(chunk, frame);
    this.held = [];
  }
}

/** How much a chunk adds to the answer, in characters. */
function lengthOf(chunk: CompletionChunk): number {
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
