import type { CompletionChunk, EventsEnd, SharedDialect } from '../completion.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { Candidate } from '../chooser/plan.js';

/**
 * Receives a completion: a surface's stream, or a collector for a reply that is not streamed.
 * Dispatch calls `begin` before any other method for an attempt, and again for the next attempt
 * where nothing was committed.
 */
export interface AnswerWriter {
  /** True: content goes to the client at once, and commits. False: only the whole answer does. */
  readonly streams: boolean;
  /**
   * Whether anything was written for the client since the stream began. False: content that arrived
   * does not commit the attempt yet. Absent: all content is written as it arrives.
   */
  readonly hasWritten?: boolean;
  /** The dialect of `frame`, `event` and `body`: the writer gets none in another dialect. */
  readonly dialect: SharedDialect;
  /** Called before an attempt's first content. Discard what an earlier attempt wrote. */
  begin(candidate: Candidate): void;
  /** As in CompletionSink. */
  text(escaped: string, frame: string | null): void;
  chunk(chunk: CompletionChunk, frame: string | null): void;
  /**
   * As in CompletionSink, after `begin`: the client gets the event as it is. `text` and `chunk` then
   * only say what it means.
   */
  event?(name: string | undefined, data: string | EventsEnd): void;
  /**
   * The answer arrived whole.
   * @param body the provider's own JSON where it is in the writer's dialect and the client may have
   *   it as it is, else null
   */
  whole(answer: CompletionAnswer, body: Buffer | null): void;
  /**
   * Called after each upstream read. False: the client is slower; wait for `whenDrained`. Absent:
   * nothing is written before the end.
   */
  flush?(): boolean;
  whenDrained?(resume: () => void): void;
}
