import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Looks at each response in one idle time. */
const looks = 4;

/** A connection of Node's HTTP server. */
interface WrittenSocket extends Socket {
  /** Undocumented, but Node's own timeout of sockets looks at it too. */
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/** What of a response waits for its client. */
interface Waiting {
  /** Changes whenever the system has taken bytes. */
  progress: number;
  /** Looks without progress. */
  count: number;
}

/**
 * Ends responses of which the client takes nothing. Looks at all of them from time to time: a timer
 * for each would cost every request. Counts looks instead of time, so that a stall of the process is
 * not taken for one of its clients.
 */
class StalledResponses {
  /** Each with what is called when it is ended. */
  private readonly open = new Map<ServerResponse, () => void>();
  private readonly waiting = new Map<ServerResponse, Waiting>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly idleMs: number) {}

  watch(res: ServerResponse, onEnd: () => void): void {
    this.open.set(res, onEnd);
    this.timer ??= setInterval(() => this.look(), Math.ceil(this.idleMs / looks)).unref();
    res.once('close', () => this.forget(res));
  }

  private forget(res: ServerResponse): void {
    this.open.delete(res);
    this.waiting.delete(res);
    if (this.open.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  private look(): void {
    for (const [res, onEnd] of this.open) {
      const progress = progressOf(res.socket);
      const known = this.waiting.get(res);
      if (progress === null) this.waiting.delete(res);
      else if (known?.progress !== progress) this.waiting.set(res, { progress, count: 0 });
      else if (++known.count >= looks) {
        onEnd();
        res.destroy();
      }
    }
  }
}

/** A number that changes with each byte that the system takes; null if nothing waits to be taken. */
function progressOf(socket: WrittenSocket | null): number | null {
  if (!socket || socket.writableLength === 0) return null;
  return socket.bytesWritten - socket.writableLength - (socket._handle?.writeQueueSize ?? 0);
}

const byIdleMs = new Map<number, StalledResponses>();

/**
 * Ends a response if its client takes nothing of it for about `idleMs` while something waits to be
 * taken: nothing else ends a connection whose client lives but does not read.
 * @param onEnd called before the response is ended
 */
export function endIfStalled(
  res: ServerResponse,
  idleMs: number,
  onEnd: () => void = () => undefined,
): void {
  // the streams of HTTP/2 have no sockets of their own
  if (res.req.httpVersionMajor !== 1 || res.closed) return;
  let responses = byIdleMs.get(idleMs);
  if (!responses) byIdleMs.set(idleMs, (responses = new StalledResponses(idleMs)));
  responses.watch(res, onEnd);
}
