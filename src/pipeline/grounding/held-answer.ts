import type { CompletionChunk } from '../../completion.js';
import type { AnswerWriter } from '../../dispatch/answer-writer.js';
import type { Candidate } from '../../chooser/plan.js';
import { searchToolName } from '../../grounding/tools/web-tools.js';
import type { CompletionAnswer } from '../../providers/adapter.js';

/** Holds an answer back until it is known whether its model has called a search. */
export class HeldAnswer implements AnswerWriter {
  readonly streams = false;
  readonly dialect = 'chat';
  hasSearched = false;
  private held: (() => void)[] = [];

  constructor(private readonly writer: AnswerWriter) {}

  begin(candidate: Candidate): void {
    this.hasSearched = false;
    this.held = [() => this.writer.begin(candidate)];
  }

  text(escaped: string): void {
    this.held.push(() => this.writer.text(escaped, null));
  }

  chunk(chunk: CompletionChunk): void {
    for (const { delta } of chunk.choices) this.look(delta.tool_calls);
    this.held.push(() => this.writer.chunk(chunk, null));
  }

  whole(answer: CompletionAnswer): void {
    this.look(answer.completion.choices[0]?.message.tool_calls);
    this.held.push(() => this.writer.whole(answer, null));
  }

  release(): void {
    for (const write of this.held) write();
    this.writer.flush?.();
  }

  private look(calls: readonly { function?: { name?: string } }[] | null | undefined): void {
    this.hasSearched ||= calls?.some((call) => call.function?.name === searchToolName) ?? false;
  }
}
