import type { Dispatcher } from 'undici';
import { GatewayError } from '../errors.js';
import type { UpstreamHeaders } from '../providers/adapter.js';
import { isUnbilledStatus, unreadable } from '../providers/failure.js';
import type { Limits } from '../chooser/plan.js';
import type { Cancellation, Deadline } from './cancellation.js';
import { IdleTimeout } from './idle-timeout.js';
import { networkFailure } from './network-failure.js';
import type { Provider } from './provider.js';
import { secretsOf, withoutSecrets } from './secrets.js';
import type {
  AnswerStream,
  AttemptAnswer,
  AttemptProgress,
  UpstreamCall,
} from './upstream-call.js';

const maxFailureBytes = 256 * 1024;
const maxAnswerBytes = 64 * 1024 * 1024;
/** How long a connection may stay open after the end of its answer. */
const lingerMs = 2_000;
/** The longest wait for the body of a failure: its status line has told what it is. */
const failureBodyMs = 2_000;

/** When a call got how far, by `performance.now()`; null: not yet. */
export interface CallTiming {
  sentAt: number | null;
  headersAt: number | null;
}

/** One upstream call, and what limits it. */
export interface AttemptInput<Answer extends AttemptAnswer> {
  provider: Provider;
  call: UpstreamCall<Answer>;
  apiKey: string | null;
  limits: Limits;
  cancellation: Cancellation;
  deadline: Deadline;
  /** Is filled in. */
  timing: CallTiming;
}

/** Thrown for a failed attempt: the failure, and how far the attempt had come. */
export class AttemptFailure extends Error {
  readonly error: GatewayError;

  /**
   * @param mayBeBilled whether the provider may have worked for it, and may charge for that
   * @param secrets are removed from what the error tells
   */
  constructor(
    error: GatewayError,
    readonly progress: AttemptProgress,
    readonly mayBeBilled: boolean,
    secrets: readonly string[],
  ) {
    const safe = withoutSecrets(error, secrets);
    super(safe.message);
    this.error = safe;
  }
}

type Phase = 'waiting' | 'streaming' | 'collecting' | 'failing';

/**
 * undici's handler of one call. Reads synchronously, so that many events of one read become one
 * write.
 */
