import type { CompletionChunk, EventsEnd, SharedDialect } from '../completion.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { Candidate } from '../chooser/plan.js';

/**
 * Watches an answer beside its writer: it is told what the writer gets, before the writer is, and
 * changes nothing. Whatever only wants to know (what the request log keeps, a trace) is a tap in the
 * list of `completeChat`. The arguments are those of `AnswerWriter`.
 */
export interface AnswerTap {
  /** An attempt has content. What an earlier attempt wrote does not count any more. */
  begin(candidate: Candidate): void;
  text?(escaped: string, frame: string | null): void;
  chunk?(chunk: CompletionChunk, frame: string | null): void;
  whole?(answer: CompletionAnswer, body: Buffer | null): void;
}

/** A writer that tells the taps what it gets. Without taps it is the same writer. */
export const withTaps = (writer: AnswerWriter, taps: readonly AnswerTap[]): AnswerWriter =>
  taps.length === 0 ? writer : new TappedWriter(writer, taps);

/** Passes on what it gets. */
export class TappedWriter implements AnswerWriter {
  constructor(
    protected readonly writer: AnswerWriter,
    private readonly taps: readonly AnswerTap[],
  ) {}

  get streams(): boolean {
    return this.writer.streams;
  }

  get hasWritten(): boolean {
    return this.writer.hasWritten ?? true;
  }

  get dialect(): SharedDialect {
    return this.writer.dialect;
  }

  begin(candidate: Candidate): void {
    for (const tap of this.taps) tap.begin(candidate);
    this.writer.begin(candidate);
  }

  text(escaped: string, frame: string | null): void {
    for (const tap of this.taps) tap.text?.(escaped, frame);
    this.writer.text(escaped, frame);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    for (const tap of this.taps) tap.chunk?.(chunk, frame);
    this.writer.chunk(chunk, frame);
  }

  event(name: string | undefined, data: string | EventsEnd): void {
    this.writer.event?.(name, data);
  }

  whole(answer: CompletionAnswer, body: Buffer | null): void {
    for (const tap of this.taps) tap.whole?.(answer, body);
    this.writer.whole(answer, body);
  }

  flush(): boolean {
    return this.writer.flush();
  }

  whenDrained(resume: () => void): void {
    this.writer.whenDrained(resume);
  }
}
