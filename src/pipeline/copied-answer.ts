import type { CompletionChunk } from '../completion.js';
import { CompletionBuilder } from '../completion-builder.js';
import { addedLength } from '../dispatch/commit-gate.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import { type AnswerCopy, keepDigest, keepText } from '../telemetry/requests/kept-content.js';
import type { AnswerTap } from './answer-taps.js';
import type { PlannedCompletion } from './completion-call.js';
import type { GatewayRequest } from './request.js';

/** How many characters of an answer are copied. */
const maxCopied = 1_048_576;

/**
 * Keeps messages and answer for the request log where the configuration asks for content. Not where
 * the request says `store: false` or asks for a hash of its content; model selection may have asked
 * for that hash before.
 * @returns the tap that copies the answer; null: it is not kept
 */
export function copyContent(
  { record, snapshot: { requestLog } }: GatewayRequest,
  { call }: PlannedCompletion,
): AnswerTap | null {
  if (requestLog.enabled && call.hashContent) record.content = keepDigest(call.sentMessages);
  if (!requestLog.enabled || !requestLog.content || record.content?.kind === 'digest') return null;
  if (!call.store) {
    record.content = null;
    return null;
  }
  const copy = new CopiedAnswer();
  record.content = keepText(call.chat.messages, copy);
  return copy;
}

/** A copy of an answer for the request log. Holds neither the response nor its connection. */
class CopiedAnswer implements AnswerCopy, AnswerTap {
  private builder = new CompletionBuilder();
  private answer: CompletionAnswer | null = null;
  private length = 0;

  get size(): number {
    return this.length;
  }

  /** Drops what a failed attempt left. */
  begin(): void {
    this.builder = new CompletionBuilder();
    this.answer = null;
    this.length = 0;
  }

  text(escaped: string): void {
    if ((this.length += escaped.length) <= maxCopied) this.builder.text(escaped);
  }

  chunk(chunk: CompletionChunk): void {
    if ((this.length += addedLength(chunk)) <= maxCopied) this.builder.chunk(chunk);
  }

  whole(answer: CompletionAnswer, body: Buffer | null): void {
    this.answer = answer;
    this.length += body?.length ?? 0;
  }

  /** The messages of the answer, as far as it came. */
  read(): unknown {
    const { choices } = this.answer?.completion ?? this.builder.build(null, { id: '', model: '' });
    return choices.map(({ message }) => message);
  }
}
