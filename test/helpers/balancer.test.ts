import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Balancer, startBalancer } from './balancer.js';
import { freePort } from './server-process.js';

let balancer: Balancer;
const replicas: { server: Server; sockets: Socket[]; target: string }[] = [];

/**
 * A replica that does so with each connection; by default it says who it is and keeps the
 * connection open.
 */
async function startReplica(behave: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on('error', () => undefined));
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  replicas.push({ server, sockets, target });
  return target;
}

const open = (): Socket =>
  connect({ port: balancer.port, host: '127.0.0.1', allowHalfOpen: true }).on(
    'error',
    () => undefined,
  );
const firstWord = (socket: Socket): Promise<string> =>
  new Promise((resolve) => socket.once('data', (word) => resolve(word.toString())));

afterEach(async () => {
  await balancer.close();
  for (const { server, sockets } of replicas.splice(0)) {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
});

describe('the balancer', () => {
  let a: string;
  let b: string;
  beforeEach(async () => {
    [a, b] = [
      await startReplica((socket) => socket.write('a')),
      await startReplica((socket) => socket.write('b')),
    ];
  });

  it('gives connections to its targets in turn', async () => {
    balancer = await startBalancer([a, b]);
    const words: string[] = [];
    for (let turn = 0; turn < 4; turn++) words.push(await firstWord(open()));
    expect(words).toEqual(['a', 'b', 'a', 'b']);
    expect(balancer.connectionsOf(a)).toBe(2);
  });

  it('goes on to the next target where one refuses, and cuts the client off where all do', async () => {
    const nobody = `127.0.0.1:${await freePort()}`;
    balancer = await startBalancer([nobody, a]);
    expect([await firstWord(open()), await firstWord(open())]).toEqual(['a', 'a']);
    balancer.remove(a);
    await expect(text(open())).rejects.toThrow('ECONNRESET');
  });

  it('lets open connections of a removed target go on, unless they are to be cut', async () => {
    balancer = await startBalancer([a]);
    const client = open();
    await firstWord(client);
    balancer.remove(a);
    balancer.add(b);
    expect(await firstWord(open())).toBe('b');
    expect(balancer.connectionsOf(a)).toBe(1);
    balancer.remove(a, { cut: true });
    await expect(text(client)).rejects.toThrow('ECONNRESET');
    expect(balancer.connectionsOf(a)).toBe(0);
  });

  it('breaks a connection to the client when it breaks to the target, and the other way round', async () => {
    balancer = await startBalancer([a]);
    const [first, second] = [open(), open()];
    await Promise.all([firstWord(first), firstWord(second)]);
    replicas[0]?.sockets[0]?.resetAndDestroy();
    second.resetAndDestroy();
    await expect.poll(() => balancer.connectionsOf(a)).toBe(0);
    await expect.poll(() => first.destroyed).toBe(true);
  });
});

describe('what the balancer passes on', () => {
  const much = Buffer.alloc(20_000_000, 'much ');

  it('is each byte both ways, with an end of one way that leaves the other open', async () => {
    // it answers what it was sent, once it has heard the end
    balancer = await startBalancer([
      await startReplica((socket) => {
        const request: Buffer[] = [];
        socket
          .on('data', (part) => request.push(part))
          .once('end', () => socket.end(Buffer.concat(request)));
      }),
    ]);
    const client = open();
    client.end(much);
    expect((await buffer(client)).equals(much)).toBe(true);
  });

  it('waits for a reader that is slow', async () => {
    let sent = 0;
    balancer = await startBalancer([
      await startReplica((socket) => {
        const more = (): void => {
          while (sent < much.length)
            if (!socket.write(much.subarray(sent, (sent += 100_000))))
              return void socket.once('drain', more);
          socket.end();
        };
        more();
      }),
    ]);
    const client = open();
    await new Promise((resolve) => client.once('readable', resolve));
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = sent === before;
        before = sent;
        expect(isStill).toBe(true);
      },
      { interval: 50, timeout: 60_000 },
    );
    expect(sent).toBeLessThan(much.length);
    expect((await buffer(client)).length).toBe(much.length);
  });
});
