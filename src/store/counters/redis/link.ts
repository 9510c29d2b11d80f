import { createClient, ErrorReply } from '@redis/client';
import { backoffMs, type BackoffRule } from '../../../async/backoff.js';
import { withTimeout } from '../../../async/with-timeout.js';
import type { Script } from './scripts.js';

export interface RedisLinkOptions {
  readonly url: string;
  /** A key that is written to find out whether Redis accepts writes. */
  readonly probeKey: string;
  /** The channel of messages between replicas. */
  readonly channel: string;
  readonly scripts: readonly Script[];
  /** The first argument of each script: the time in epoch ms, or -1 for Redis's own clock. */
  readonly time: () => string;
  readonly onUp: () => void;
  /** Redis became unavailable, or was so from the start, or is so for another reason. */
  readonly onDown: (reason: string) => void;
  readonly onMessage: (text: string) => void;
}

/** A Redis silent for this long is lost: a hanging one delays each request at most once. */
const silenceMs = 250;
/** So does one that answers other commands but leaves one unanswered for this long. */
const maxAnswerMs = 1_000;
const connectMs = 1_000;
/** For connecting, authentication and scripts; above `connectMs`, whose timeout comes first. */
const openMs = 2_000;
const heartbeatMs = 2_000;
const reconnect: BackoffRule = { firstMs: 100, maxMs: 5_000, jitter: 0.25 };
/** After a connection that lasted this long, the backoff starts anew. */
const steadyMs = 10_000;

type Client = ReturnType<typeof newClient>;

interface Sent {
  readonly sentAt: number;
  isAnswered: boolean;
  timer?: NodeJS.Timeout;
}

/** Has no queue or reconnection: a command must fail at once, so that the memory counts. */
function newClient(url: string) {
  return createClient({
    url,
    RESP: 3,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // the client's timeouts cover only the writing, and cost an AbortSignal for each command
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: connectMs, reconnectStrategy: false },
  });
}

/** Reconnects by itself. Commands reject while it is lost, and those that it left unanswered. */
export class RedisLink {
  private client: Client | null = null;
  private upAt = 0;
  private answeredAt = 0;
  private failures = 0;
  /** Why Redis is away, as told since it was there. */
  private readonly told = new Set<string>();
  private isClosed = false;
  private retry: NodeJS.Timeout | undefined;
  private readonly heartbeat: NodeJS.Timeout;

  constructor(private readonly options: RedisLinkOptions) {
    this.heartbeat = setInterval(
      () => void this.send(['PING']).catch(() => undefined),
      heartbeatMs,
    ).unref();
  }

  get isUp(): boolean {
    return this.client !== null;
  }

  /** Tries to connect, and retries in the background. Never rejects. */
  async open(): Promise<void> {
    if (this.isClosed) return;
    const client = newClient(this.options.url);
    client.on('error', (error) => this.lose(client, reasonOf(error)));
    try {
      await withTimeout(this.prepare(client), openMs, () => {
        throw new RedisAway(`not ready within ${openMs} ms`);
      });
      if (this.wasClosed() || !client.isReady) throw new RedisAway('the connection was closed');
    } catch (error) {
      discard(client);
      this.tell(reasonOf(error));
      this.retryLater();
      return;
    }
    this.client = client;
    this.upAt = performance.now();
    this.told.clear();
    this.options.onUp();
  }

