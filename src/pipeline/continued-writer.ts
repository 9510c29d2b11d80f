import {
  type ChunkDelta,
  type CompletionChunk,
  escapeJson,
  reasoningOf,
  unescapeJson,
} from '../completion.js';
import type { Candidate } from '../chooser/plan.js';
import { chunksOf } from '../completion-builder.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { TextSeam } from '../text/text-seam.js';
import { TappedWriter } from './answer-taps.js';
import type { Seam } from './completion-call.js';

/** The longest text that can be continued: no request could contain more. */
const maxLength = 16 * 1024 * 1024;

/**
 * Writes an answer of several calls, each of which continues where the last one broke, and keeps
 * its text. Omits the reasoning of later calls, which is about the rest of the answer only.
 */
export class ContinuedWriter extends TappedWriter {
  /** The text of all calls (byte string). */
  private escaped = '';
  /** The current call reasons; it has ended or has more than text; its text reached the client. */
  private isReasoning = false;
  private isClosed = false;
  private hasGone = false;
  private candidate: Candidate | null = null;
  /** Where the last call broke; null: the current call is the first. */
  private last: { from: Candidate; code: Seam['code']; text: string } | null = null;
  private joint: TextSeam | null = null;

  /**
   * @param seamAfter joins what a candidate continues to the text of the earlier calls
   * @param mark called before the first text after a seam
   */
  constructor(
    writer: AnswerWriter,
    private readonly seamAfter: (text: string, candidate: Candidate) => TextSeam,
    private readonly mark: (seam: Seam) => void,
  ) {
    super(writer, []);
  }

  override get hasWritten(): boolean {
    return this.last ? this.hasGone : super.hasWritten;
  }

  /** Whether another model could continue: there is text, and no reasoning or tool call is open. */
  get canGoOn(): boolean {
    if (this.isReasoning || this.isClosed || this.escaped.length > maxLength) return false;
    return unescapeJson(this.escaped).trim() !== '';
  }

  /** The current call has broken off. @returns the text so far */
  breakOff(from: Candidate, code: Seam['code']): string {
    this.last = { from, code, text: unescapeJson(this.escaped) };
    this.hasGone = false;
    return this.last.text;
  }

  override begin(candidate: Candidate): void {
    this.candidate = candidate;
    this.isReasoning = this.isClosed = this.hasGone = false;
    this.joint = this.last && this.seamAfter(this.last.text, candidate);
    if (this.joint) return;
    this.escaped = '';
    super.begin(candidate);
  }

  override text(escaped: string): void {
    this.isReasoning = false;
    if (this.joint) this.write(this.joint.push(unescapeJson(escaped)));
    else {
      this.keep(escaped);
      super.text(escaped, null);
    }
  }

  override chunk(chunk: CompletionChunk): void {
    for (const { index, delta, finish_reason: reason } of chunk.choices) {
      if (index !== 0) continue;
      const { content, reasoning_content: _text, reasoning: _same, role: _role, ...others } = delta;
      // offsets of citations count from the call's own text, not from the whole answer's
      const { reasoning_details: _details, annotations: _places, ...rest } = others;
      if (reasoningOf(delta)) this.isReasoning = !this.joint;
      if (content) this.isReasoning = false;
      const { tool_calls: calls, refusal, audio, images, function_call: call } = rest;
      if (reason || calls?.length || refusal || audio || images || call) this.isClosed = true;
      if (this.joint) this.goOn(content ?? '', rest, this.joint);
      else this.keep(escapeJson(content ?? ''));
    }
    if (!this.joint) super.chunk(chunk, null);
  }

  override whole(answer: CompletionAnswer): void {
    for (const chunk of chunksOf(answer.completion)) this.chunk(chunk);
  }

  override event(): void {
    // another model's events could not follow
  }

  /** The answer is complete: writes the text that was held back. */
  end(): void {
    if (!this.joint) return;
    this.write(this.joint.end());
    this.markSeam();
  }

  private goOn(text: string, others: ChunkDelta, joint: TextSeam): void {
    this.write(joint.push(text));
    if (Object.values(others).every((value) => !value)) return;
    this.write(joint.end());
    this.markSeam();
    super.chunk({ choices: [{ index: 0, delta: others }] }, null);
  }

  private write(text: string): void {
    if (text === '') return;
    this.markSeam();
    this.keep(escapeJson(text));
    super.text(escapeJson(text), null);
  }

  private keep(escaped: string): void {
    if (this.escaped.length <= maxLength) this.escaped += escaped;
  }

  private markSeam(): void {
    if (this.hasGone || !this.last || !this.candidate) return;
    this.hasGone = true;
    const { text, from, code } = this.last;
    this.mark({ from: named(from), to: named(this.candidate), code, at: text.length });
  }
}

const named = ({ provider, model }: Candidate): Seam['from'] => ({ provider, model });
