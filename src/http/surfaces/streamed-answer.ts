import { byteLine, type CompletionChunk, type SharedDialect } from '../../completion.js';
import { chunksOf } from '../../completion-builder.js';
import type {
  BrokenAnswer,
  CompletionWriter,
  FinishedAnswer,
  Seam,
} from '../../pipeline/completion-call.js';
import type { CompletionAnswer } from '../../providers/adapter.js';
import type { Candidate } from '../../chooser/plan.js';
import { exactJson } from '../../text/exact-json.js';
import type { EventStream } from '../connections/event-stream.js';

/** An answer as server-sent events; a surface says what each event contains. */
export abstract class StreamedAnswer implements CompletionWriter {
  readonly streams = true;
  readonly dialect: SharedDialect = 'chat';
  /**
   * Whether the client gets the provider's own events. What they say is then followed, but not
   * written, so that this writer can go on behind any of them.
   */
  protected isForwarded = false;

  constructor(protected readonly stream: EventStream) {}

  abstract begin(candidate: Candidate): void;
  abstract text(escaped: string, frame: string | null): void;
  abstract chunk(chunk: CompletionChunk, frame: string | null): void;
  abstract finish(answer: FinishedAnswer): void;
  abstract breakOff(broken: BrokenAnswer): void;

  whole(answer: CompletionAnswer): void {
    for (const chunk of chunksOf(answer.completion)) this.chunk(chunk, null);
  }

  seam(seam: Seam): void {
    this.stream.comment(`seam ${byteJson(seam)}`);
  }

  get hasWritten(): boolean {
    return this.stream.hasEvents;
  }

  get hasBegun(): boolean {
    return this.stream.isOpen;
  }

  discard(): void {
    this.stream.discard();
  }

  flush(): boolean {
    return this.stream.flush();
  }

  whenDrained(resume: () => void): void {
    this.stream.whenDrained(resume);
  }
}

/** JSON as a byte string, so that it can be mixed with a provider's frames. */
export const byteJson = (value: unknown): string => byteLine(exactJson(value));
