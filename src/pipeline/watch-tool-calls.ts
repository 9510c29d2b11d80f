import type { CompletionChunk, ToolDefinition } from '../completion.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import { isBadCall } from '../chooser/learning/signals/tool-calls.js';
import type { AnswerTap } from './answer-taps.js';
import { CompletionBuilder } from './completion-builder.js';
import type { PlannedCompletion } from './completion-call.js';
import type { GatewayRequest } from './request.js';

/** Characters of calls beyond which they are not looked at. */
const maxLength = 262_144;

/**
 * Has the calls in an answer looked at, where tools were offered and the gateway may learn from
 * content; else null.
 */
export function watchToolCalls(
  { snapshot, record }: GatewayRequest,
  { call }: PlannedCompletion,
): ToolCallTap | null {
  const { enabled, implicit } = snapshot.routing.learning;
  const { tools } = call.chat;
  const mayLook = enabled && implicit && call.store && record.content?.kind !== 'digest';
  return mayLook && tools?.length ? new ToolCallTap(tools) : null;
}

/** Collects the tool calls of an answer. */
class ToolCallTap implements AnswerTap {
  private builder: CompletionBuilder | null = null;
  private answer: CompletionAnswer | null = null;
  private length = 0;

  constructor(private readonly tools: readonly ToolDefinition[]) {}

  begin(): void {
    this.builder = this.answer = null;
    this.length = 0;
  }

  chunk(chunk: CompletionChunk): void {
    for (const { index, delta } of chunk.choices) {
      const { tool_calls: calls } = delta;
      if (!calls) continue;
      for (const call of calls) this.length += call.function?.arguments?.length ?? 0;
      if (this.length <= maxLength)
        (this.builder ??= new CompletionBuilder()).chunk({
          choices: [{ index, delta: { tool_calls: calls } }],
        });
    }
  }

  whole(answer: CompletionAnswer): void {
    this.answer = answer;
  }

  /** Whether a call of the whole answer cannot be carried out. */
  hasBadCall(): boolean {
    if (this.length > maxLength) return false;
    const completion =
      this.answer?.completion ?? this.builder?.build(null, { id: '', model: '' }) ?? null;
    return (completion?.choices ?? []).some(({ message }) =>
      (message.tool_calls ?? []).some((call) => isBadCall(call, this.tools)),
    );
  }
}
