import type { Transform } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { BodyPieces } from '../async/body-pieces.js';
import { bodyDecoder, isGzip } from '../async/decoders.js';
import { GatewayError } from '../errors.js';
import type { UpstreamHeaders } from '../providers/adapter.js';
import { isUnbilledStatus, unreadable } from '../providers/failure.js';
import { AttemptFailure, type AttemptInput } from './attempt-input.js';
import { IdleTimeout, isPing } from './idle-timeout.js';
import { networkFailure } from './network-failure.js';
import { secretsOf } from './secrets.js';
import type { AnswerStream, AttemptAnswer } from './upstream-call.js';

const maxFailureBytes = 256 * 1024;
const maxAnswerBytes = 64 * 1024 * 1024;
/** How long a connection may stay open after the end of its answer. */
const lingerMs = 2_000;
/** The longest wait for the body of a failure, which its status has told already. */
const failureBodyMs = 2_000;

/** `opening`: too few bytes have come to tell whether the answer is streamed. */
type Phase = 'waiting' | 'opening' | 'streaming' | 'collecting' | 'failing';

/** undici's handler of one call. Reads synchronously, so that many events become one write. */
export class Exchange<Answer extends AttemptAnswer> implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private readonly idleTimeout: IdleTimeout;
  private onFirstContent: (() => void) | null;
  private phase: Phase = 'waiting';
  private status = 0;
  private headers: UpstreamHeaders = {};
  private stream: AnswerStream<Answer> | null = null;
  /**
   * The gateway asks for no compression; some servers and proxies compress anyway. Undefined: nothing
   * has come yet.
   */
  private decoder: Transform | null | undefined;
  private body = new BodyPieces();
  private bodyBytes = 0;
  private isSettled = false;
  /** A write to the client is due in this tick. */
  private isFlushDue = false;
  /** The provider is paused until the client has caught up. */
  private isPaused = false;
  /** Why the connection was closed before the end that the answer's head announced. */
  private closedBy: Error | null = null;
  /** Ends a response whose end does not come. */
  private linger: NodeJS.Timeout | null = null;

  constructor(
    private readonly input: AttemptInput<Answer>,
    private readonly sentHeaders: Readonly<Record<string, string>>,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (failure: AttemptFailure) => void,
  ) {
    const { provider, limits, deadline } = input;
    this.onFirstContent = input.onFirstContent;
    this.idleTimeout = new IdleTimeout(
      {
        provider: provider.name,
        firstEventMs: Math.min(
          provider.timeouts.firstEventMs ?? input.call.firstEventMs,
          limits.firstEventTimeoutMs,
        ),
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
    else this.phase = 'opening';
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.isSettled) return;
    this.idleTimeout.recordActivity(!isPing(bytes));
    if (this.decoder === undefined) this.decoder = this.decoderFor(bytes);
    if (this.decoder === null) this.receive(bytes);
    else if (!this.decoder.write(bytes)) controller.pause();
  }

  private receive(bytes: Buffer): void {
    if (this.isSettled) return;
    try {
      const { stream } = this;
      if (stream) stream.push(bytes);
      else if (!this.open(bytes)) return;
    } catch (error) {
      this.failReading(error);
      return;
    }
    // one socket read can contain many of HTTP's chunks: they become one write
    if (!this.isFlushDue) process.nextTick(this.flush);
    this.isFlushDue = true;
  }

  /** Collects bytes until they tell whether the answer is streamed. @returns whether it is */
  private open(bytes: Buffer): boolean {
    this.collect(bytes);
    if (this.phase !== 'opening' || this.isSettled) return false;
    const head = this.body.joined();
    if (isGzip(head)) throw unreadable(this.input.provider.name, 'it is compressed twice');
    const stream = this.input.call.openStream(this.headers, head);
    if (stream === undefined) return false;
    this.phase = stream ? 'streaming' : 'collecting';
    this.stream = stream;
    if (stream) this.body = new BodyPieces();
    stream?.push(head);
    return stream !== null;
  }

  private decoderFor(head: Buffer): Transform | null {
    const decoder = bodyDecoder(String(this.headers['content-encoding'] ?? ''), head);
    return (
      decoder
        ?.on('data', (bytes: Buffer) => this.receive(bytes))
        .on('end', () => this.complete())
        .on('error', (error: unknown) =>
          this.failReading(unreadable(this.input.provider.name, 'its compression', error)),
        )
        .on('drain', () => {
          if (!this.isPaused) this.controller?.resume();
        }) ?? null
    );
  }

  onResponseEnd(): void {
    if (this.decoder && !this.isSettled) this.decoder.end();
    else this.complete();
  }

  /** The body is complete, or the wait for a failure's body is over. */
  private complete(): void {
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
    // an error answer counts even where its body was cut off. A server that closes the connection may
    // have sent all of an answer, and told its length wrong
    if (this.phase === 'failing' && !this.isSettled) this.complete();
    else if (this.phase !== 'waiting' && error instanceof errors.SocketError) {
      this.closedBy = error;
      this.onResponseEnd();
    } else this.fail(networkFailure(this.input.provider.name, error, this.phase !== 'waiting'));
  }

  /** Reads a failure's body for a moment: what has come by then says why the call failed. */
  private awaitFailure(): void {
    const { provider, limits, deadline } = this.input;
    this.phase = 'failing';
    this.idleTimeout.stop();
    const waitMs = Math.min(failureBodyMs, provider.timeouts.idleMs, limits.idleTimeoutMs);
    this.linger = setTimeout(
      () => this.complete(),
      Math.max(0, Math.min(waitMs, deadline.leftMs())),
    );
  }

  private readonly flush = (): void => {
    this.isFlushDue = false;
    if (this.isSettled || !this.stream) return;
    if (this.onFirstContent && this.input.call.progress().firstContentAt !== null) {
      this.onFirstContent();
      this.onFirstContent = null;
    }
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
    this.decoder?.pause();
    this.isPaused = true;
    this.idleTimeout.pause();
    stream.whenDrained(() => {
      if (this.isSettled) return;
      this.isPaused = false;
      this.idleTimeout.resume();
      this.decoder?.resume();
      controller.resume();
    });
  }

  private collect(bytes: Buffer): void {
    const isFailing = this.phase === 'failing';
    this.bodyBytes += bytes.length;
    if (this.bodyBytes <= (isFailing ? maxFailureBytes : maxAnswerBytes)) this.body.add(bytes);
    else if (isFailing) this.complete();
    else this.fail(unreadable(this.input.provider.name, 'larger than 64 MiB'));
  }

  private readFailure(): GatewayError {
    const body = this.body.joined().toString('utf8');
    // some servers refuse a stream in an event of it
    const event = /^(?:event:[^\r\n]*[\r\n]\s*)?data:\s*(\{.*\})/.exec(body)?.[1];
    return this.input.provider.adapter.readFailure(this.status, this.headers, event ?? body);
  }

  private readAnswer(): Answer {
    if (this.phase === 'opening')
      this.stream = this.input.call.openStream(this.headers, null) ?? null;
    if (!this.stream) return this.input.call.readWhole(this.body.joined());
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
    const { name } = this.input.provider;
    const failure =
      error instanceof GatewayError ? error : unreadable(name, 'an unexpected shape', error);
    const { code, recovery } = failure;
    const isCut = code === 'connection_failed' || code === 'unreadable_answer';
    if (!this.closedBy || !isCut) this.fail(failure);
    else {
      const { message, cause } = networkFailure(name, this.closedBy, true);
      this.fail(new GatewayError('connection_failed', message, { cause, recovery }));
    }
  }

  private fail(error: GatewayError): void {
    if (this.isSettled) return;
    this.settle();
    this.controller?.abort(error);
    const { provider, call } = this.input;
    // tokens that an adapter has fetched are known only from the request
    const secrets = [...provider.secrets, ...secretsOf([this.sentHeaders['authorization'] ?? ''])];
    this.reject(new AttemptFailure(error, call.progress(), this.mayBeBilled(), secrets));
  }

  /** A request that was sent is charged unless the provider has refused it. */
  private mayBeBilled(): boolean {
    if (this.phase === 'failing') return !isUnbilledStatus(this.status);
    return this.controller !== null;
  }

  private settle(): void {
    this.isSettled = true;
    this.decoder?.destroy();
    if (this.linger) clearTimeout(this.linger);
    this.input.cancellation.onCancel(null);
    this.idleTimeout.stop();
  }
}
