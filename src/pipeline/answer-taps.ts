import type { CompletionChunk, EventsEnd, SharedDialect } from '../completion.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { Candidate } from '../chooser/plan.js';

/**
 * Observes an answer: gets each call before the writer does, and changes nothing. What only needs
 * to know the answer (the request log, a trace) is a tap in the list of `completeChat`. The
 * arguments are those of `AnswerWriter`.
 */
export type AnswerTap = Pick<AnswerWriter, 'begin'> &
  Partial<Pick<AnswerWriter, 'text' | 'chunk' | 'whole'>>;

/** A writer that passes each call to the taps first; without taps the same writer. */
export const withTaps = (writer: AnswerWriter, taps: readonly AnswerTap[]): AnswerWriter =>
  taps.length === 0 ? writer : new TappedWriter(writer, taps);

/** Passes each call to the taps, then to the writer. */
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
    return this.writer.flush?.() ?? true;
  }

  whenDrained(resume: () => void): void {
    this.writer.whenDrained?.(resume);
  }
}
