import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LiveList } from '../../async/live-list.js';

/** How often each response is checked within one idle timeout. */
const looks = 4;

/** A connection of Node's HTTP server. */
interface WrittenSocket extends Socket {
  /** Undocumented, but Node's own timeout of sockets looks at it too. */
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/** A response, and its progress towards the client. */
interface Watched {
  readonly res: ServerResponse;
  /** Called before it is ended. */
  readonly onEnd: () => void;
  /** Changes whenever the system takes bytes; null: no bytes wait. */
  progress: number | null;
  /** Checks in a row without progress. */
  count: number;
}

/**
 * Ends responses whose client reads nothing. Checks all of them from time to time: a timer for each
 * would cost every request. Counts checks instead of time, so that a stall of the process does not
 * look like a stall of a client.
 */
class StalledResponses {
  private readonly open = new LiveList<Watched>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly idleMs: number) {}

  watch(res: ServerResponse, onEnd: () => void): void {
    const entry = this.open.add({ res, onEnd, progress: null, count: 0 });
    this.timer ??= setInterval(() => this.look(), Math.ceil(this.idleMs / looks)).unref();
    res.once('close', () => {
      this.open.remove(entry);
      if (this.open.size === 0) this.stopLooking();
    });
  }

  private stopLooking(): void {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  private look(): void {
    for (const watched of this.open.items()) {
      const { res, onEnd } = watched;
      const progress = progressOf(res.socket);
      if (progress === null || watched.progress !== progress) {
        watched.progress = progress;
        watched.count = 0;
      } else if (++watched.count >= looks) {
        onEnd();
        res.destroy();
      }
    }
  }
}

/** A number that changes with each byte that the system takes; null if no bytes wait. */
function progressOf(socket: WrittenSocket | null): number | null {
  if (!socket || socket.writableLength === 0) return null;
  return socket.bytesWritten - socket.writableLength - (socket._handle?.writeQueueSize ?? 0);
}

const byIdleMs = new Map<number, StalledResponses>();

/**
 * Ends a response if its client reads nothing for about `idleMs` while bytes wait: nothing else
 * ends a connection whose client lives but does not read.
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
