import {
  byteLine,
  type CompletionChunk,
  escapeJson,
  reasoningOf,
  unescapeJson,
} from '../../completion.js';
import type { AnsweredMessage } from '../../conversations/answered-message.js';
import type { JoinedConversation } from '../../conversations/keeper.js';
import { statusTitle } from '../../errors.js';
import type { Candidate } from '../../chooser/plan.js';
import type { EventStream } from '../connections/event-stream.js';
import { type AnsweredCalls, callsOf, NativeEnvelope, nativeUsage } from './native-envelope.js';
import { byteJson, StreamedAnswer } from './streamed-answer.js';
import { CompletionBuilder } from '../../completion-builder.js';
import type {
  GroundingProgress,
  AnswerGrounding,
} from '../../pipeline/grounding/grounding-call.js';
import type { BrokenAnswer, FinishedAnswer, Seam } from '../../pipeline/completion-call.js';
import type { AnsweredCall } from './surface.js';

/**
 * In characters. A longer answer is sent to the client but not stored: no request could contain it.
 * Nor is one for which there is no memory beside the other requests in progress.
 */
const maxStoredLength = 32 * 1024 * 1024;

/**
 * A native answer as server-sent events. A text chunk is a constant envelope with the provider's
 * escaped text in two places.
 */
export class NativeStream extends StreamedAnswer {
  private readonly envelope: NativeEnvelope;
  private names: object;
  private head = '';
  /** What is to be sent before anything else; null: it was sent, or not asked for. */
  private plan: object | null;
  /**
   * Whether the answer is stored; then its text is collected as a byte string, and its reasoning.
   */
  private keeps: boolean;
  private keptText = '';
  private keptReasoning = '';
  private static readonly middle =
    '","message":{"role":"assistant","type":"text","content":[{"type":"text","text":"';
  private static readonly tail = '"}]}}';

  private readonly seams: Seam[] = [];
  private readonly hold: (bytes: number) => boolean;
  /**
   * Calls that the client has to run, with opaque reasoning; created only if there is any of it.
   */
  private calls: CompletionBuilder | null = null;
  private built: AnsweredCalls | null = null;

  constructor(
    { res, request, call, hold }: AnsweredCall,
    stream: EventStream,
    conversation: JoinedConversation,
  ) {
    super(stream);
    this.envelope = new NativeEnvelope(res, conversation, request, call);
    this.keeps = conversation.stores;
    this.hold = hold;
    const [expected] = request.plan?.candidates ?? [];
    this.names = expected ? this.envelope.names(expected) : {};
    this.plan = this.envelope.decision;
  }

  /** Known clients pass over chunks whose text is empty. */
  progress(progress: GroundingProgress): void {
    // each of its sources was told by itself
    if (progress.type === 'found') return;
    if (this.plan) this.sendPlan(this.plan);
    this.mark(progress);
    this.stream.flush();
  }

  grounded(grounding: AnswerGrounding): void {
    this.envelope.ground(grounding);
  }

  begin(candidate: Candidate): void {
    // what an attempt left behind that wrote nothing
    this.calls = this.built = null;
    this.envelope.dropSources();
    this.rename(candidate);
  }

  private rename(candidate: Seam['to']): void {
    this.names = this.envelope.names(candidate);
    this.head = `${byteJson(this.names).slice(0, -1)},"type":"text","text":"`;
  }

  override seam(seam: Seam): void {
    this.seams.push(seam);
    this.rename(seam.to);
    this.mark({ type: 'seam', seam });
  }

  text(escaped: string): void {
    if (this.plan) this.sendPlan(this.plan);
    this.stream.data(this.head + escaped + NativeStream.middle + escaped + NativeStream.tail);
    if (this.keeps) this.keep(escaped, '');
  }

  chunk(chunk: CompletionChunk): void {
    this.envelope.collectSources(chunk);
    for (const { index, delta } of chunk.choices) {
      if (delta.tool_calls || delta.reasoning_details)
        (this.calls ??= new CompletionBuilder()).chunk({ choices: [{ index, delta }] });
      // the native dialect has one answer; a second choice is never requested
      if (index !== 0) continue;
      const reasoning = reasoningOf(delta);
      if (reasoning) this.reasoning(reasoning);
      const text = delta.content || delta.refusal;
      if (text) this.text(escapeJson(text));
    }
  }

  message(): AnsweredMessage | null {
    return this.keeps
      ? {
          text: unescapeJson(this.keptText),
          reasoning: this.keptReasoning,
          ...this.envelope.cited(),
          seams: this.seams,
          toolCalls: this.toolCalls().toolCalls,
        }
      : null;
  }

  finish(answer: FinishedAnswer): void {
    if (this.plan) this.sendPlan(this.plan);
    this.stream.data(
      byteJson(
        Object.assign(
          this.envelope.names(answer.candidate),
          { type: 'text', text: '', message: this.envelope.message('', '', this.toolCalls()) },
          this.envelope.closing(answer),
        ),
      ),
    );
    this.stream.data('[DONE]');
    this.stream.end();
  }

  breakOff({ error, requestId, usage, costs }: BrokenAnswer): void {
    this.stream.event(
      'error',
      byteJson({
        error: statusTitle(error.status),
        message: error.message,
        requestId,
        retriable: error.retriable,
        usage: usage && costs ? nativeUsage(usage, costs) : null,
        ...(error.errorTrace.length > 0 ? { errorTrace: error.errorTrace } : {}),
      }),
    );
    this.stream.data(`[Error] ${byteLine(error.message)}`);
    this.stream.end();
  }

  private sendPlan(decision: object): void {
    this.plan = null;
    this.mark({ type: 'plan', decision });
  }

  /** A chunk without text. */
  private mark(fields: { readonly type: string; readonly [field: string]: unknown }): void {
    const message = { role: 'assistant', type: fields.type, content: [] };
    this.stream.data(byteJson({ ...this.names, text: '', message, ...fields }));
  }

  private toolCalls(): AnsweredCalls {
    const built = this.calls?.build('tool_calls', { id: '', model: '' });
    return (this.built ??= callsOf(built?.choices[0]?.message));
  }

  private reasoning(text: string): void {
    if (this.plan) this.sendPlan(this.plan);
    const fragment = { role: 'assistant', type: 'reasoning', content: [{ type: 'text', text }] };
    this.stream.data(byteJson({ ...this.names, type: 'reasoning', text, message: fragment }));
    if (this.keeps) this.keep('', text);
  }

  private keep(escaped: string, reasoning: string): void {
    this.keptText += escaped;
    this.keptReasoning += reasoning;
    const isTooLong = this.keptText.length + this.keptReasoning.length > maxStoredLength;
    if (!isTooLong && this.hold(escaped.length + reasoning.length)) return;
    this.keeps = false;
    this.keptText = this.keptReasoning = '';
  }
}
