import { randomUUID } from 'node:crypto';
import {
  type ChunkChoice,
  type Completion,
  type CompletionChoice,
  makeUsage,
  toOpenAIUsage,
  type Usage,
} from '../../completion.js';
import { GatewayError } from '../../errors.js';
import type { CompletionAnswer } from '../adapter.js';
import { parseJson, unreadable } from '../failure.js';
import { type AnswerTarget, CandidateReader } from './candidate.js';
import { googleFailureUnder200 } from './failure.js';
import {
  type GeminiCandidate,
  type GeminiResponse,
  objectsIn,
  type UsageMetadata,
} from './wire.js';

/** Translates an answer event by event; a whole body is one event (or an array of them). */
export class GeminiAnswer {
  id = '';
  model = '';
  /** Seconds since 1970. */
  created = Math.floor(Date.now() / 1000);
  private readonly candidates = new Map<number, CandidateReader>();
  private blockedPrompt = false;
  private usage: Usage | null = null;
  private callCount = 0;

  constructor(
    private readonly provider: string,
    private readonly target: AnswerTarget,
  ) {}

  /** True once the provider has said of every candidate, or of the prompt, that nothing more comes. */
  get whole(): boolean {
    return (
      this.blockedPrompt ||
      (this.candidates.size > 0 &&
        [...this.candidates.values()].every((candidate) => candidate.finished))
    );
  }

  /** @throws GatewayError for an error in place of an answer, or an answer that the provider itself calls malformed */
  read(event: GeminiResponse): void {
    if (event.error) throw googleFailureUnder200(this.provider, event);
    this.identify(event);
    this.usage = usageOf(event.usageMetadata) ?? this.usage;
    for (const candidate of objectsIn(event.candidates)) {
      this.checkReason(candidate);
      this.readerOf(candidate.index ?? 0).read(candidate);
    }
    const feedback = event.promptFeedback;
    if (feedback?.blockReason && this.candidates.size === 0 && !this.blockedPrompt) {
      this.blockedPrompt = true;
      this.target.choice({
        index: 0,
        delta: {
          refusal:
            feedback.blockReasonMessage ?? `The prompt was blocked: ${feedback.blockReason}.`,
        },
      });
    }
  }

  /** Call once, when the answer is whole. @returns what is true of the answer at its end; the reason is that of candidate 0 */
  finish(): { finishReason: string; usage: Usage | null } {
    if (this.candidates.size === 0) {
      this.target.choice({ index: 0, delta: {}, finish_reason: 'content_filter' });
      return { finishReason: 'content_filter', usage: this.usage };
    }
    const reasons = [...this.candidates.values()].map((candidate) => candidate.finish());
    return { finishReason: reasons[0] ?? 'stop', usage: this.usage };
  }

  private identify(event: GeminiResponse): void {
    if (event.responseId) this.id = event.responseId;
    if (event.modelVersion) this.model = event.modelVersion;
    const created = Date.parse(event.createTime ?? '');
    if (!Number.isNaN(created)) this.created = Math.floor(created / 1000);
  }

  private readerOf(index: number): CandidateReader {
    let reader = this.candidates.get(index);
    if (!reader) {
      reader = new CandidateReader(index, this.target, () => this.nextCallId());
      this.candidates.set(index, reader);
    }
    return reader;
  }

  /** At most 40 letters, digits, `_` and `-`: what the strictest providers take back; the same whenever the same answer is read. */
  private nextCallId(): string {
    if (this.id === '') this.id = randomUUID();
    return `call_${this.callCount++}_${this.id.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 24)}`;
  }

  /** A model that bungled a call answers better when asked again, so these are failures and no answers. */
  private checkReason({ finishReason }: GeminiCandidate): void {
    if (finishReason === 'MISSING_THOUGHT_SIGNATURE') {
      throw new GatewayError(
        'request_refused',
        `${this.provider} refused the conversation: a tool call in it has no thought signature`,
      );
    }
    if (
      finishReason &&
      /^MALFORMED_|^UNEXPECTED_TOOL_CALL$|^TOO_MANY_TOOL_CALLS$/.test(finishReason)
    ) {
      throw unreadable(this.provider, `it stopped for ${finishReason}`);
    }
  }
}

/** Usage in our counting; null where none is told (Vertex's early events name only a traffic type). */
function usageOf(usage: UsageMetadata | undefined): Usage | null {
  if (usage?.promptTokenCount === undefined && usage?.totalTokenCount === undefined) return null;
  const thoughts = usage.thoughtsTokenCount ?? 0;
  return makeUsage({
    promptTokens: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    completionTokens: (usage.candidatesTokenCount ?? 0) + thoughts,
    reasoningTokens: thoughts,
    cachedTokens: usage.cachedContentTokenCount ?? 0,
  });
}

/** The events of a body: one, or an array of them where a stream was not asked for as server-sent events. */
export function eventsOf(body: unknown): GeminiResponse[] | null {
  const events: unknown[] = Array.isArray(body) ? body : [body];
  return events.every((event) => typeof event === 'object' && event !== null) ? events : null;
}

/** Reads a whole body. @throws GatewayError as `ProviderAdapter.readCompletion` says */
export function readGeminiCompletion(provider: string, body: string): CompletionAnswer {
  const events = eventsOf(parseJson(body));
  if (!events) throw unreadable(provider, 'a body that is not JSON');
  const choices = new Map<number, CompletionChoice>();
  const choiceOf = (index: number): CompletionChoice => {
    const choice = choices.get(index) ?? {
      index,
      message: { role: 'assistant', content: null },
      finish_reason: null,
    };
    choices.set(index, choice);
    return choice;
  };
  const answer = new GeminiAnswer(provider, {
    text: (index, text) => {
      const { message } = choiceOf(index);
      message.content = (message.content ?? '') + text;
    },
    choice: (choice) => fold(choiceOf(choice.index), choice),
  });
  for (const event of events) answer.read(event);
  // a body that came whole needs no finish reason to be an answer, only something in it
  if (!answer.whole && choices.size === 0) throw unreadable(provider, 'a body without an answer');
  const { usage } = answer.finish();
  const completion: Completion = {
    id: answer.id || randomUUID(),
    object: 'chat.completion',
    created: answer.created,
    model: answer.model,
    choices: [...choices.values()].sort((a, b) => a.index - b.index),
    ...(usage ? { usage: toOpenAIUsage(usage) } : {}),
  };
  return { completion, usage };
}

/** Adds a piece to a whole choice: texts and lists grow, the rest is replaced. */
function fold(
  choice: CompletionChoice,
  { delta, finish_reason: reason, logprobs }: ChunkChoice,
): void {
  const message: Record<string, unknown> = choice.message;
  for (const [name, value] of Object.entries(delta)) {
    const before = message[name];
    if (Array.isArray(value))
      message[name] = [
        ...(Array.isArray(before) ? (before as unknown[]) : []),
        ...(value as unknown[]).map(withoutIndex),
      ];
    else
      message[name] =
        typeof value === 'string' && typeof before === 'string' ? before + value : value;
  }
  if (logprobs) {
    const earlier = (choice.logprobs as { content: unknown[] } | undefined)?.content ?? [];
    choice.logprobs = { content: [...earlier, ...(logprobs as { content: unknown[] }).content] };
  }
  if (reason) choice.finish_reason = reason;
}

/** Tool calls have an index in chunks only. */
function withoutIndex(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'index'));
}
