import type { Dispatcher } from 'undici';
import type { EventReader, Usage } from '../completion.js';
import { GatewayError } from '../errors.js';
import { unreadable } from '../providers/failure.js';
import type { ModelCall, UpstreamHeaders, UpstreamRequest } from '../providers/adapter.js';
import type { RankedCandidate } from '../routing/plan.js';
import type { AnswerWriter } from './answer-writer.js';
import type { Cancellation } from './cancellation.js';
import { CommitGate } from './commit-gate.js';
import { networkFailure } from './network-failure.js';
import type { Provider } from './provider.js';

/** An error body is read this far, and a whole answer that far. */
const maxFailureBytes = 256 * 1024;
const maxAnswerBytes = 64 * 1024 * 1024;

export interface AttemptInput {
  provider: Provider;
  candidate: RankedCandidate;
  call: ModelCall;
  apiKey: string | null;
  writer: AnswerWriter;
  cancellation: Cancellation;
}

/** What a finished attempt has to tell. `firstContentAt` is in `performance.now()` ms. */
export interface AttemptResult {
  finishReason: string | null;
  usage: Usage | null;
  contentLength: number;
  firstContentAt: number;
}

/** Thrown for a failed attempt: the failure, and how far the attempt had come. */
export class AttemptFailure extends Error {
  constructor(readonly error: GatewayError, readonly committed: boolean, readonly firstContentAt: number | null, readonly contentLength: number) {
    super(error.message);
  }
}

/**
 * One upstream call, from its request to the end of its answer.
 *
 * The commit rule: an attempt is committed when its first content has been given to a writer that streams, or, for a reply
 * that is not streamed, when the answer is whole. Before that anything may be tried again; after it nothing is repeated.
 * @throws AttemptFailure
 */
export async function attempt(input: AttemptInput): Promise<AttemptResult> {
  let request: UpstreamRequest;
  try {
    const built = input.provider.adapter.buildRequest(input.call, input.apiKey);
    request = built instanceof Promise ? await built : built;
  } catch (error) {
    throw new AttemptFailure(networkFailure(input.provider.name, error), false, null, 0);
  }
  if (input.cancellation.reason) throw new AttemptFailure(input.cancellation.reason, false, null, 0);
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(input, resolve, reject);
    const { pool, path } = input.provider.upstreams.to(request.url);
    try {
      pool.dispatch({ path, method: request.method, headers: request.headers, body: request.body }, exchange);
    } catch (error) {
      exchange.notSent(error);
    }
  });
}

type Mode = 'waiting' | 'events' | 'body' | 'failure';

