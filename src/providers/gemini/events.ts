import { randomUUID } from 'node:crypto';
import {
  type ChunkChoice,
  type CompletionSink,
  escapeJson,
  type EventReader,
  type Usage,
  usageOfAnswer,
  withCounts,
} from '../../completion.js';
import { GatewayError } from '../../errors.js';
import { namesIn, objectsIn } from '../../text/is-object.js';
import type { CompletionAnswer, ModelCall, ProviderAdapter } from '../adapter.js';
import { CallIds, collectAnswer, textOf } from '../answer-chunks.js';
import { cutShort, unreadable } from '../failure.js';
import { fitParameters, withoutWord } from '../fit-parameters.js';
import { parseJson } from '../json.js';
import { parameterRules } from '../model-parameters.js';
import { sseReader } from '../sse-reader.js';
import { type AnswerTarget, CandidateReader } from './candidate.js';
import { googleFailure, googleFailureUnder200 } from './failure.js';
import { withSearches } from './web-search.js';
import type { GeminiCandidate, GeminiResponse, ModalityTokens, UsageMetadata } from './wire.js';

const newline = 10;
const maxBareJsonBytes = 32 * 1024 * 1024;
const opensJson = (byte: number | undefined): boolean => byte === 0x7b || byte === 0x5b;

/**
 * Reads a streamed answer. It has no end marker: a finish reason (or a blocked prompt) must have
 * arrived when the stream closes, and usage may follow it. Google sends an error in mid-stream as
 * bare JSON, without `data:`, and a stream that was not requested as server-sent events as a JSON
 * array: both are collected and read at the end.
 */
function geminiEvents(provider: string, sink: CompletionSink, call: ModelCall): EventReader {
  const answer = new GeminiAnswer(provider, sink, call);
  const bareJson: Buffer[] = [];
  let bareJsonBytes = 0;
  let atLineStart = true;
  const finish = (): void => {
    if (bareJson.length > 0) readBareJson(Buffer.concat(bareJson).toString(), answer);
    if (!answer.complete) throw cutShort(provider);
    answer.end();
  };
  const events = sseReader((_name, payload) => {
    if (payload === '[DONE]') return;
    const read = eventsOf(parseJson(payload));
    if (!read) throw unreadable(provider, 'an event is not JSON');
    for (const event of read) answer.read(event);
  }, finish);
  return {
    push(bytes) {
      const from = bareJson.length > 0 ? 0 : startOfJson(bytes, atLineStart);
      if (from !== 0) events.push(from === -1 ? bytes : bytes.subarray(0, from));
      if (from !== -1) {
        bareJson.push(bytes.subarray(from));
        bareJsonBytes += bytes.length - from;
        if (bareJsonBytes > maxBareJsonBytes)
          throw unreadable(provider, 'the body is larger than 32 MiB');
      }
      if (bytes.length > 0) atLineStart = bytes[bytes.length - 1] === newline;
    },
    close: () => events.close(),
  };
}

/**
 * The index where bare JSON starts, or -1. A line of an event starts with a letter or a colon,
 * never with a brace; line breaks within JSON strings are escaped.
 */
function startOfJson(bytes: Buffer, atLineStart: boolean): number {
  if (atLineStart && opensJson(bytes[0])) return 0;
  const starts = [bytes.indexOf('\n{'), bytes.indexOf('\n[')].filter((at) => at !== -1);
  return starts.length === 0 ? -1 : Math.min(...starts) + 1;
}

