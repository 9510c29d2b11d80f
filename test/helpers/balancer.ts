import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP load balancer in front of replicas. A target is `host:port`. */
export interface Balancer {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  add(target: string): void;
  /** Gives it no more connections; the open ones go on unless they are to be cut. */
  remove(target: string, options?: { cut: boolean }): void;
  /** How many connections lead to it now. */
  connectionsOf(target: string): number;
  /** Cuts all connections and stops. */
  close(): Promise<void>;
}

/**
 * Starts one on a free port of 127.0.0.1: each connection goes to the next target, and on to the
 * one after where that refuses.
 */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const inTurn = [...targets];
  const upstreams = new Map<Socket, string>();
  const clients = new Set<Socket>();
  const carry = async (client: Socket): Promise<void> => {
    clients.add(client.on('error', ignore).once('close', () => clients.delete(client)));
    // each target once, in an order of this connection's own: others take their turns meanwhile
    const order = [...inTurn];
    inTurn.push(...inTurn.splice(0, 1));
    for (const target of order) {
      if (client.destroyed) break;
      const upstream = await connectTo(target);
      if (!upstream) continue;
      upstreams.set(
        upstream.once('close', () => upstreams.delete(upstream)),
        target,
      );
      join(client, upstream);
      return;
    }
    client.resetAndDestroy();
  };
  // paused, so that nothing is read before the target is connected
  const server = createServer(
    { allowHalfOpen: true, pauseOnConnect: true, noDelay: true },
    (client) => void carry(client),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    add: (target) => void inTurn.push(target),
    remove(target, { cut } = { cut: false }) {
      inTurn.splice(0, inTurn.length, ...inTurn.filter((each) => each !== target));
      for (const [upstream, of] of upstreams) if (cut && of === target) upstream.resetAndDestroy();
    },
    connectionsOf: (target) => [...upstreams.values()].filter((each) => each === target).length,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of [...clients, ...upstreams.keys()]) socket.destroy();
      await closed;
    },
  };
}

const ignore = (): void => undefined;

function connectTo(target: string): Promise<Socket | undefined> {
  const [, host = '', port] = /^(.*):(\d+)$/.exec(target) ?? [];
  const socket = connect({ host, port: Number(port), allowHalfOpen: true, noDelay: true });
  return new Promise((resolve) => {
    socket
      .on('error', ignore)
      .once('connect', () => resolve(socket))
      .once('close', () => resolve(undefined));
  });
}

function join(client: Socket, upstream: Socket): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.pipe(to);
    // pipe passes an end on, but not a broken connection
    from.once('close', (isBroken) => {
      if (isBroken || !from.readableEnded || !from.writableFinished) to.resetAndDestroy();
    });
  }
  if (client.destroyed) upstream.resetAndDestroy();
}
