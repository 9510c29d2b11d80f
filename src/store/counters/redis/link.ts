import { createClient, ErrorReply } from '@redis/client';
import { backoffMs, type BackoffRule } from '../../../async/backoff.js';
import { withTimeout } from '../../../async/with-timeout.js';
import { isUnusable, reasonOf, RedisAway, RedisRefusal } from './redis-error.js';
import type { Script } from './scripts.js';

export interface LinkOptions {
  readonly url: string;
  /** A key of no meaning that may be written to find out whether anything may be. */
  readonly probeKey: string;
  /** Where replicas tell each other things. */
  readonly channel: string;
  readonly scripts: readonly Script[];
  /** Redis can be used from now on. */
  readonly onUp: () => void;
  /** It cannot any more, or could not from the start. */
  readonly onDown: (reason: string) => void;
  readonly onMessage: (text: string) => void;
}

/** A Redis that answers nothing for so long is taken for gone, so that one that hangs holds up a request at most once. */
const silenceMs = 250;
/** One that answers, but this late, is of no use either. */
const latestMs = 1_000;
const connectMs = 1_000;
/** Connecting, signing in and loading the scripts. Longer than `connectMs`, so that a socket that connects late is not lost sight of. */
const openMs = 2_000;
const heartbeatMs = 2_000;
const reconnect: BackoffRule = { firstMs: 100, maxMs: 5_000, jitter: 0.25 };
/** Whoever was there for so long is worth an immediate try again. */
const steadyMs = 10_000;

type Client = ReturnType<typeof newClient>;

interface Sent {
  readonly sentAt: number;
  isAnswered: boolean;
  timer?: NodeJS.Timeout;
}

/** The client's own queue and reconnection are not used: what could not be asked at once is asked of somebody else. */
function newClient(url: string) {
  return createClient({
    url,
    RESP: 3,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // its timeouts end with the writing, and cost each command a signal
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: connectMs, reconnectStrategy: false },
  });
}

/** One connection to Redis that comes back by itself. What is sent while it is gone, or has not been answered when it goes, rejects at once. */
export class RedisLink {
  private client: Client | null = null;
  private upAt = 0;
  private answeredAt = 0;
  private failures = 0;
  private isClosed = false;
  private retry: NodeJS.Timeout | undefined;
  private readonly heartbeat: NodeJS.Timeout;

  constructor(private readonly options: LinkOptions) {
    this.heartbeat = setInterval(
      () => void this.send(['PING']).catch(() => undefined),
      heartbeatMs,
    ).unref();
  }

  get isUp(): boolean {
    return this.client !== null;
  }

  /** Tries to connect; goes on trying after that. Never rejects. */
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
      if (this.failures === 0) this.options.onDown(reasonOf(error));
      this.retryLater();
      return;
    }
    this.client = client;
    this.upAt = performance.now();
    this.options.onUp();
  }

  /** Runs a script that was named at the start. @throws RedisAway, RedisRefusal */
  async run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.send(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      if (!(error instanceof RedisRefusal) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.send(['EVAL', script.text, ...rest]);
    }
  }

  /** As `run`, never after what was asked later: nothing is asked twice where Redis has forgotten its scripts. */
  runInOrder(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.send(['EVAL', script.text, String(keys.length), ...keys, ...args]);
  }

  /** @throws RedisAway, RedisRefusal */
  send(args: readonly string[]): Promise<unknown> {
    const { client } = this;
    if (client === null) return Promise.reject(new RedisAway('there is no connection'));
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

  /** Cuts the connection; what has not been answered rejects. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.heartbeat);
    clearTimeout(this.retry);
    const { client } = this;
    this.client = null;
    if (client) discard(client);
  }

  private watch(client: Client, command: Sent, afterMs: number): void {
    // the answer may be waiting behind what kept this process busy: it is read before the second look
    command.timer = setTimeout(() => setImmediate(() => this.check(client, command)), afterMs);
  }

  private check(client: Client, command: Sent): void {
    if (command.isAnswered) return;
    const now = performance.now();
    const silentMs = now - Math.max(command.sentAt, this.answeredAt);
    if (silentMs >= silenceMs) this.lose(client, `no answer within ${silenceMs} ms`);
    else if (now - command.sentAt >= latestMs) this.lose(client, `no answer within ${latestMs} ms`);
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

  /** What the connection has to be good for, tried out. */
  private async prepare(client: Client): Promise<void> {
    const { scripts, probeKey, channel, onMessage } = this.options;
    await client.connect();
    await Promise.all([
      ...scripts.map(({ text }) => client.sendCommand(['SCRIPT', 'LOAD', text])),
      client.sendCommand(['SET', probeKey, '1', 'PX', '1000']),
      client.subscribe(channel, onMessage),
    ]);
  }

  private failureOf(client: Client, error: unknown): RedisAway | RedisRefusal {
    const reason = reasonOf(error);
    if (error instanceof ErrorReply && !isUnusable(reason)) return new RedisRefusal(reason);
    this.lose(client, reason);
    return new RedisAway(reason);
  }

  private lose(client: Client, reason: string): void {
    if (this.client !== client) return;
    this.client = null;
    discard(client);
    if (performance.now() - this.upAt > steadyMs) this.failures = 0;
    this.options.onDown(reason);
    this.retryLater();
  }

  private retryLater(): void {
    if (this.isClosed) return;
    const waitMs = backoffMs(++this.failures, reconnect);
    this.retry = setTimeout(() => void this.open(), waitMs).unref();
  }
}

/** Ends a connection, and one that is just being made as soon as it is. */
function discard(client: Client): void {
  client.once('ready', () => client.destroy());
  client.destroy();
}
