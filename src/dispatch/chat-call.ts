import { withoutByteOrderMark, withoutDone } from '../text/json-values.js';
import { validUtf8 } from '../text/valid-utf8.js';
import type { ChatRequest, CompletionChoice, EventReader, Usage } from '../completion.js';
import type {
  CompletionAnswer,
  ModelCall,
  OriginalRequest,
  UpstreamHeaders,
  UpstreamRequest,
} from '../providers/adapter.js';
import { habitsOf } from '../models/model-habits.js';
import { effortInName } from '../models/model-identity.js';
import { flattenCustomTools } from '../custom-tools.js';
import { withoutFunctions } from '../legacy-functions.js';
import { askedEffort, nearestEffort } from '../providers/asked-effort.js';
import type { ProviderAdapter } from '../providers/adapter.js';
import { unreadable } from '../providers/failure.js';
import type { Candidate } from '../chooser/plan.js';
import type { AnswerWriter } from './answer-writer.js';
import { type HoldBytes, inlineImages } from './inline-images.js';
import { OwnCallSink, type OwnTools, withOwnCalls } from './own-calls.js';
import { plainTools } from './plain-tools.js';
import { CommitGate } from './commit-gate.js';
import {
  type AnswerStream,
  type AttemptAnswer,
  type AttemptProgress,
  type CallTarget,
  defaultFirstEventMs,
  slowFirstEventMs,
  type UpstreamCall,
} from './upstream-call.js';

/** The bound of an answer that is held back or collected here. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** What a finished completion tells; the content has gone to the writer. */
export interface ChatAnswer extends AttemptAnswer {
  readonly finishReason: string | null;
  /** Null if the provider reported none. */
  readonly usage: Usage | null;
  /** Characters of content. */
  readonly contentLength: number;
}

/** What a model is asked, and where its answer goes. */
export interface ChatAsk {
  readonly chat: ChatRequest;
  readonly writer: AnswerWriter;
  /** What providers of its dialect get in place of `chat`; it must be the writer's dialect. */
  readonly original?: OriginalRequest | undefined;
  /** Counts the images that are fetched for it; default: nothing does. */
  readonly hold?: HoldBytes;
}

/** The request with the candidate's effort, unless it names an effort itself. */
function withEffort(request: ChatRequest, { effort }: Candidate, dialect: unknown): ChatRequest {
  const asked = askedEffort(request);
  // providers of the chat dialect may know the client's own name of an effort
  const written = dialect === 'chat' ? undefined : nearestEffort(request);
  const named = asked === undefined ? effort : written;
  return !named || named === request.reasoning_effort
    ? request
    : { ...request, reasoning_effort: named };
}

const longEfforts: ReadonlySet<string> = new Set(['high', 'xhigh', 'max']);

/** Whether a model may reason for minutes, unseen: at high effort, as asked or by default. */
function reasonsLong({ request, model }: ModelCall): boolean {
  const asked = askedEffort(request);
  // null: it reasons, but names no level
  return (
    asked === null || longEfforts.has(asked ?? effortInName(model) ?? habitsOf(model).defaultEffort)
  );
}

/** A call of a model with a chat request. */
export class ChatCall implements UpstreamCall<ChatAnswer> {
  private readonly call: ModelCall;
  private readonly adapter: ProviderAdapter;
  private readonly gate: CommitGate;
  /** How the client's tools were renamed or converted for the provider; null: they were not. */
  private readonly tools: OwnTools | null = null;
  private readonly writer: AnswerWriter;
  private readonly hold: HoldBytes;
  readonly firstEventMs: number;
  private isStreamed = false;

  constructor(
    private readonly target: CallTarget,
    { chat, writer, original, hold = () => undefined }: ChatAsk,
  ) {
    this.writer = writer;
    this.hold = hold;
    const { candidate, stream } = target;
    const { adapter: own } = target.provider;
    const { model } = candidate;
    const adapter =
      own.instead?.(withEffort(chat, candidate, null), model, original?.dialect) ?? own;
    this.adapter = adapter;
    this.call = { request: withEffort(chat, candidate, adapter.dialect), model, stream };
    if (original?.dialect === adapter.dialect && (adapter.takes?.(original.body) ?? true))
      this.call.original = original;
    const { original: forwarded } = this.call;
    if (!forwarded) {
      const older = withoutFunctions(this.call.request);
      const flat = flattenCustomTools(this.call.request, adapter.customTools);
      const sent = flat?.request ?? older ?? this.call.request;
      const { names, request: plain } = plainTools(sent, adapter.dialect !== 'chat');
      if (flat || older || names.size > 0)
        this.tools = { names, custom: flat?.custom ?? new Map(), isOlder: older !== null };
      this.call.request = plain;
    }
    this.gate = new CommitGate(writer, candidate, target.claim);
    this.firstEventMs = stream && !reasonsLong(this.call) ? defaultFirstEventMs : slowFirstEventMs;
  }

  buildRequest(apiKey: string | null): UpstreamRequest | Promise<UpstreamRequest> {
    const { adapter, target, call } = this;
    const { images } = target.provider;
    const { request } = call;
    const { unopenedImages: unopened } = adapter;
    if (!unopened || !images) return adapter.buildRequest(this.call, apiKey);
    const inlined = inlineImages(request, unopened, images, this.hold);
    return inlined instanceof Promise
      ? inlined.then((whole) => adapter.buildRequest({ ...this.call, request: whole }, apiKey))
      : adapter.buildRequest(this.call, apiKey);
  }

