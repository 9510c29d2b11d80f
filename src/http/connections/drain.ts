import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const sweepMs = 50;
/** How long the ends of cancelled answers have to reach their clients. */
const maxEndMs = 1_000;

/** Stops a server gracefully. */
export interface Drain {
  /** From now on each answer closes its connection, so that clients connect to another replica. */
  announce(): void;
  /**
   * Accepts no new connections, closes idle ones, and gives requests in flight `drainMs` to finish.
   * Then calls `cut`, which must end them, and a second later closes their connections. Resolves
   * when the server is closed.
   */
  stop(drainMs: number, cut: () => void): Promise<void>;
}

/** A connection of Node's HTTP server. */
export interface ServedSocket extends Socket {
  /** The response being written. Undocumented. */
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Tracks a server's connections, so that it can be stopped gracefully.
 *
 * Not http-terminator: its dependencies (delay, p-wait-for, roarr, type-fest) are more code than
 * this function, it brings its own logger, and Node closes idle connections itself.
 */
export function drainable(server: Server): Drain {
  const sockets = new Set<ServedSocket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    announce() {
      const close = (res: ServerResponse | null | undefined): void => {
        if (res) res.shouldKeepAlive = false;
      };
      for (const { _httpMessage: answering } of sockets) close(answering);
      server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => close(res));
    },
    stop: async (drainMs, cut) => {
      const closed = new Promise((resolve) => server.close(resolve));
      // `close` closes only the connections that are idle at that moment. Later ones become idle
      // after their answer, and Node counts a connection that never sent a byte (browsers open some
      // in advance) as busy.
      const sweep = setInterval(() => {
        server.closeIdleConnections();
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      }, sweepMs);
      let deadline = setTimeout(() => {
        cut();
        deadline = setTimeout(() => server.closeAllConnections(), maxEndMs);
      }, drainMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}
