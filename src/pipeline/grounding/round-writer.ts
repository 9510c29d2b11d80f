import {
  type CompletionChunk,
  type CompletionMessage,
  reasoningOf,
  unescapeJson,
  type UrlCitation,
} from '../../completion.js';
import type { AnswerWriter } from '../../dispatch/answer-writer.js';
import type { CompletionAnswer } from '../../providers/adapter.js';
import type { Candidate } from '../../chooser/plan.js';
import { CompletionBuilder } from '../completion-builder.js';
import type { JoinedAnswer } from './joined-answer.js';

/** Checks the text of one round before the client gets it. Offsets in UTF-16 units. */
export interface TextFilter {
  /** @returns what may go to the client now */
  push(text: string): string;
  /** @returns the rest */
  end(): string;
  /** A citation of the provider's own, by offsets in the text that was pushed. */
  annotate(annotation: UrlCitation): void;
  /** What the provider's own search has found or asked. */
  found(part: Readonly<Record<string, unknown>>): void;
}

/**
 * Receives the answer of one model call within a request of several. Text goes on through the
 * filter; calls of tools are kept for whoever runs them. An attempt is committed only once some of
 * its text went to the client: another candidate may repeat anything else.
 */
export class RoundWriter implements AnswerWriter {
  private message = new CompletionBuilder();
  private filter: TextFilter | null = null;
  private candidate: Candidate | null = null;
  private hasForwarded = false;
  private startedAt = 0;

  constructor(
    private readonly out: AnswerWriter,
    private readonly answer: JoinedAnswer,
    private readonly makeFilter: (candidate: Candidate) => TextFilter,
  ) {}

  get streams(): boolean {
    return this.out.streams && this.hasForwarded;
  }

  begin(candidate: Candidate): void {
    this.candidate = candidate;
    this.message = new CompletionBuilder();
    this.filter = this.makeFilter(candidate);
    this.hasForwarded = false;
    this.startedAt = this.answer.nextStart;
  }

  text(escaped: string): void {
    this.message.text(escaped);
    this.forward(unescapeJson(escaped));
  }

  chunk(chunk: CompletionChunk): void {
    const { filter, candidate } = this;
    if (!filter || !candidate) return;
    filter.found(chunk);
    const choices = chunk.choices.filter(({ index }) => index === 0);
    this.message.chunk({ ...chunk, choices });
    for (const { delta } of choices) {
      const reasoning = reasoningOf(delta);
      if (reasoning) this.note(this.answer.reason(reasoning, candidate));
      if (delta.refusal) this.note(this.answer.refuse(delta.refusal, candidate));
      if (delta.content) this.forward(delta.content);
      filter.found(delta);
      for (const annotation of delta.annotations ?? []) filter.annotate(annotation);
    }
  }

  whole({ completion }: CompletionAnswer): void {
    const { usage: _usage, choices, ...rest } = completion;
    const [choice] = choices;
    if (!choice) return;
    const { tool_calls: calls, ...delta } = choice.message;
    const toolCalls = calls?.map((call, index) => ({ ...call, index }));
    this.chunk({
      ...rest,
      choices: [{ index: 0, delta: { ...delta, ...(toolCalls ? { tool_calls: toolCalls } : {}) } }],
    });
  }

  flush(): boolean {
    return this.out.flush();
  }

  whenDrained(resume: () => void): void {
    this.out.whenDrained(resume);
  }

  /**
   * Ends the round once its model call has succeeded: what was held back goes on.
   * @returns the model's own message, and where its text begins in the answer
   */
  end(finishReason: string | null): { message: CompletionMessage; startedAt: number } {
    const { filter, candidate, startedAt } = this;
    if (filter && candidate) {
      this.note(this.answer.add(filter.end(), candidate));
      this.out.flush();
    }
    const { choices } = this.message.build(finishReason, { id: '', model: '' });
    return { message: choices[0]!.message, startedAt };
  }

  private forward(text: string): void {
    if (!this.filter || !this.candidate) return;
    this.note(this.answer.add(this.filter.push(text), this.candidate));
  }

  private note(hasGone: boolean): void {
    this.hasForwarded ||= hasGone;
  }
}