  openStream(
    headers: UpstreamHeaders,
    head: Buffer | null,
  ): AnswerStream<ChatAnswer> | null | undefined {
    const isStreamed = this.isEventStream(headers, head);
    if (!isStreamed) return isStreamed === false ? null : undefined;
    this.isStreamed = true;
    const { adapter, target } = this;
    const { name } = target.provider;
    const sink = this.tools ? new OwnCallSink(this.gate, this.tools) : this.gate;
    return new ChatStream(name, adapter.readEvents(sink, this.call), this.gate, this.writer);
  }

  readWhole(sent: Buffer): ChatAnswer {
    const { adapter, target } = this;
    const { name } = target.provider;
    const body = validUtf8(withoutDone(withoutByteOrderMark(sent)));
    const read = adapter.readCompletion(body.toString('utf8'), this.call);
    const answer = this.tools
      ? { ...read, completion: withOwnCalls(read.completion, this.tools), rewritten: true }
      : read;
    const choice = answer.completion.choices[0];
    this.gate.firstContentAt = performance.now();
    this.gate.contentLength = choice?.message.content?.length ?? 0;
    this.gate.end(choice?.finish_reason ?? null, answer.usage, answer.unknownFinish);
    if (isEmpty(choice)) throw emptyAnswer(name);
    this.target.claim?.();
    this.writer.begin(this.target.candidate);
    this.writer.whole(answer, this.isForwarded(answer) ? body : null);
    return answerOf(this.gate, name);
  }

  /** Whether the client may get the provider's body as it is. */
  private isForwarded({ rewritten = false }: CompletionAnswer): boolean {
    const { dialect } = this.adapter;
    if (rewritten || dialect !== this.writer.dialect) return false;
    return dialect === 'chat' || this.call.original !== undefined;
  }

  progress(): AttemptProgress {
    const { firstContentAt, contentLength, usage } = this.gate;
    const { streams, hasWritten = true } = this.writer;
    const committed = streams && hasWritten && this.isStreamed && firstContentAt !== null;
    return { firstContentAt, contentLength, committed, usage };
  }

  /**
   * The first bytes decide, not the request or the content type: some providers stream unasked, some
   * do not when asked, and some send the wrong content type. Undefined: more bytes are needed.
   */
  private isEventStream(headers: UpstreamHeaders, head: Buffer | null): boolean | undefined {
    const type = String(headers['content-type'] ?? '');
    if (/ndjson|stream\+json/.test(type)) return true;
    // some send the events of a stream as lines of JSON
    if (head?.[0] === openingBrace) return head.includes('}\n{');
    const start = head?.toString('latin1', 0, maxHeadBytes).replace(blankStart, '') ?? '?';
    if (/^(data|event|id|retry)?:/.test(start)) return true;
    if (start.startsWith('{') || start.startsWith('[')) return false;
    if (mayBeginField(start) && head && head.length < maxHeadBytes) return undefined;
    return /event-?stream/.test(type) || (this.call.stream && !type.includes('json'));
  }
}

const openingBrace = 0x7b;
/** A byte order mark, whole or not, and blanks, with which some servers keep a connection alive. */
const blankStart = /^(\xef(\xbb(\xbf|$)|$))?\s*/;
const maxHeadBytes = 4_096;

/** Whether a text may be the beginning of a server-sent event's first field; it may be empty. */
const mayBeginField = (text: string): boolean =>
  ['data:', 'event:', 'id:', 'retry:'].some((field) => field.startsWith(text));

class ChatStream implements AnswerStream<ChatAnswer> {
  private receivedBytes = 0;

  constructor(
    private readonly provider: string,
    private readonly events: EventReader,
    private readonly gate: CommitGate,
    private readonly writer: AnswerWriter,
  ) {}

  get ended(): boolean {
    return this.gate.ended;
  }

  push(bytes: Buffer): void {
    this.events.push(bytes);
    this.receivedBytes += bytes.length;
    if (this.isTooLong()) throw unreadable(this.provider, 'larger than 64 MiB');
  }

  close(): void {
    this.events.close();
  }

  finish(): ChatAnswer {
    return answerOf(this.gate, this.provider);
  }

  flush(): boolean {
    return this.writer.flush?.() ?? true;
  }

  whenDrained(resume: () => void): void {
    this.writer.whenDrained?.(resume);
  }

  /** Limits what waits here for the answer to begin, or to be complete. */
  private isTooLong(): boolean {
    if (this.gate.firstContentAt === null) return this.receivedBytes > maxAnswerBytes;
    return !this.writer.streams && this.gate.contentLength > maxAnswerBytes;
  }
}

function isEmpty(choice: CompletionChoice | undefined): boolean {
  const message = choice?.message;
  if (!message) return true;
  if (choice.finish_reason) return false;
  return !message.content && !message.tool_calls?.length && !message.refusal;
}

function answerOf(
  { finishReason, usage, contentLength, firstContentAt, unknownFinish }: CommitGate,
  provider: string,
): ChatAnswer {
  if (firstContentAt === null) throw emptyAnswer(provider);
  return {
    finishReason,
    usage,
    contentLength,
    firstContentAt,
    ...(unknownFinish === undefined ? {} : { unknownFinish }),
  };
}

const emptyAnswer = (provider: string) =>
  unreadable(provider, 'neither content nor a tool call nor a finish reason');
