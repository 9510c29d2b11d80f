import type { CompletionChunk } from '../completion.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { Candidate } from '../chooser/plan.js';

/**
 * Receives a completion: a surface's stream, or a collector for a reply that is not streamed.
 * Dispatch calls `begin` before any other method for an attempt, and again for the next attempt
 * where nothing was committed.
 */
export interface AnswerWriter {
  /**
   * True: what is written goes to the client at once, so the first content commits the attempt.
   * False: only the complete answer does.
   */
  readonly streams: boolean;
  /** An attempt has content. Discard what an earlier attempt wrote. */
  begin(candidate: Candidate): void;
  /** As in CompletionSink. */
  text(escaped: string, frame: string | null): void;
  chunk(chunk: CompletionChunk, frame: string | null): void;
  /**
   * The answer arrived whole.
   * @param body the provider's own JSON where it speaks the internal dialect, else null
   */
  whole(answer: CompletionAnswer, body: Buffer | null): void;
  /** Called after each upstream read. False: the client is slower; wait for `whenDrained`. */
  flush(): boolean;
  whenDrained(resume: () => void): void;
}