  /** Runs one of the scripts of the options. @throws RedisAway, RedisRefusal */
  async run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const rest = this.argumentsOf(keys, args);
    try {
      return await this.send(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      if (!(error instanceof RedisRefusal) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.send(['EVAL', script.text, ...rest]);
    }
  }

  /**
   * As `run`, and never after a command that was sent later: it sends the script's text, so there
   * is no second try when Redis has lost its scripts.
   */
  runInOrder(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.send(['EVAL', script.text, ...this.argumentsOf(keys, args)]);
  }

  /** @throws RedisAway, RedisRefusal */
  send(args: readonly string[]): Promise<unknown> {
    const { client } = this;
    if (client === null) return Promise.reject(new RedisAway('no connection'));
    const command: Sent = { sentAt: performance.now(), isAnswered: false };
    this.watch(client, command, silenceMs);
    return client.sendCommand([...args]).then(
      (reply) => {
        this.answered(command);
        return reply;
      },
      (error: unknown) => {
        this.answered(command);
        throw this.failureOf(client, error);
      },
    );
  }

  private argumentsOf(keys: readonly string[], args: readonly string[]): string[] {
    return [String(keys.length), ...keys, this.options.time(), ...args];
  }

  /** Closes the connection; unanswered commands reject. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.heartbeat);
    clearTimeout(this.retry);
    const { client } = this;
    this.client = null;
    if (client) discard(client);
  }

  private watch(client: Client, command: Sent, afterMs: number): void {
    // if this process was busy, the answer may be waiting in the socket: setImmediate lets it be
    // read first
    command.timer = setTimeout(() => setImmediate(() => this.check(client, command)), afterMs);
  }

  private check(client: Client, command: Sent): void {
    if (command.isAnswered) return;
    const now = performance.now();
    const silentMs = now - Math.max(command.sentAt, this.answeredAt);
    if (silentMs >= silenceMs) this.lose(client, `no answer within ${silenceMs} ms`);
    else if (now - command.sentAt >= maxAnswerMs)
      this.lose(client, `no answer within ${maxAnswerMs} ms`);
    else this.watch(client, command, silenceMs - silentMs);
  }

  private answered(command: Sent): void {
    command.isAnswered = true;
    this.answeredAt = performance.now();
    clearTimeout(command.timer);
  }

  private wasClosed(): boolean {
    return this.isClosed;
  }

  /** Connects, and checks all that the connection is used for. */
  private async prepare(client: Client): Promise<void> {
    const { scripts, probeKey, channel, onMessage } = this.options;
    await client.connect();
    await Promise.all([
      ...scripts.map(({ text }) => client.sendCommand(['SCRIPT', 'LOAD', text])),
      client.sendCommand(['SET', probeKey, '1', 'PX', '1000']),
      // a script changes several counters at once, which a cluster refuses (CROSSSLOT)
      client.sendCommand(['EXISTS', probeKey, channel]),
      client.subscribe(channel, onMessage),
    ]);
  }

  private failureOf(client: Client, error: unknown): RedisAway | RedisRefusal {
    const reason = reasonOf(error);
    if (error instanceof ErrorReply && !unusable.test(reason)) return new RedisRefusal(reason);
    this.lose(client, reason);
    return new RedisAway(reason);
  }

  private lose(client: Client, reason: string): void {
    if (this.client !== client) return;
    this.client = null;
    discard(client);
    if (performance.now() - this.upAt > steadyMs) this.failures = 0;
    this.tell(reason);
    this.retryLater();
  }

  private tell(reason: string): void {
    if (!this.told.has(reason)) this.options.onDown(reason);
    this.told.add(reason);
  }

  private retryLater(): void {
    if (this.isClosed) return;
    const waitMs = backoffMs(++this.failures, reconnect);
    this.retry = setTimeout(() => void this.open(), waitMs).unref();
  }
}

/** Ends a connection; one that is being established, as soon as it is. */
function discard(client: Client): void {
  client.once('ready', () => client.destroy());
  client.destroy();
}

/** Redis is unavailable: unreachable, full, read-only, … The command may have been executed. */
class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/** Redis refused this command; others may succeed. */
export class RedisRefusal extends Error {
  override readonly name = 'RedisRefusal';
}

/**
 * Error codes that mean that Redis as a whole is unavailable. They may follow `ERR` in a script's
 * failure of older versions.
 */
const unusable =
  /\b(OOM|READONLY|MISCONF|LOADING|MASTERDOWN|NOREPLICAS|NOAUTH|NOPERM|WRONGPASS|CLUSTERDOWN|TRYAGAIN|BUSY)\b/;

/** The reason for a failed connection, at most 200 characters. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // an AggregateError of several addresses has no message
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return (error.message || code).slice(0, 200);
}
