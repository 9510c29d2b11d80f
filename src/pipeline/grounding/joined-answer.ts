import {
  escapeJson,
  toOpenAIUsage,
  type ToolCall,
  type UrlCitation,
  type CompletionChunk,
  type CompletionMessage,
  reasoningOf,
  unescapeJson,
} from '../../completion.js';
import { isTurnOver, nextTurn, piecesOf } from '../../async/turns.js';
import type { AnswerWriter } from '../../dispatch/answer-writer.js';
import type { Candidate } from '../../chooser/plan.js';
import type { FinishedAnswer } from '../completion-call.js';
import type { CompletionAnswer } from '../../providers/adapter.js';
import { CompletionBuilder } from '../../completion-builder.js';

/** What ends an answer beside its text. */
export interface AnswerEnd {
  /** Calls of the client's own tools. */
  readonly toolCalls: readonly ToolCall[];
  readonly annotations: readonly UrlCitation[];
  /** Opaque blocks that the client has to send back with the calls. */
  readonly reasoningDetails: readonly unknown[];
}

/**
 * The answer of all rounds, as it goes to the client. A stream gets text at once, which cannot be
 * taken back; otherwise text is collected until the answer is complete.
 */
export class JoinedAnswer {
  /** Characters that have come, of all rounds. */
  length = 0;
  /** `performance.now()` of the first text or reasoning; null: none has come. */
  firstAt: number | null = null;
  /** Collects an answer that is not streamed; null: it is. */
  private readonly collected: CompletionBuilder | null;
  private hasBegun = false;
  /** Whether the next text belongs to a later round than the text so far. */
  private isBroken = false;

  constructor(private readonly out: AnswerWriter) {
    this.collected = out.streams ? null : new CompletionBuilder();
  }

  /** Adds final text. @returns whether it went to the client at once */
  add(text: string, candidate: Candidate): boolean {
    if (text === '') return false;
    this.firstAt ??= performance.now();
    const whole = this.isBroken && this.length > 0 ? separator + text : text;
    this.isBroken = false;
    this.length += whole.length;
    if (this.collected) return this.write({ content: whole }, candidate);
    this.begin(candidate);
    this.out.text(escapeJson(whole), null);
    return true;
  }

  /** Adds reasoning. @returns as `add` */
  reason(text: string, candidate: Candidate): boolean {
    this.firstAt ??= performance.now();
    return this.write({ reasoning_content: text }, candidate);
  }

  refuse(text: string, candidate: Candidate): boolean {
    return this.write({ refusal: text }, candidate);
  }

  /** The next text belongs to another round, and begins a new paragraph. */
  breakHere(): void {
    this.isBroken = true;
  }

  /** Where text that is added now would begin, in UTF-16 units. */
  get nextStart(): number {
    return this.length + (this.isBroken && this.length > 0 ? separator.length : 0);
  }

  /** Writes the end of the answer, or the whole of it. */
  end({ toolCalls, annotations, reasoningDetails }: AnswerEnd, answer: FinishedAnswer): void {
    const { candidate, finishReason, usage } = answer;
    const calls = toolCalls.map((call, index) => ({ ...call, index }));
    const delta = {
      ...(annotations.length > 0 ? { annotations: [...annotations] } : {}),
      ...(reasoningDetails.length > 0 ? { reasoning_details: [...reasoningDetails] } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    this.begin(candidate);
    if (Object.keys(delta).length > 0) this.write(delta, candidate);
    if (!this.collected) return;
    const names = { id: `chatcmpl-${crypto.randomUUID()}`, model: candidate.model };
    const completion = this.collected.build(finishReason, names);
    const { message } = completion.choices[0]!;
    if (calls.length === 0) message.content ??= '';
    this.out.whole({ completion: { ...completion, usage: toOpenAIUsage(usage) }, usage }, null);
  }

  /** @returns whether it went to the client at once */
  private write(delta: CompletionChunk['choices'][number]['delta'], candidate: Candidate): boolean {
    const chunk = { choices: [{ index: 0, delta }] };
    if (this.collected) {
      this.collected.chunk(chunk);
      return false;
    }
    this.begin(candidate);
    this.out.chunk(chunk, null);
    return true;
  }

  private begin(candidate: Candidate): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.out.begin(candidate);
  }
}

const separator = '\n\n';

/** Checks the text of one round before the client gets it. Offsets in UTF-16 units. */
export interface TextFilter {
  /** @returns what may go to the client now */
  push(text: string): string;
  /** @returns the rest */
  end(): string;
  /** A citation of the provider's own, by offsets in the text that was pushed. */
  annotate(annotation: UrlCitation): void;
  /** Results or queries of the provider's own search. */
  found(part: Readonly<Record<string, unknown>>): void;
}

/** How many characters are filtered at once: some thousand take milliseconds. */
export const pieceLength = 1_024;

/** Passes text through a filter, in turns where it is long. */
export class FilteredText {
  private waiting: string[] = [];
  /** How many of `waiting` have been filtered. */
  private done = 0;

