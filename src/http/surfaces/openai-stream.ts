import { randomUUID } from 'node:crypto';
import { type CompletionChunk, toOpenAIUsage } from '../../completion.js';
import type { Candidate } from '../../chooser/plan.js';
import type { EventStream } from '../connections/event-stream.js';
import { withCompleteCitations } from '../../completion-builder.js';
import { openAIErrorBody } from './openai-error.js';
import { byteJson, StreamedAnswer } from './streamed-answer.js';
import type { BrokenAnswer, FinishedAnswer } from '../../pipeline/completion-call.js';

/**
 * An answer as OpenAI's chunks. The frames of a provider with this dialect are forwarded unchanged.
 */
export class OpenAIStream extends StreamedAnswer {
  protected envelope: { id: string; object: string; created: number; model: string } | null = null;
  protected head = '';
  private roleSent = false;
  protected finishSent = false;
  private usageSent = false;

  constructor(
    stream: EventStream,
    private readonly includeUsage: boolean,
  ) {
    super(stream);
  }

  begin(candidate: Candidate): void {
    this.envelope = {
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1000),
      model: candidate.model,
    };
    this.head = '';
  }

  text(escaped: string, frame: string | null): void {
    if (frame !== null) {
      if (!this.roleSent && !frame.includes('"role"')) this.sendRole();
      this.roleSent = true;
      this.stream.data(frame);
      return;
    }
    this.sendRole();
    this.head ||= `${byteJson(this.envelope).slice(0, -1)},"choices":[{"index":0,"delta":{"content":"`;
    this.stream.data(`${this.head}${escaped}"},"finish_reason":null}]}`);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    this.adopt(chunk);
    if (chunk.usage && chunk.choices.length === 0) {
      if (!this.includeUsage) return;
      this.usageSent = true;
    }
    for (const choice of chunk.choices) {
      if (choice.delta.role) this.roleSent = true;
      if (choice.finish_reason) this.finishSent = true;
    }
    // clients refuse an answer without a role
    if (chunk.choices.length > 0) this.sendRole();
    if (frame !== null) this.stream.data(frame);
    else {
      // strict clients expect the field even before there is a reason
      const choices = chunk.choices.map((choice) => ({
        ...choice,
        delta: withCompleteCitations(choice.delta),
        finish_reason: choice.finish_reason ?? null,
      }));
      this.stream.data(byteJson({ ...chunk, ...this.envelope, choices }));
    }
  }

  finish({ finishReason, usage }: FinishedAnswer): void {
    if (!this.finishSent) this.send({ choices: [this.lastChoice(finishReason ?? 'stop')] });
    if (this.includeUsage && !this.usageSent)
      this.send({ choices: [], usage: toOpenAIUsage(usage) });
    this.stream.data('[DONE]');
    this.stream.end();
  }

  /** OpenAI's clients raise an error for a frame with `error`; `[DONE]` must not follow. */
  breakOff({ error }: BrokenAnswer): void {
    this.stream.data(byteJson(openAIErrorBody(error)));
    this.stream.end();
  }

  /** Takes id, time and model of the first chunk, so that all chunks of an answer have the same. */
  private adopt({ id, created, model }: CompletionChunk): void {
    if (this.roleSent || !this.envelope) return;
    if (id) this.envelope.id = id;
    if (created) this.envelope.created = created;
    if (model) this.envelope.model = model;
  }

  private sendRole(): void {
    if (this.roleSent) return;
    this.roleSent = true;
    this.send({
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
    });
  }

  protected send(rest: object): void {
    this.stream.data(byteJson({ ...this.envelope, ...rest }));
  }

  /** One that says no more than why the answer ends. */
  protected lastChoice(finish_reason: string): object {
    return { index: 0, delta: {}, finish_reason };
  }
}