/** Also lines of it. JSON that was cut off is ignored; the answer then lacks its finish reason. */
function readBareJson(text: string, answer: GeminiAnswer): void {
  const body = parseJson(text) ?? text.split(/\n(?=\{)/).map(parseJson);
  for (const event of eventsOf(body) ?? []) answer.read(event);
}

/** Reads a whole body. @throws GatewayError as `ProviderAdapter.readCompletion` */
function readGeminiCompletion(provider: string, body: string, call: ModelCall): CompletionAnswer {
  const events = eventsOf(parseJson(body));
  if (!events) throw unreadable(provider, 'the body is not JSON');
  const read = collectAnswer((sink) => {
    const answer = new GeminiAnswer(provider, sink, call);
    for (const event of events) answer.read(event);
    // a whole body needs content, but no finish reason
    if (!answer.complete && !answer.hasContent)
      throw unreadable(provider, 'the body has no answer');
    answer.end();
  });
  const { completion } = read;
  return { ...read, completion: { ...completion, id: completion.id || randomUUID() } };
}

/** Other tools of Google's run code too (`print(file_search.query(…))`), which is no answer. */
const asksForCode = ({ request }: ModelCall): boolean =>
  request.tools?.some((tool) => 'codeExecution' in tool || 'code_execution' in tool) ?? false;

/** Fields of the chat API that Google has no word for. */
const wordless = namesIn('logit_bias parallel_tool_calls verbosity prediction service_tier');

/** The part of an adapter that reads answers, which Gemini and Vertex share. */
export const geminiReaders = (
  provider: string,
): Pick<
  ProviderAdapter,
  'dialect' | 'leftOut' | 'unopenedImages' | 'readCompletion' | 'readEvents' | 'readFailure'
> => ({
  dialect: null,
  leftOut: (request, model) => [
    ...fitParameters({ ...request }, [model], parameterRules.gemini),
    ...withoutWord(request, wordless),
  ],
  unopenedImages: /^http:/i,
  readCompletion: (body, call) => readGeminiCompletion(provider, body, call),
  readEvents: (sink, call) => geminiEvents(provider, sink, call),
  readFailure: googleFailure(provider),
});

/** Translates an answer event by event; a whole body is one event, or an array of events. */
class GeminiAnswer implements AnswerTarget {
  id = '';
  model = '';
  /** Seconds since 1970. */
  created = Math.floor(Date.now() / 1000);
  /** Whether anything was translated. */
  hasContent = false;
  private readonly candidates = new Map<number, CandidateReader>();
  private isPromptBlocked = false;
  private usage: Usage | null = null;
  private callCount = 0;
  private readonly callIds = new CallIds();
  readonly showsCode: boolean;
  private readonly isSeveral: boolean;
  /** The number of the only candidate that was asked for. */
  private only: number | undefined;

  constructor(
    private readonly provider: string,
    private readonly sink: CompletionSink,
    call: ModelCall,
  ) {
    this.showsCode = asksForCode(call);
    this.isSeveral = (call.request.n ?? 1) > 1;
  }

  text(index: number, text: string): void {
    this.hasContent = true;
    if (index === 0) this.sink.text(escapeJson(text), null);
    else this.choice({ index, delta: { content: text } });
  }

  choice(choice: ChunkChoice): void {
    this.hasContent = true;
    const { id, created, model } = this;
    const chunk = { object: 'chat.completion.chunk', created, model, choices: [choice] };
    this.sink.chunk(id ? { id, ...chunk } : chunk, null);
  }

  /** True once every candidate has a finish reason, or the prompt was blocked. */
  get complete(): boolean {
    return (
      this.isPromptBlocked ||
      (this.candidates.size > 0 &&
        [...this.candidates.values()].every((candidate) => candidate.finished))
    );
  }

  /**
   * @throws GatewayError for an error in place of an answer, or an answer that Google calls
   *   malformed
   */
  read(event: GeminiResponse): void {
    if (event.error) throw googleFailureUnder200(this.provider, event);
    this.identify(event);
    this.usage = usageOf(withCounts(event.usageMetadata)) ?? this.usage;
    for (const [position, candidate] of objectsIn(event.candidates).entries()) {
      const index = typeof candidate.index === 'number' ? candidate.index : position;
      if (!this.isSeveral && index !== (this.only ??= index)) continue;
      this.checkReason(candidate);
      this.readerOf(this.isSeveral ? index : 0).read(candidate);
    }
    const feedback = event.promptFeedback;
    if (feedback?.blockReason && this.candidates.size === 0 && !this.isPromptBlocked) {
      this.isPromptBlocked = true;
      const refusal =
        feedback.blockReasonMessage ?? `The prompt was blocked: ${feedback.blockReason}.`;
      this.choice({ index: 0, delta: { refusal } });
    }
  }

  /** Call once, when the answer is complete: ends it with the finish reason of candidate 0. */
  end(): void {
    if (this.candidates.size === 0) {
      this.choice({ index: 0, delta: {}, finish_reason: 'content_filter' });
      this.sink.end('content_filter', this.usage);
      return;
    }
    const [first] = [...this.candidates.values()].map((each) => each.finish(this.provider));
    const searches = [...this.candidates.values()].map((each) => each.searches(this.model));
    const usage = withSearches(this.usage, Math.max(...searches));
    this.sink.end(first?.reason ?? 'stop', usage, first?.unknown);
  }

  private identify(event: GeminiResponse): void {
    this.id = textOf(event.responseId) || this.id;
    this.model = textOf(event.modelVersion) || this.model;
    const created = Date.parse(event.createTime ?? '');
    if (!Number.isNaN(created)) this.created = Math.floor(created / 1000);
  }

  private readerOf(index: number): CandidateReader {
    let reader = this.candidates.get(index);
    if (!reader) {
      reader = new CandidateReader(index, this, (given) =>
        this.callIds.of(given, () => this.nextCallId()),
      );
      this.candidates.set(index, reader);
    }
    return reader;
  }

  /**
   * At most 40 letters, digits, `_` and `-`, so that the strictest providers accept it. Reading the
   * same answer again gives the same id.
   */
  private nextCallId(): string {
    if (this.id === '') this.id = randomUUID();
    return `call_${this.callCount++}_${this.id.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 24)}`;
  }

  /** A malformed call counts as a failure, because the model often succeeds when asked again. */
  private checkReason({ finishReason }: GeminiCandidate): void {
    if (finishReason === 'MISSING_THOUGHT_SIGNATURE') {
      throw new GatewayError(
        'request_refused',
        `${this.provider} refused the conversation: one of its tool calls has no thought signature`,
      );
    }
    if (
      finishReason &&
      /^MALFORMED_|^UNEXPECTED_TOOL_CALL$|^TOO_MANY_TOOL_CALLS$/.test(finishReason)
    ) {
      throw unreadable(this.provider, `finish reason ${finishReason}`);
    }
  }
}

/** Null if none is reported (Vertex's early events contain only a traffic type). */
function usageOf(usage: UsageMetadata | undefined): Usage | null {
  if (usage?.promptTokenCount === undefined && usage?.totalTokenCount === undefined) return null;
  const thoughts = usage.thoughtsTokenCount ?? 0;
  const completionTokens = (usage.candidatesTokenCount ?? 0) + thoughts;
  const rest = Math.max(0, (usage.totalTokenCount ?? 0) - completionTokens);
  const { cacheTokensDetails: cached } = usage;
  return usageOfAnswer({
    promptTokens:
      usage.promptTokenCount === undefined
        ? rest
        : usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
    completionTokens,
    reasoningTokens: thoughts,
    cachedTokens: usage.cachedContentTokenCount ?? 0,
    audioTokens: tokensOf(usage.promptTokensDetails, /AUDIO/),
    ...(cached ? { cachedAudioTokens: tokensOf(cached, /AUDIO/) } : {}),
    mediaTokens: tokensOf(usage.candidatesTokensDetails, /AUDIO|IMAGE/),
  });
}

/** The tokens of some modalities, of a list by modality. */
const tokensOf = (details: ModalityTokens | undefined, modalities: RegExp): number =>
  objectsIn(details)
    .filter(({ modality }) => modalities.test(modality ?? ''))
    .reduce((sum, { tokenCount = 0 }) => sum + tokenCount, 0);

/**
 * The events of a body: one, or an array where a stream was not requested as server-sent events.
 * Google's Code Assist has each in a field `response`.
 */
function eventsOf(body: unknown): GeminiResponse[] | null {
  const events: unknown[] = Array.isArray(body) ? body : [body];
  const isRight = events.every((event) => typeof event === 'object' && event !== null);
  return isRight ? (events as Wrapped[]).map((event) => event.response ?? event) : null;
}

type Wrapped = GeminiResponse & { response?: GeminiResponse };