  /** @param take receives what may go to the client */
  constructor(
    private readonly filter: TextFilter,
    private readonly take: (text: string) => void,
  ) {}

  /** @returns false: some of it waits for `drain` */
  push(text: string): boolean {
    if (text.length <= pieceLength) this.waiting.push(text);
    else for (const piece of piecesOf(text, pieceLength)) this.waiting.push(piece);
    return this.advance();
  }

  /** Filters what waits, in turns. */
  async drain(): Promise<void> {
    while (!this.advance()) await nextTurn();
  }

  /** Filters all that waits and ends the text. */
  async end(): Promise<void> {
    await this.drain();
    this.take(this.filter.end());
  }

  /** Drops the text that waits. */
  drop(): void {
    this.waiting = [];
    this.done = 0;
  }

  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  private advance(): boolean {
    while (this.done < this.waiting.length) {
      if (isTurnOver()) return false;
      this.take(this.filter.push(this.waiting[this.done]!));
      this.done++;
    }
    this.drop();
    return true;
  }
}

/**
 * Receives the answer of one of several model calls. Passes text on through the filter, and keeps
 * tool calls until they are run. An attempt is committed when its first text reaches the client;
 * until then another candidate may answer instead.
 */
export class RoundWriter implements AnswerWriter {
  readonly dialect = 'chat';
  private message = new CompletionBuilder();
  private filter: TextFilter | null = null;
  private filtered: FilteredText | null = null;
  private candidate: Candidate | null = null;
  private hasForwarded = false;
  private startedAt = 0;

  constructor(
    private readonly out: AnswerWriter,
    private readonly answer: JoinedAnswer,
    private readonly makeFilter: (candidate: Candidate) => TextFilter,
  ) {}

  get streams(): boolean {
    return this.out.streams && this.hasForwarded;
  }

  begin(candidate: Candidate): void {
    this.candidate = candidate;
    this.message = new CompletionBuilder();
    const filter = this.makeFilter(candidate);
    this.filter = filter;
    this.filtered = new FilteredText(filter, (text) => this.note(this.answer.add(text, candidate)));
    this.hasForwarded = false;
    this.startedAt = this.answer.nextStart;
  }

  text(escaped: string): void {
    this.message.text(escaped);
    this.filtered?.push(unescapeJson(escaped));
  }

  chunk(chunk: CompletionChunk): void {
    const { filter, candidate } = this;
    if (!filter || !candidate) return;
    filter.found(chunk);
    const choices = chunk.choices.filter(({ index }) => index === 0);
    this.message.chunk({ ...chunk, choices });
    for (const { delta } of choices) {
      const reasoning = reasoningOf(delta);
      if (reasoning) this.note(this.answer.reason(reasoning, candidate));
      if (delta.refusal) this.note(this.answer.refuse(delta.refusal, candidate));
      if (delta.content) this.filtered?.push(delta.content);
      filter.found(delta);
      for (const annotation of delta.annotations ?? []) filter.annotate(annotation);
    }
  }

  whole({ completion }: CompletionAnswer): void {
    const { usage: _usage, choices, ...rest } = completion;
    const [choice] = choices;
    if (!choice) return;
    const { tool_calls: calls, ...delta } = choice.message;
    const toolCalls = calls?.map((call, index) => ({ ...call, index }));
    this.chunk({
      ...rest,
      choices: [{ index: 0, delta: { ...delta, ...(toolCalls ? { tool_calls: toolCalls } : {}) } }],
    });
  }

  flush(): boolean {
    const isFlushed = this.out.flush?.() ?? true;
    return isFlushed && !this.filtered?.isWaiting;
  }

  whenDrained(resume: () => void): void {
    const { filtered } = this;
    if (!filtered?.isWaiting) this.out.whenDrained?.(resume);
    // a failure here happens again in `end`, which reports it
    else
      filtered
        .drain()
        .then(() => (this.flush() ? resume() : this.out.whenDrained?.(resume)), resume);
  }

  /** The attempt has failed: nothing more of its text goes to the client. */
  drop(): void {
    this.filtered?.drop();
  }

  /**
   * Ends the round once its model call has succeeded: writes the text that was held back.
   * @returns the model's own message, and where its text begins in the answer
   */
  async end(
    finishReason: string | null,
  ): Promise<{ message: CompletionMessage; startedAt: number }> {
    const { filtered, startedAt } = this;
    await filtered?.end();
    this.out.flush?.();
    const { choices } = this.message.build(finishReason, { id: '', model: '' });
    return { message: choices[0]!.message, startedAt };
  }

  private note(hasGone: boolean): void {
    this.hasForwarded ||= hasGone;
  }
}
