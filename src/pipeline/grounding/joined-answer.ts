import { escapeJson, toOpenAIUsage, type ToolCall, type UrlCitation } from '../../completion.js';
import type { AnswerWriter } from '../../dispatch/answer-writer.js';
import type { Candidate } from '../../chooser/plan.js';
import type { FinishedAnswer } from '../completion-call.js';

/** What ends an answer beside its text. */
export interface AnswerEnd {
  /** Calls of the client's own tools. */
  readonly toolCalls: readonly ToolCall[];
  readonly annotations: readonly UrlCitation[];
  /** Opaque blocks that the client has to send back with the calls. */
  readonly reasoningDetails: readonly unknown[];
}

/**
 * The answer of all rounds, as it goes to the client: text that is streamed cannot be taken back,
 * text that is not is collected until the answer is whole.
 */
export class JoinedAnswer {
  /** Characters that have come, of all rounds. */
  length = 0;
  /** `performance.now()` of the first text or reasoning; null: none has come. */
  firstAt: number | null = null;
  private text = '';
  private reasoningText = '';
  private refusalText = '';
  private hasBegun = false;
  /** Whether what comes next is of a later round than what has come. */
  private isBroken = false;

  constructor(private readonly out: AnswerWriter) {}

  get streams(): boolean {
    return this.out.streams;
  }

  /** Adds final text. @returns whether it went to the client at once */
  add(text: string, candidate: Candidate): boolean {
    if (text === '') return false;
    this.firstAt ??= performance.now();
    const whole = this.isBroken && this.length > 0 ? this.separated(text) : text;
    this.isBroken = false;
    this.length += whole.length;
    if (!this.out.streams) {
      this.text += whole;
      return false;
    }
    this.begin(candidate);
    this.out.text(escapeJson(whole), null);
    return true;
  }

  /** Adds reasoning. @returns as `add` */
  reason(text: string, candidate: Candidate): boolean {
    this.firstAt ??= performance.now();
    if (!this.out.streams) {
      this.reasoningText += text;
      return false;
    }
    this.begin(candidate);
    this.out.chunk({ choices: [{ index: 0, delta: { reasoning_content: text } }] }, null);
    return true;
  }

  refuse(text: string, candidate: Candidate): boolean {
    if (!this.out.streams) {
      this.refusalText += text;
      return false;
    }
    this.begin(candidate);
    this.out.chunk({ choices: [{ index: 0, delta: { refusal: text } }] }, null);
    return true;
  }

  /** What follows is of another round: it begins a paragraph of its own. */
  breakHere(): void {
    this.isBroken = true;
  }

  /** Where text that is added now would begin, in UTF-16 units. */
  get nextStart(): number {
    return this.length + (this.isBroken && this.length > 0 ? separator.length : 0);
  }

  /** Writes the end of the answer, or the whole of it. */
  end({ toolCalls, annotations, reasoningDetails }: AnswerEnd, answer: FinishedAnswer): void {
    const { candidate } = answer;
    const ending = {
      ...(annotations.length > 0 ? { annotations: [...annotations] } : {}),
      ...(reasoningDetails.length > 0 ? { reasoning_details: [...reasoningDetails] } : {}),
    };
    if (!this.out.streams) {
      this.writeWhole(ending, toolCalls, answer);
      return;
    }
    this.begin(candidate);
    const calls = toolCalls.map((call, index) => ({ ...call, index }));
    const delta = { ...ending, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
    if (Object.keys(delta).length > 0) this.out.chunk({ choices: [{ index: 0, delta }] }, null);
  }

  private writeWhole(
    ending: object,
    toolCalls: readonly ToolCall[],
    { candidate, finishReason, usage }: FinishedAnswer,
  ): void {
    const message = {
      role: 'assistant',
      content: this.text === '' && toolCalls.length > 0 ? null : this.text,
      ...(this.reasoningText === '' ? {} : { reasoning_content: this.reasoningText }),
      ...(this.refusalText === '' ? {} : { refusal: this.refusalText }),
      ...(toolCalls.length > 0 ? { tool_calls: [...toolCalls] } : {}),
      ...ending,
    };
    const completion = {
      id: `chatcmpl-${crypto.randomUUID()}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: candidate.model,
      choices: [{ index: 0, message, finish_reason: finishReason }],
      usage: toOpenAIUsage(usage),
    };
    this.out.begin(candidate);
    this.out.whole({ completion, usage }, null);
  }

  private begin(candidate: Candidate): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.out.begin(candidate);
  }

  private separated(text: string): string {
    return separator + text;
  }
}

const separator = '\n\n';
