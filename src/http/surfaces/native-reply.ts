import type { ServerResponse } from 'node:http';
import { type CompletionChunk, reasoningOf } from '../../completion.js';
import type { AnsweredMessage } from '../../conversations/answered-message.js';
import type { JoinedConversation } from '../../conversations/keeper.js';
import type { FinishedAnswer } from '../../pipeline/completion-call.js';
import type { AnswerGrounding } from '../../pipeline/grounding/grounding-call.js';
import { WholeAnswer } from '../../pipeline/whole-answer.js';
import type { Candidate } from '../../chooser/plan.js';
import { sendJson } from '../send-json.js';
import { type AnsweredCalls, callsOf, NativeEnvelope } from './native-envelope.js';
import type { AnsweredCall } from './surface.js';

/** A native answer as one JSON object, even if the provider streams it. */
export class NativeReply extends WholeAnswer {
  private readonly envelope: NativeEnvelope;
  private built: AnsweredMessage | null = null;
  private calls: AnsweredCalls = callsOf(undefined);
  private readonly res: ServerResponse;

  constructor({ res, request, call }: AnsweredCall, conversation: JoinedConversation) {
    super();
    this.res = res;
    this.envelope = new NativeEnvelope(res, conversation, request, call);
  }

  override begin(candidate: Candidate): void {
    super.begin(candidate);
    this.envelope.dropSources();
  }

  override chunk(chunk: CompletionChunk): void {
    this.envelope.collectSources(chunk);
    super.chunk(chunk);
  }

  grounded(grounding: AnswerGrounding): void {
    this.envelope.ground(grounding);
  }

  message(finishReason: string | null): AnsweredMessage {
    return (this.built ??= this.build(finishReason));
  }

  finish(answer: FinishedAnswer): void {
    const { text, reasoning } = this.message(answer.finishReason);
    const { envelope } = this;
    const body = Object.assign(
      envelope.names(answer.candidate),
      { message: envelope.message(text, reasoning, this.calls) },
      envelope.closing(answer),
    );
    sendJson(this.res, 200, body);
    this.release();
    this.built = null;
  }

  private build(finishReason: string | null): AnsweredMessage {
    const { envelope } = this;
    const { choices } = this.collected(finishReason, envelope.responseMessageId, '');
    const message = choices[0]?.message;
    if (this.answer) {
      const delta = { search_results: message?.search_results };
      // pages first, as they stream: texts number them in that order
      envelope.collectSources({ ...this.answer.completion, choices: [{ index: 0, delta }] });
      envelope.cite(message?.annotations);
    }
    this.calls = callsOf(message);
    return {
      text: message?.content || message?.refusal || '',
      reasoning: (message && reasoningOf(message)) ?? '',
      ...envelope.cited(),
      toolCalls: this.calls.toolCalls,
    };
  }
}
