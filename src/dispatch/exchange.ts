import type { Dispatcher } from 'undici';
import type { EventReader, Usage } from '../completion.js';
import { GatewayError } from '../errors.js';
import type { ModelCall, UpstreamHeaders } from '../providers/adapter.js';
import { unreadable, withoutSecret } from '../providers/failure.js';
import type { RankedCandidate } from '../routing/plan.js';
import type { AnswerWriter } from './answer-writer.js';
import type { Cancellation } from './cancellation.js';
import { CommitGate } from './commit-gate.js';
import type { Deadline } from './deadline.js';
import { networkFailure } from './network-failure.js';
import { IdleTimeout } from './idle-timeout.js';
import type { Provider } from './provider.js';

/** An error body is read this far, and a whole answer that far. */
const maxFailureBytes = 256 * 1024;
const maxAnswerBytes = 64 * 1024 * 1024;
const lingerMs = 2_000;

export interface AttemptInput {
  provider: Provider;
  candidate: RankedCandidate;
  call: ModelCall;
  apiKey: string | null;
  writer: AnswerWriter;
  cancellation: Cancellation;
  deadline: Deadline;
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
  constructor(
    readonly error: GatewayError,
    readonly committed: boolean,
    readonly firstContentAt: number | null,
    readonly contentLength: number,
  ) {
    super(error.message);
  }
}

type Mode = 'waiting' | 'events' | 'body' | 'failure';

/** undici's handler of one call: fed synchronously, so that a read of many events is one write to the client. */
export class Exchange implements Dispatcher.DispatchHandler {
  private readonly gate: CommitGate;
  private controller: Dispatcher.DispatchController | null = null;
  private readonly patience: IdleTimeout;
  private mode: Mode = 'waiting';
  private status = 0;
  private headers: UpstreamHeaders = {};
  private reader: EventReader | null = null;
  private body: Buffer[] = [];
  private bodyLength = 0;
  private settled = false;
  /** A write to the client is due in this tick. */
  private flushing = false;
  /** The provider is held back until the client has caught up. */
  private waiting = false;
  /** Ends a connection that stays open after the answer's end. */
  private linger: NodeJS.Timeout | null = null;

  constructor(
    private readonly input: AttemptInput,
    private readonly resolve: (result: AttemptResult) => void,
    private readonly reject: (failure: AttemptFailure) => void,
  ) {
    this.gate = new CommitGate(input.writer, input.candidate);
    const { name, timeouts } = input.provider;
    this.patience = new IdleTimeout(
      {
        provider: name,
        firstEventMs: timeouts.firstEventMs,
        idleMs: timeouts.idleMs,
        deadline: input.deadline,
      },
      (error) => this.fail(error),
    );
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

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamHeaders,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    if (status >= 300) this.mode = 'failure';
    else if (this.holdsEvents(headers)) {
      this.mode = 'events';
      this.reader = this.input.provider.adapter.readEvents(this.gate, this.input.call);
    } else this.mode = 'body';
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.settled) return;
    this.patience.heard();
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
    this.bodyLength += bytes.length;
    if (this.keepsTooMuch()) {
      this.fail(unreadable(this.input.provider.name, 'more than 64 MiB'));
      return;
    }
    // one socket read can hold many of HTTP's chunks: they become one write
    if (!this.flushing) process.nextTick(this.flush);
    this.flushing = true;
  }

  /** What waits here for the answer to begin, or to be whole, must have an end. */
  private keepsTooMuch(): boolean {
    if (this.gate.firstContentAt === null) return this.bodyLength > maxAnswerBytes;
    return !this.input.writer.streams && this.gate.contentLength > maxAnswerBytes;
  }

  private readonly flush = (): void => {
    this.flushing = false;
    if (this.settled) return;
    if (this.gate.ended) this.finishEarly();
    else if (!this.input.writer.flush() && !this.waiting && this.controller)
      this.waitForClient(this.controller);
  };

  /** The answer is whole though the response is not over: whoever keeps it open for long loses the connection. */
  private finishEarly(): void {
    try {
      this.finish();
      this.linger = setTimeout(
        () => this.controller?.abort(new Error('nothing is left to read')),
        lingerMs,
      ).unref();
    } catch (error) {
      this.fail(this.readingFailure(error));
    }
  }

  onResponseEnd(): void {
    if (this.linger) clearTimeout(this.linger);
    if (this.settled) return;
    try {
      if (this.mode === 'failure')
        this.fail(
          this.input.provider.adapter.readFailure(
            this.status,
            this.headers,
            withoutSecret(this.bodyBytes().toString('utf8'), this.input.apiKey),
          ),
        );
      else {
        if (this.reader) this.reader.close();
        else this.readWhole();
        this.finish();
      }
    } catch (error) {
      // a last frame without its line end is read only now
      this.input.writer.flush();
      this.fail(this.readingFailure(error));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // a failure that came with its body cut off is still that failure
    if (this.mode === 'failure' && !this.settled) this.onResponseEnd();
    else this.fail(networkFailure(this.input.provider.name, error, this.mode !== 'waiting'));
  }

  /** What comes back is read by its content type, not by what was asked. */
  private holdsEvents(headers: UpstreamHeaders): boolean {
    const type = String(headers['content-type'] ?? '');
    if (
      type.includes('event-stream') ||
      type.includes('eventstream') ||
      type.includes('ndjson') ||
      type.includes('stream+json')
    )
      return true;
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
    if (
      !message ||
      (!choice?.finish_reason &&
        !message.content &&
        !message.tool_calls?.length &&
        !message.refusal)
    )
      throw this.empty();
    this.input.writer.begin(this.input.candidate);
    this.input.writer.whole(
      answer,
      adapter.speaksInternalDialect && !answer.rewritten ? body : null,
    );
  }

  private finish(): void {
    if (this.gate.firstContentAt === null) throw this.empty();
    const { finishReason, usage, contentLength, firstContentAt } = this.gate;
    this.settle();
    this.resolve({ finishReason, usage, contentLength, firstContentAt });
  }

  private fail(error: GatewayError): void {
    if (this.settled) return;
    this.settle();
    this.controller?.abort(error);
    const committed =
      this.input.writer.streams && this.gate.firstContentAt !== null && this.reader !== null;
    this.reject(
      new AttemptFailure(error, committed, this.gate.firstContentAt, this.gate.contentLength),
    );
  }

  private settle(): void {
    this.settled = true;
    this.input.cancellation.onCancel(null);
    this.patience.stop();
  }

  /** A client that reads slowly must not fill our memory, nor be taken for a silent provider. */
  private waitForClient(controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.waiting = true;
    this.patience.hold(true);
    this.input.writer.whenDrained(() => {
      if (this.settled) return;
      this.waiting = false;
      this.patience.hold(false);
      controller.resume();
    });
  }

  private readingFailure(error: unknown): GatewayError {
    return error instanceof GatewayError
      ? error
      : unreadable(this.input.provider.name, 'an unexpected shape', error);
  }

  private empty(): GatewayError {
    return unreadable(
      this.input.provider.name,
      'neither content, nor a tool call, nor a finish reason',
    );
  }
}
