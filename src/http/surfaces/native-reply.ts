import type { ServerResponse } from 'node:http';
import { type CompletionChunk, reasoningOf } from '../../completion.js';
import type { AnsweredMessage } from '../../conversations/answered-message.js';
import type { JoinedConversation } from '../../conversations/keeper.js';
import type { CompletionAnswer } from '../../providers/adapter.js';
import type { Candidate } from '../../routing/plan.js';
import { sendJson } from '../send-json.js';
import { CompletionBuilder } from '../../pipeline/completion-builder.js';
import { NativeEnvelope } from './native-envelope.js';
import type { CompletionWriter, FinishedAnswer } from '../../pipeline/completion-call.js';

/** A native answer as one JSON object, even if the provider streams it. */
export class NativeReply implements CompletionWriter {
  readonly streams = false;
  readonly hasBegun = false;
  private readonly envelope: NativeEnvelope;
  private builder = new CompletionBuilder();
  private answer: CompletionAnswer | null = null;
  private built: AnsweredMessage | null = null;

  constructor(
    private readonly res: ServerResponse,
    conversation: JoinedConversation,
  ) {
    this.envelope = new NativeEnvelope(res, conversation);
  }

  begin(_candidate: Candidate): void {
    this.builder = new CompletionBuilder();
    this.answer = null;
    this.envelope.dropSources();
  }

  text(escaped: string): void {
    this.builder.text(escaped);
  }

  chunk(chunk: CompletionChunk): void {
    this.envelope.collectSources(chunk);
    this.builder.chunk(chunk);
  }

  whole(answer: CompletionAnswer): void {
    this.answer = answer;
  }

  flush(): boolean {
    return true;
  }

  whenDrained(resume: () => void): void {
    resume();
  }

  message(finishReason: string | null): AnsweredMessage {
    return (this.built ??= this.build(finishReason));
  }

  finish(answer: FinishedAnswer): void {
    const { text, reasoning } = this.message(answer.finishReason);
    sendJson(this.res, 200, {
      ...this.envelope.names(answer.candidate),
      message: this.envelope.message(text, reasoning),
      ...this.envelope.closing(answer),
    });
  }

  breakOff(): void {
    throw new Error('an answer that is not streamed cannot break off');
  }

  /** Nothing was sent, so the error response can replace the answer. */
  discard(): void {
    // nothing to undo
  }

  private build(finishReason: string | null): AnsweredMessage {
    const { envelope } = this;
    const completion =
      this.answer?.completion ??
      this.builder.build(finishReason, { id: envelope.responseMessageId, model: '' });
    const message = completion.choices[0]?.message;
    envelope.cite(this.answer ? message?.annotations : null);
    if (this.answer) envelope.collectSources({ ...this.answer.completion, choices: [] });
    return {
      text: message?.content || message?.refusal || '',
      reasoning: (message && reasoningOf(message)) ?? '',
      sources: envelope.cited(),
    };
  }
}
