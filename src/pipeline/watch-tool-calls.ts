import type { CompletionChunk, ToolDefinition } from '../completion.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { Candidate } from '../chooser/plan.js';
import { isBadCall } from '../chooser/learning/signals/tool-calls.js';
import { CompletionBuilder } from './completion-builder.js';
import type { PlannedCompletion } from './completion-call.js';
import type { GatewayRequest } from './request.js';

/** Characters of calls beyond which they are not looked at. */
const maxLength = 262_144;

/**
 * Has the calls in an answer looked at, where tools were offered and the gateway may learn from
 * content; else the same writer. Look at `hasBadCall` when the answer is over.
 */
export function watchToolCalls(
  writer: AnswerWriter,
  { snapshot, record }: GatewayRequest,
  { call }: PlannedCompletion,
): { readonly writer: AnswerWriter; readonly hasBadCall: () => boolean } {
  const { enabled, implicit } = snapshot.routing.learning;
  const { tools } = call.chat;
  const mayLook = enabled && implicit && call.store && record.content?.kind !== 'digest';
  if (!mayLook || !tools?.length) return { writer, hasBadCall: () => false };
  const watching = new WatchingWriter(writer);
  return { writer: watching, hasBadCall: () => watching.hasBadCall(tools) };
}

/** The same writer, but the tool calls of the answer are collected. */
class WatchingWriter implements AnswerWriter {
  readonly streams: boolean;
  private builder: CompletionBuilder | null = null;
  private answer: CompletionAnswer | null = null;
  private length = 0;

  constructor(private readonly inner: AnswerWriter) {
    this.streams = inner.streams;
  }

  begin(candidate: Candidate): void {
    this.builder = this.answer = null;
    this.length = 0;
    this.inner.begin(candidate);
  }

  text(escaped: string, frame: string | null): void {
    this.inner.text(escaped, frame);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    for (const { index, delta } of chunk.choices) {
      const { tool_calls: calls } = delta;
      if (!calls) continue;
      for (const call of calls) this.length += call.function?.arguments?.length ?? 0;
      if (this.length <= maxLength)
        (this.builder ??= new CompletionBuilder()).chunk({
          choices: [{ index, delta: { tool_calls: calls } }],
        });
    }
    this.inner.chunk(chunk, frame);
  }

  whole(answer: CompletionAnswer, body: Buffer | null): void {
    this.answer = answer;
    this.inner.whole(answer, body);
  }

  flush(): boolean {
    return this.inner.flush();
  }

  whenDrained(resume: () => void): void {
    this.inner.whenDrained(resume);
  }

  /** Whether a call of the whole answer cannot be carried out. */
  hasBadCall(tools: readonly ToolDefinition[]): boolean {
    if (this.length > maxLength) return false;
    const completion =
      this.answer?.completion ?? this.builder?.build(null, { id: '', model: '' }) ?? null;
    return (completion?.choices ?? []).some(({ message }) =>
      (message.tool_calls ?? []).some((call) => isBadCall(call, tools)),
    );
  }
}
