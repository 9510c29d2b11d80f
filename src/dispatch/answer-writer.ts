import type { CompletionChunk } from '../completion.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { RankedCandidate } from '../routing/plan.js';

/**
 * Where an answer goes: a surface's stream, or a collector for a reply that is not streamed. Dispatch calls `begin` before
 * anything else of an attempt, and again for the next attempt where nothing has been committed.
 */
export interface AnswerWriter {
  /** True: what is written reaches the client at once, so the first content commits the attempt. False: only the whole answer does. */
  readonly streams: boolean;
  /** An attempt has content; whatever an earlier attempt has left is void. */
  begin(candidate: RankedCandidate): void;
  /** As in CompletionSink. */
  text(escaped: string, frame: string | null): void;
  chunk(chunk: CompletionChunk, frame: string | null): void;
  /** The answer came in one piece. `body` is the provider's own JSON, byte for byte, where it speaks the internal dialect, else null. */
  whole(answer: CompletionAnswer, body: Buffer | null): void;
  /** Called once after each upstream read. False: the client is slower than the provider; wait for `whenDrained`. */
  flush(): boolean;
  whenDrained(resume: () => void): void;
}