/** undici's handler of one call: fed synchronously, so that a read of many events is one write to the client. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly gate: CommitGate;
  private controller: Dispatcher.DispatchController | null = null;
  private timer: NodeJS.Timeout | null = null;
  private mode: Mode = 'waiting';
  private status = 0;
  private headers: UpstreamHeaders = {};
  private reader: EventReader | null = null;
  private body: Buffer[] = [];
  private bodyLength = 0;
  private settled = false;
  /** The first bytes have come. */
  private idling = false;

  constructor(private readonly input: AttemptInput, private readonly resolve: (result: AttemptResult) => void, private readonly reject: (failure: AttemptFailure) => void) {
    this.gate = new CommitGate(input.writer, input.candidate);
    this.timer = setTimeout(() => this.silent(), input.provider.timeouts.firstEventMs);
    input.cancellation.onCancel((reason) => this.fail(reason));
  }

  /** undici would not take the request: a header or an address that it cannot send. */
  notSent(error: unknown): void {
    this.fail(networkFailure(this.input.provider.name, error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new Error('the request is over'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    if (status >= 300) this.mode = 'failure';
    else if (this.holdsEvents(headers)) {
      this.mode = 'events';
      this.reader = this.input.provider.adapter.readEvents(this.gate, this.input.call);
    } else this.mode = 'body';
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.settled) return;
    this.heard();
    if (this.reader === null) {
      this.collect(bytes);
      return;
    }
    try {
      this.reader.push(bytes);
    } catch (error) {
      this.input.writer.flush();
      this.fail(this.readingFailure(error));
      return;
    }
    if (!this.input.writer.flush() && !this.gate.ended) this.waitForClient(controller);
  }

  onResponseEnd(): void {
    if (this.settled) return;
    try {
      if (this.mode === 'failure') this.fail(this.input.provider.adapter.readFailure(this.status, this.headers, this.bodyBytes().toString('utf8')));
      else {
        if (this.reader) this.reader.close();
        else this.readWhole();
        this.finish();
      }
    } catch (error) {
      this.fail(this.readingFailure(error));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // a failure that came with its body cut off is still that failure
    if (this.mode === 'failure' && !this.settled) this.onResponseEnd();
    else this.fail(networkFailure(this.input.provider.name, error));
  }

  /** What comes back is read by its content type, not by what was asked. */
  private holdsEvents(headers: UpstreamHeaders): boolean {
    const type = String(headers['content-type'] ?? '');
    if (type.includes('event-stream') || type.includes('eventstream') || type.includes('ndjson') || type.includes('stream+json')) return true;
    return this.input.call.stream && !type.includes('json');
  }

  private collect(bytes: Buffer): void {
    const limit = this.mode === 'failure' ? maxFailureBytes : maxAnswerBytes;
    this.bodyLength += bytes.length;
    if (this.bodyLength <= limit) this.body.push(bytes);
    else if (this.mode === 'failure') this.onResponseEnd();
    else this.fail(unreadable(this.input.provider.name, 'a body of more than 64 MiB'));
  }

  private bodyBytes(): Buffer {
    return this.body.length === 1 ? this.body[0]! : Buffer.concat(this.body);
  }

  private readWhole(): void {
    const { adapter } = this.input.provider;
    const body = this.bodyBytes();
    const answer = adapter.readCompletion(body.toString('utf8'), this.input.call);
    const choice = answer.completion.choices[0];
    this.gate.firstContentAt = performance.now();
    this.gate.contentLength = choice?.message.content?.length ?? 0;
    this.gate.end(choice?.finish_reason ?? null, answer.usage);
    const { message } = choice ?? {};
    if (!message || (!choice?.finish_reason && !message.content && !message.tool_calls?.length && !message.refusal)) throw this.empty();
    this.input.writer.begin(this.input.candidate);
    this.input.writer.whole(answer, adapter.speaksInternalDialect ? body : null);
  }

  private finish(): void {
    if (this.gate.firstContentAt === null) throw this.empty();
    const { finishReason, usage, contentLength, firstContentAt } = this.gate;
    this.input.writer.flush();
    this.settle();
    this.resolve({ finishReason, usage, contentLength, firstContentAt });
  }

  private fail(error: GatewayError): void {
    if (this.settled) return;
    this.settle();
    this.controller?.abort(error);
    const committed = this.input.writer.streams && this.gate.firstContentAt !== null && this.reader !== null;
    this.reject(new AttemptFailure(error, committed, this.gate.firstContentAt, this.gate.contentLength));
  }

  private settle(): void {
    this.settled = true;
    this.input.cancellation.onCancel(null);
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Any bytes are a sign of life; from the first on, the shorter patience between events counts. */
  private heard(): void {
    if (this.body.length === 0 && this.timer && !this.idling) {
      clearTimeout(this.timer);
      this.idling = true;
      this.timer = setTimeout(() => this.silent(), this.input.provider.timeouts.idleMs);
    } else this.timer?.refresh();
  }

  private silent(): void {
    const { timeouts, name } = this.input.provider;
    this.fail(new GatewayError('upstream_timeout', this.idling ? `${name} sent nothing for ${timeouts.idleMs} ms` : `${name} sent no first event within ${timeouts.firstEventMs} ms`));
  }

  /** A client that reads slowly must not fill our memory, nor be taken for a silent provider. */
  private waitForClient(controller: Dispatcher.DispatchController): void {
    controller.pause();
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.input.writer.whenDrained(() => {
      if (this.settled) return;
      this.timer = setTimeout(() => this.silent(), this.input.provider.timeouts.idleMs);
      controller.resume();
    });
  }

  private readingFailure(error: unknown): GatewayError {
    return error instanceof GatewayError ? error : unreadable(this.input.provider.name, 'an unexpected shape', error);
  }

  private empty(): GatewayError {
    return unreadable(this.input.provider.name, 'neither content, nor a tool call, nor a finish reason');
  }
}
