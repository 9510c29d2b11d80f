import type { ChatRequest, CompletionChoice, EventReader, Usage } from '../completion.js';
import type { ModelCall, UpstreamHeaders, UpstreamRequest } from '../providers/adapter.js';
import { askedEffort } from '../providers/asked-effort.js';
import { unreadable } from '../providers/failure.js';
import type { Candidate } from '../chooser/plan.js';
import type { AnswerWriter } from './answer-writer.js';
import { CommitGate } from './commit-gate.js';
import type {
  AnswerStream,
  AttemptAnswer,
  AttemptProgress,
  CallTarget,
  UpstreamCall,
} from './upstream-call.js';

/** Of an answer that is held back or collected here. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** What a finished completion tells; the content has gone to the writer. */
export interface ChatAnswer extends AttemptAnswer {
  readonly finishReason: string | null;
  /** Null if the provider reported none. */
  readonly usage: Usage | null;
  /** Characters of content. */
  readonly contentLength: number;
}

/** Calls models with a chat request; the answer goes to the writer. */
export function chatCalls(
  request: ChatRequest,
  writer: AnswerWriter,
): (target: CallTarget) => UpstreamCall<ChatAnswer> {
  return (target) => new ChatCall(target, request, writer);
}

/** The request at the candidate's effort; the request's own counts first. */
function withEffort(request: ChatRequest, { effort }: Candidate): ChatRequest {
  return effort === undefined || askedEffort(request) !== undefined
    ? request
    : { ...request, reasoning_effort: effort };
}

class ChatCall implements UpstreamCall<ChatAnswer> {
  private readonly call: ModelCall;
  private readonly gate: CommitGate;
  private isStreamed = false;

  constructor(
    private readonly target: CallTarget,
    request: ChatRequest,
    private readonly writer: AnswerWriter,
  ) {
    const { candidate, stream } = target;
    this.call = { request: withEffort(request, candidate), model: candidate.model, stream };
    this.gate = new CommitGate(writer, candidate);
  }

  buildRequest(apiKey: string | null): UpstreamRequest | Promise<UpstreamRequest> {
    return this.target.provider.adapter.buildRequest(this.call, apiKey);
  }

  openStream(headers: UpstreamHeaders): AnswerStream<ChatAnswer> | null {
    if (!this.isEventStream(headers)) return null;
    this.isStreamed = true;
    const { name, adapter } = this.target.provider;
    return new ChatStream(name, adapter.readEvents(this.gate, this.call), this.gate, this.writer);
  }

  readWhole(body: Buffer): ChatAnswer {
    const { name, adapter } = this.target.provider;
    const answer = adapter.readCompletion(body.toString('utf8'), this.call);
    const choice = answer.completion.choices[0];
    this.gate.firstContentAt = performance.now();
    this.gate.contentLength = choice?.message.content?.length ?? 0;
    this.gate.end(choice?.finish_reason ?? null, answer.usage);
    if (isEmpty(choice)) throw emptyAnswer(name);
    this.writer.begin(this.target.candidate);
    this.writer.whole(answer, adapter.speaksInternalDialect && !answer.rewritten ? body : null);
    return answerOf(this.gate, name);
  }

  progress(): AttemptProgress {
    const { firstContentAt, contentLength, usage } = this.gate;
    const committed = this.writer.streams && this.isStreamed && firstContentAt !== null;
    return { firstContentAt, contentLength, committed, usage };
  }

  /**
   * The content type decides, not the request: some providers stream unasked, some do not when
   * asked.
   */
  private isEventStream(headers: UpstreamHeaders): boolean {
    const type = String(headers['content-type'] ?? '');
    if (/event-?stream|ndjson|stream\+json/.test(type)) return true;
    return this.call.stream && !type.includes('json');
  }
}

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
    return this.writer.flush();
  }

  whenDrained(resume: () => void): void {
    this.writer.whenDrained(resume);
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
  { finishReason, usage, contentLength, firstContentAt }: CommitGate,
  provider: string,
): ChatAnswer {
  if (firstContentAt === null) throw emptyAnswer(provider);
  return { finishReason, usage, contentLength, firstContentAt };
}

const emptyAnswer = (provider: string) =>
  unreadable(provider, 'neither content nor a tool call nor a finish reason');
