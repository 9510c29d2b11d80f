import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const sweepMs = 50;

/**
 * Makes a server one that can be stopped without cutting anybody off. The function it gives takes no new connections, lets requests in
 * flight finish for `drainMs` and then cuts them; it resolves when nothing is left. Connections without a request hold nothing up.
 */
export function drainable(server: Server): (drainMs: number) => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async (drainMs) => {
    const closed = new Promise((resolve) => server.close(resolve));
    // Node closes what is idle now: a connection stays open after the answer that is still under way, and one on which nothing was ever
    // sent (browsers open some ahead of need) passes for busy
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