export class Exchange<Answer extends AttemptAnswer> implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private readonly idleTimeout: IdleTimeout;
  private phase: Phase = 'waiting';
  private status = 0;
  private headers: UpstreamHeaders = {};
  private stream: AnswerStream<Answer> | null = null;
  private body: Buffer[] = [];
  private bodyBytes = 0;
  private isSettled = false;
  /** A write to the client is due in this tick. */
  private isFlushDue = false;
  /** The provider is paused until the client has caught up. */
  private isPaused = false;
  /** Ends a response whose end does not come. */
  private linger: NodeJS.Timeout | null = null;

  constructor(
    private readonly input: AttemptInput<Answer>,
    private readonly sentHeaders: Readonly<Record<string, string>>,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (failure: AttemptFailure) => void,
  ) {
    const { provider, limits, deadline } = input;
    this.idleTimeout = new IdleTimeout(
      {
        provider: provider.name,
        firstEventMs: Math.min(provider.timeouts.firstEventMs, limits.firstEventTimeoutMs),
        idleMs: Math.min(provider.timeouts.idleMs, limits.idleTimeoutMs),
        deadline,
      },
      (error) => this.fail(error),
    );
    input.cancellation.onCancel((reason) => this.fail(reason));
  }

  /** Call where undici rejects the request itself: a header or an address that cannot be sent. */
  notSent(error: unknown): void {
    this.fail(networkFailure(this.input.provider.name, error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.input.timing.sentAt = performance.now();
    if (this.isSettled) controller.abort(new Error('the request is over'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamHeaders,
  ): void {
    if (status < 200) return;
    this.input.timing.headersAt = performance.now();
    this.status = status;
    this.headers = headers;
    if (status >= 300) this.awaitFailure();
    else {
      this.stream = this.input.call.openStream(headers);
      this.phase = this.stream ? 'streaming' : 'collecting';
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.isSettled) return;
    this.idleTimeout.recordActivity();
    if (this.stream === null) {
      this.collect(bytes);
      return;
    }
    try {
      this.stream.push(bytes);
    } catch (error) {
      this.failReading(error);
      return;
    }
    // one socket read can contain many of HTTP's chunks: they become one write
    if (!this.isFlushDue) process.nextTick(this.flush);
    this.isFlushDue = true;
  }

  onResponseEnd(): void {
    if (this.linger) clearTimeout(this.linger);
    if (this.isSettled) return;
    try {
      if (this.phase === 'failing') this.fail(this.readFailure());
      else this.succeed(this.readAnswer());
    } catch (error) {
      this.failReading(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // an error answer counts even where its body was cut off
    if (this.phase === 'failing' && !this.isSettled) this.onResponseEnd();
    else this.fail(networkFailure(this.input.provider.name, error, this.phase !== 'waiting'));
  }

  /** Reads a failure's body for a moment: what has come by then says why the call failed. */
  private awaitFailure(): void {
    const { provider, limits, deadline } = this.input;
    this.phase = 'failing';
    this.idleTimeout.stop();
    const waitMs = Math.min(failureBodyMs, provider.timeouts.idleMs, limits.idleTimeoutMs);
    this.linger = setTimeout(
      () => this.onResponseEnd(),
      Math.max(0, Math.min(waitMs, deadline.leftMs())),
    );
  }

  private readonly flush = (): void => {
    this.isFlushDue = false;
    if (this.isSettled || !this.stream) return;
    if (this.stream.ended) this.finishEarly(this.stream);
    else if (!this.stream.flush() && !this.isPaused && this.controller)
      this.waitForClient(this.stream, this.controller);
  };

  /** The answer is complete, but the response still open: close the connection if it stays open. */
  private finishEarly(stream: AnswerStream<Answer>): void {
    try {
      this.succeed(stream.finish());
      this.linger = setTimeout(
        () => this.controller?.abort(new Error('the answer is complete')),
        lingerMs,
      ).unref();
    } catch (error) {
      this.failReading(error);
    }
  }

  /** A client that reads slowly must not fill the memory, nor make the provider seem silent. */
  private waitForClient(
    stream: AnswerStream<Answer>,
    controller: Dispatcher.DispatchController,
  ): void {
    controller.pause();
    this.isPaused = true;
    this.idleTimeout.pause();
    stream.whenDrained(() => {
      if (this.isSettled) return;
      this.isPaused = false;
      this.idleTimeout.resume();
      controller.resume();
    });
  }

  private collect(bytes: Buffer): void {
    const isFailing = this.phase === 'failing';
    this.bodyBytes += bytes.length;
    if (this.bodyBytes <= (isFailing ? maxFailureBytes : maxAnswerBytes)) this.body.push(bytes);
    else if (isFailing) this.onResponseEnd();
    else this.fail(unreadable(this.input.provider.name, 'larger than 64 MiB'));
  }

  private collected(): Buffer {
    return this.body.length === 1 ? this.body[0]! : Buffer.concat(this.body);
  }

  private readFailure(): GatewayError {
    const body = this.collected().toString('utf8');
    return this.input.provider.adapter.readFailure(this.status, this.headers, body);
  }

  private readAnswer(): Answer {
    if (!this.stream) return this.input.call.readWhole(this.collected());
    this.stream.close();
    return this.stream.finish();
  }

  private succeed(answer: Answer): void {
    this.settle();
    this.resolve(answer);
  }

  private failReading(error: unknown): void {
    // what was read before the failure still goes to the client
    this.stream?.flush();
    this.fail(
      error instanceof GatewayError
        ? error
        : unreadable(this.input.provider.name, 'an unexpected shape', error),
    );
  }

  private fail(error: GatewayError): void {
    if (this.isSettled) return;
    this.settle();
    this.controller?.abort(error);
    const { provider, call } = this.input;
    // tokens that an adapter has fetched are known only from the request
    const sent = secretsOf([this.sentHeaders['authorization'] ?? '']);
    const secrets = [...provider.secrets, ...sent];
    this.reject(new AttemptFailure(error, call.progress(), this.mayBeBilled(), secrets));
  }

  /** A request that was sent is charged unless the provider has refused it. */
  private mayBeBilled(): boolean {
    if (this.phase === 'failing') return !isUnbilledStatus(this.status);
    return this.controller !== null;
  }

  private settle(): void {
    this.isSettled = true;
    if (this.linger) clearTimeout(this.linger);
    this.input.cancellation.onCancel(null);
    this.idleTimeout.stop();
  }
}
