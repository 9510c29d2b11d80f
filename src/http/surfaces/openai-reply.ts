import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type CompletionChunk, toOpenAIUsage } from '../../completion.js';
import type { CompletionAnswer } from '../../providers/adapter.js';
import type { Candidate } from '../../routing/plan.js';
import { sendJson } from '../send-json.js';
import { CompletionBuilder } from '../../pipeline/completion-builder.js';
import type { CompletionWriter, FinishedAnswer } from '../../pipeline/completion-call.js';

/**
 * An answer as an OpenAI completion. The body of a provider with this dialect is forwarded
 * unchanged.
 */
export class OpenAIReply implements CompletionWriter {
  readonly streams = false;
  readonly hasBegun = false;
  /** Created only if the answer arrives in chunks. */
  private builder: CompletionBuilder | null = null;
  private answer: CompletionAnswer | null = null;
  private body: Buffer | null = null;

  constructor(private readonly res: ServerResponse) {}

  begin(_candidate: Candidate): void {
    this.builder = null;
    this.answer = null;
    this.body = null;
  }

  text(escaped: string): void {
    (this.builder ??= new CompletionBuilder()).text(escaped);
  }

  chunk(chunk: CompletionChunk): void {
    (this.builder ??= new CompletionBuilder()).chunk(chunk);
  }

  whole(answer: CompletionAnswer, body: Buffer | null): void {
    this.answer = answer;
    this.body = body;
  }

  flush(): boolean {
    return true;
  }

  whenDrained(resume: () => void): void {
    resume();
  }

  /** OpenAI's dialect has no stored conversations. */
  message(): null {
    return null;
  }

  finish(answer: FinishedAnswer): void {
    if (this.body) {
      sendJson(this.res, 200, this.body);
      return;
    }
    const completion =
      this.answer?.completion ??
      (this.builder ?? new CompletionBuilder()).build(answer.finishReason, {
        id: `chatcmpl-${randomUUID()}`,
        model: answer.candidate.model,
      });
    sendJson(this.res, 200, {
      ...completion,
      usage: completion.usage ?? toOpenAIUsage(answer.usage),
    });
  }

  breakOff(): void {
    throw new Error('an answer that is not streamed cannot break off');
  }

  /** Nothing was sent, so the error response can replace the answer. */
  discard(): void {
    // nothing to undo
  }
}
