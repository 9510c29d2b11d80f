import { type CompletionChunk, unescapeJson } from '../completion.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { AnswerWriter } from './answer-writer.js';

/** Collects the text of an answer, and hands it on while it streams. */
export class CollectedText implements AnswerWriter {
  readonly dialect = 'chat';
  /** What the last attempt wrote. */
  written = '';
  private hasForwarded = false;

  /** @param onText receives the text while it arrives; null: it is read at the end */
  constructor(private readonly onText: ((delta: string) => void) | null = null) {}

  /** An attempt whose text was handed on cannot be repeated. */
  get streams(): boolean {
    return this.hasForwarded;
  }

  begin(): void {
    this.written = '';
  }

  text(escaped: string): void {
    this.add(unescapeJson(escaped));
  }

  chunk({ choices }: CompletionChunk): void {
    for (const { index, delta } of choices)
      if (index === 0 && delta.content) this.add(delta.content);
  }

  whole({ completion }: CompletionAnswer): void {
    this.add(completion.choices[0]?.message.content ?? '');
  }

  private add(text: string): void {
    if (text === '') return;
    this.written += text;
    if (!this.onText) return;
    this.hasForwarded = true;
    this.onText(text);
  }
}
