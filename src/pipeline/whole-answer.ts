import { randomUUID } from 'node:crypto';
import {
  type Completion,
  type CompletionChunk,
  pausedTurn,
  type SharedDialect,
  toOpenAIUsage,
} from '../completion.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { Candidate } from '../chooser/plan.js';
import { CompletionBuilder } from '../completion-builder.js';
import type { CompletionWriter, FinishedAnswer } from './completion-call.js';

/**
 * Collects an answer that is given as a whole, even if the provider streams it. Nothing reaches the
 * client before `finish`, so an error can replace the answer at any time.
 */
export abstract class WholeAnswer implements CompletionWriter {
  readonly streams = false;
  readonly dialect: SharedDialect = 'chat';
  readonly hasBegun = false;
  /** The provider's answer, if it came as a whole. */
  protected answer: CompletionAnswer | null = null;
  /** Its bytes, where the client may have them as they are. */
  protected body: Buffer | null = null;
  /** Created only if the answer comes in chunks. */
  private builder: CompletionBuilder | null = null;

  abstract finish(answer: FinishedAnswer): void;

  begin(_candidate: Candidate): void {
    this.release();
  }

  text(escaped: string): void {
    (this.builder ??= new CompletionBuilder()).text(escaped);
  }

  chunk(chunk: CompletionChunk): void {
    (this.builder ??= new CompletionBuilder()).chunk(chunk);
  }

  whole(answer: CompletionAnswer, body: Buffer | null): void {
    for (const choice of answer.completion.choices)
      // a finish reason that only the gateway knows
      if (choice.finish_reason === pausedTurn) choice.finish_reason = 'stop';
    this.answer = answer;
    this.body = body;
  }

  breakOff(): void {
    throw new Error('an answer that is not streamed cannot break off');
  }

  /** Frees what was collected: once it is written, a slow client would keep it in memory twice. */
  protected release(): void {
    this.builder = null;
    this.answer = this.body = null;
  }

  /** What was collected, as a completion without guarantees for its usage. */
  protected collected(finishReason: string | null, id: string, model: string): Completion {
    return (
      this.answer?.completion ??
      (this.builder ?? new CompletionBuilder()).build(finishReason, { id, model })
    );
  }

  protected completion({ finishReason, candidate, usage }: FinishedAnswer): Completion {
    const completion = this.collected(finishReason, `chatcmpl-${randomUUID()}`, candidate.model);
    return completion.usage ? completion : { ...completion, usage: toOpenAIUsage(usage) };
  }
}
