import type { CompletionChunk } from '../../completion.js';
import type { AnswerWriter } from '../../dispatch/answer-writer.js';
import type { Candidate } from '../../chooser/plan.js';
import { searchToolName } from '../../grounding/tools/web-tools.js';
import type { CompletionAnswer } from '../../providers/adapter.js';
import { textIn } from '../../text/is-object.js';
import { jsonFields, parsedJson } from '../../text/json-values.js';

type Call = Readonly<{ index?: number; function?: { name?: string; arguments?: string } }>;

/** Holds an answer back until it is known whether its model has called a search. */
export class HeldAnswer implements AnswerWriter {
  readonly streams = false;
  readonly dialect = 'chat';
  private readonly calls = new Map<number, { name: string; text: string }>();
  private held: (() => void)[] = [];

  constructor(private readonly writer: AnswerWriter) {}

  /** Whether there is a search to run: a call without a query is none. */
  get hasSearched(): boolean {
    return [...this.calls.values()].some(
      ({ name, text }) =>
        name === searchToolName && textIn(jsonFields(parsedJson(text)).query).trim() !== '',
    );
  }

  begin(candidate: Candidate): void {
    this.calls.clear();
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

  private look(calls: readonly Call[] | null | undefined): void {
    calls?.forEach(({ index, function: called }, place) => {
      const call = this.calls.get(index ?? place) ?? { name: '', text: '' };
      this.calls.set(index ?? place, call);
      call.name ||= called?.name ?? '';
      call.text += called?.arguments ?? '';
    });
  }
}
