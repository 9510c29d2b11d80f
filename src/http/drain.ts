import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const sweepMs = 50;

/**
 * Tracks a server's connections, so that it can be stopped gracefully. The returned function
 * accepts no new connections, closes idle ones, gives requests in flight `drainMs` to finish and
 * then closes their connections; it resolves when the server is closed.
 *
 * Ours rather than http-terminator: its dependencies (delay, p-wait-for, roarr, type-fest) are more
 * code than this function, it logs with a logger of its own, and Node closes idle connections
 * itself.
 */
export function drainable(server: Server): (drainMs: number) => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async (drainMs) => {
    const closed = new Promise((resolve) => server.close(resolve));
    // `close` closes only the connections that are idle at that moment. Later ones become idle
    // after
    // their answer, and Node counts a connection that never sent a byte (browsers open some in
    // advance) as busy.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, sweepMs);
    const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
  };
}
