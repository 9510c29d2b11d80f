import type { CompletionChunk } from '../completion.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { AnswerCopy } from '../telemetry/requests/kept-content.js';
import type { Candidate } from '../chooser/plan.js';
import { keepDigest, keepText } from '../telemetry/requests/kept-content.js';
import type { PlannedCompletion } from './completion-call.js';
import { CompletionBuilder } from './completion-builder.js';
import type { GatewayRequest } from './request.js';

/** Characters of an answer beyond which nothing more is copied. */
const maxCopied = 1_048_576;

/**
 * Has messages and answer kept for the request log where the configuration asks for content. Not
 * where the request says `store: false`, or asks for a hash of its content, as it may have when its
 * model was chosen.
 */
export function copyContent(
  writer: AnswerWriter,
  { record, snapshot: { requestLog } }: GatewayRequest,
  { call }: PlannedCompletion,
): AnswerWriter {
  if (requestLog.enabled && call.hashContent) record.content = keepDigest(call.sentMessages);
  if (!requestLog.enabled || !requestLog.content || record.content?.kind === 'digest')
    return writer;
  if (!call.store) {
    record.content = null;
    return writer;
  }
  const copy = new CopiedAnswer();
  record.content = keepText(call.chat.messages, copy);
  return new CopyingWriter(writer, copy);
}

/**
 * An answer as it went to a client, for a request log that keeps content. Holds neither the
 * response nor its connection.
 */
class CopiedAnswer implements AnswerCopy {
  private builder = new CompletionBuilder();
  private answer: CompletionAnswer | null = null;
  private length = 0;

  get size(): number {
    return this.length;
  }

  /** What an attempt that failed has left is dropped. */
  begin(): void {
    this.builder = new CompletionBuilder();
    this.answer = null;
    this.length = 0;
  }

  text(escaped: string): void {
    if ((this.length += escaped.length) <= maxCopied) this.builder.text(escaped);
  }

  chunk(chunk: CompletionChunk): void {
    if ((this.length += lengthOf(chunk)) <= maxCopied) this.builder.chunk(chunk);
  }

  whole(answer: CompletionAnswer, size: number): void {
    this.answer = answer;
    this.length += size;
  }

  /** The messages of the answer, as far as it came. */
  read(): unknown {
    const { choices } = this.answer?.completion ?? this.builder.build(null, { id: '', model: '' });
    return choices.map(({ message }) => message);
  }
}

/** The same writer, but what it is given is copied as well. */
class CopyingWriter implements AnswerWriter {
  readonly streams: boolean;

  constructor(
    private readonly inner: AnswerWriter,
    private readonly copy: CopiedAnswer,
  ) {
    this.streams = inner.streams;
  }

  begin(candidate: Candidate): void {
    this.copy.begin();
    this.inner.begin(candidate);
  }

  text(escaped: string, frame: string | null): void {
    this.copy.text(escaped);
    this.inner.text(escaped, frame);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    this.copy.chunk(chunk);
    this.inner.chunk(chunk, frame);
  }

  whole(answer: CompletionAnswer, body: Buffer | null): void {
    this.copy.whole(answer, body?.length ?? 0);
    this.inner.whole(answer, body);
  }

  flush(): boolean {
    return this.inner.flush();
  }

  whenDrained(resume: () => void): void {
    this.inner.whenDrained(resume);
  }
}

/** Of the parts that grow without bound. */
function lengthOf({ choices }: CompletionChunk): number {
  let length = 0;
  for (const { delta } of choices) {
    length += (delta.content?.length ?? 0) + (delta.reasoning_content?.length ?? 0);
    for (const call of delta.tool_calls ?? []) length += call.function?.arguments?.length ?? 0;
  }
  return length;
}
