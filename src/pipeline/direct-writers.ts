import { randomUUID } from 'node:crypto';
import { type Completion, type CompletionChunk, unescapeJson, type Usage } from '../completion.js';
import { type ErrorTraceEntry, GatewayError } from '../errors.js';
import type { CompletionAnswer } from '../providers/adapter.js';
import type { Costs } from '../models/cost.js';
import type { Candidate } from '../chooser/plan.js';
import { chunksOf } from '../completion-builder.js';
import type { BrokenAnswer, CompletionWriter, FinishedAnswer } from './completion-call.js';
import { WholeAnswer } from './whole-answer.js';

/** How a completion went. Times in ms from the start of the call; costs in USD, null: unknown. */
export interface CompletionFigures {
  readonly provider: string | null;
  readonly model: string;
  readonly finishReason: string | null;
  readonly usage: Usage;
  readonly costs: Costs;
  readonly latencyMs: number;
  readonly ttftMs: number;
  /** The attempts that failed before the answer. */
  readonly errorTrace: readonly ErrorTraceEntry[];
}

/** A whole answer in OpenAI's shape, and how it went. */
export interface CompletionResult extends CompletionFigures {
  readonly completion: Completion;
}

/** What a streamed answer is made of: chunks in OpenAI's shape, then one `end`. */
export type CompletionEvent =
  | { readonly type: 'chunk'; readonly chunk: CompletionChunk }
  | ({ readonly type: 'end' } & CompletionFigures);

const figuresOf = (answer: FinishedAnswer): CompletionFigures => ({
  provider: answer.candidate.provider,
  model: answer.candidate.model,
  finishReason: answer.finishReason,
  usage: answer.usage,
  costs: answer.costs,
  latencyMs: answer.latencyMs,
  ttftMs: answer.ttftMs,
  errorTrace: answer.errorTrace,
});

/** Collects an answer for a host's own code. */
export class WholeCompletion extends WholeAnswer {
  private finished: CompletionResult | null = null;

  /** @throws Error if the answer is not whole */
  result(): CompletionResult {
    if (!this.finished) throw new Error('the answer is not whole');
    return this.finished;
  }

  finish(answer: FinishedAnswer): void {
    this.finished = { completion: this.completion(answer), ...figuresOf(answer) };
  }
}

/** Events that wait for a slow reader before the provider is held back. */
const maxWaiting = 64;

interface Reader {
  resolve(result: IteratorResult<CompletionEvent, undefined>): void;
  reject(error: unknown): void;
}

/** An answer as events for a host's `for await` loop. The provider waits for a slow reader. */
export class CompletionEvents implements CompletionWriter, AsyncIterator<CompletionEvent> {
  readonly streams = true;
  readonly dialect = 'chat';
  hasBegun = false;
  private readonly waiting: CompletionEvent[] = [];
  private reader: Reader | null = null;
  private resume: (() => void) | null = null;
  private end: { error: unknown } | 'done' | null = null;
  private head: Pick<CompletionChunk, 'id' | 'object' | 'created' | 'model'> = { object: '' };

  constructor(private readonly cancel: (reason: GatewayError) => void) {}

  begin({ model }: Candidate): void {
    this.head = {
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1000),
      model,
    };
  }

  text(escaped: string): void {
    const delta = { content: unescapeJson(escaped) };
    this.push({
      type: 'chunk',
      chunk: { ...this.head, choices: [{ index: 0, delta, finish_reason: null }] },
    });
  }

  chunk(chunk: CompletionChunk): void {
    this.push({ type: 'chunk', chunk });
  }

  whole({ completion }: CompletionAnswer): void {
    for (const chunk of chunksOf(completion)) this.chunk(chunk);
  }

  flush(): boolean {
    return this.waiting.length < maxWaiting;
  }

  whenDrained(resume: () => void): void {
    this.resume = resume;
  }

  finish(answer: FinishedAnswer): void {
    this.push({ type: 'end', ...figuresOf(answer) });
  }

  /** The reader gets the error after the events that came before it. */
  breakOff({ error }: BrokenAnswer): void {
    this.fail(error);
  }

  discard(): void {
    this.waiting.length = 0;
  }

  /** No more events come. */
  close(): void {
    this.end ??= 'done';
    this.settle();
  }

  /** No more events come, because of a failure. */
  fail(error: unknown): void {
    this.end ??= { error };
    this.settle();
  }

  next(): Promise<IteratorResult<CompletionEvent, undefined>> {
    return new Promise((resolve, reject) => {
      this.reader = { resolve, reject };
      this.settle();
    });
  }

  /** The reader has left its loop. */
  return(): Promise<IteratorResult<CompletionEvent, undefined>> {
    this.cancel(new GatewayError('client_closed', 'the caller stopped reading'));
    this.waiting.length = 0;
    this.end = 'done';
    return Promise.resolve({ done: true, value: undefined });
  }

  private push(event: CompletionEvent): void {
    this.hasBegun = true;
    if (this.end === null) this.waiting.push(event);
    this.settle();
  }

  /** Gives the waiting reader the next event, or the end. */
  private settle(): void {
    const { reader } = this;
    if (!reader) return;
    const event = this.waiting.shift();
    if (event) {
      this.reader = null;
      reader.resolve({ done: false, value: event });
      if (this.waiting.length > 0) return;
      const { resume } = this;
      this.resume = null;
      resume?.();
    } else if (this.end !== null) {
      this.reader = null;
      if (this.end === 'done') reader.resolve({ done: true, value: undefined });
      else {
        const { error } = this.end;
        this.end = 'done';
        reader.reject(error);
      }
    }
  }
}
