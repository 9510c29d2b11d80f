import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deadline } from '../../src/dispatch/cancellation.js';
import { IdleTimeout } from '../../src/dispatch/idle-timeout.js';

const server = createServer();
let provider: Socket;
let gateway: Socket;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  provider = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [gateway] = (await once(server, 'connection')) as [Socket];
});
afterAll(() => {
  provider.destroy();
  gateway.destroy();
  server.close();
});

/** Stands still, as a process does that parses a very large body. */
function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const idleMs = 40;
const optionsFor = (totalMs: number): ConstructorParameters<typeof IdleTimeout>[0] => ({
  provider: 'up',
  firstEventMs: idleMs,
  idleMs,
  deadline: new Deadline(totalMs),
});

describe('a timeout', () => {
  it('does not count while the gateway itself stood still', async () => {
    const failures: string[] = [];
    const timeout = new IdleTimeout(optionsFor(60_000), ({ code }) => failures.push(code));
    const read = once(gateway, 'data').then(() => timeout.recordActivity());
    provider.write('x');
    standStill(3 * idleMs);
    await read;
    await new Promise((resolve) => setTimeout(resolve, idleMs / 4));
    timeout.stop();
    expect(failures).toEqual([]);
  });

  it('is reported once, and the deadline under its own code', async () => {
    for (const [totalMs, code] of [
      [60_000, 'upstream_timeout'],
      [idleMs / 2, 'deadline_exceeded'],
    ] as const) {
      const failures: string[] = [];
      const timeout = await new Promise<IdleTimeout>((resolve) => {
        const made: IdleTimeout = new IdleTimeout(optionsFor(totalMs), (error) => {
          failures.push(error.code);
          resolve(made);
        });
      });
      await new Promise((resolve) => setTimeout(resolve, idleMs));
      timeout.stop();
      expect(failures).toEqual([code]);
    }
  });

  it('that was stopped between its two looks is not reported', async () => {
    const failures: string[] = [];
    const timeout = new IdleTimeout(optionsFor(60_000), ({ code }) => failures.push(code));
    // its timer fires before this one, which was set later
    setTimeout(() => timeout.stop(), idleMs);
    standStill(2 * idleMs);
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    expect(failures).toEqual([]);
  });
});
