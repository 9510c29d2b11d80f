import { request, Agent } from 'node:http';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open-store.js';
import { buildOnce } from '../../helpers/build.js';
import { textAt } from '../../helpers/json.js';
import { endProcesses, startProcess, type GatewayProcess } from '../../helpers/process.js';
import { ask, post, postStream } from '../../helpers/sse.js';
import { startUpstream, type Step, type Upstream } from '../../helpers/upstream.js';
import { isWholeRun } from '../../helpers/runs.js';
import { until } from '../../helpers/until.js';

const body = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }], stream: true };
const auth = { authorization: 'Bearer sk_test' };
const path = '/v1/chat/completions';
const words = Array.from({ length: 15 }, (_, i) => `${i} `);
const Database = createRequire(import.meta.url)('libsql') as new (path: string) => {
  exec(sql: string): void;
  close(): void;
};
const slowly: Step = { text: words, betweenMs: 30 };

let upstream: Upstream;
beforeAll(async () => {
  await buildOnce();
}, 120_000);
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(async () => {
  await endProcesses();
  await upstream.close();
});

const startGateway = (limits = 'drainDelayMs: 0'): Promise<GatewayProcess> =>
  startProcess({
    config: `auth: { keys: [{ name: test, key: sk_test }] }\nproviders: { a: { api: openai-compatible, baseUrl: "${upstream.url}/v1" } }\nlimits: { ${limits} }`,
  });

async function open({ url }: GatewayProcess): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

describe.each(isWholeRun ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const))(
  '%s',
  (signal) => {
    it('lets a stream finish, takes no new connections, and ends the process with 0', async () => {
      const gateway = await startGateway();
      upstream.script([slowly]);
      const reply = postStream(gateway.url + path, body, { headers: auth });
      await upstream.received(0);
      gateway.signal(signal);
      await gateway.printed(/"msg":"stopping/);
      // the line may arrive before the listening ends
      await until(() =>
        ask('GET', `${gateway.url}/healthz`).then(
          () => false,
          (error: unknown) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED',
        ),
      );
      const { events, frames } = await reply;
      expect(events.map((event) => textAt(event, 'choices', 0, 'delta', 'content')).join('')).toBe(
        words.join(''),
      );
      expect(frames.at(-1)?.data).toBe('[DONE]');
      const ended = await gateway.ended;
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      // what was logged last is not lost
      expect(ended.stdout).toMatch(/"msg":"request"\}\n$/);
    });
  },
);

describe('while it stops', () => {
  it.runIf(isWholeRun)('lets a request retry', async () => {
    const gateway = await startGateway();
    upstream.script([{ status: 503, delayMs: 100 }, {}]);
    const reply = postStream(gateway.url + path, body, { headers: auth });
    await upstream.received(0);
    gateway.signal('SIGTERM');
    expect((await reply).frames.at(-1)?.data).toBe('[DONE]');
    expect(upstream.requests.length).toBe(2);
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });

  it('waits for no connection that has no request', async () => {
    const gateway = await startGateway();
    const agent = new Agent({ keepAlive: true });
    const send = (method: string, to: string, payload?: string): Promise<void> =>
      new Promise((resolve, reject) => {
        request(
          gateway.url + to,
          { method, agent, headers: { ...auth, 'content-type': 'application/json' } },
          (res) => void res.resume().once('end', resolve),
        )
          .once('error', reject)
          .end(payload);
      });
    upstream.script([slowly]);
    const silent = await open(gateway);
    silent.on('error', () => undefined);
    // one that has been answered, one whose answer ends while the gateway stops
    await send('GET', '/healthz');
    const busy = send('POST', path, JSON.stringify(body));
    await upstream.received(0);
    await send('GET', '/healthz');
    const stoppedAt = performance.now();
    gateway.signal('SIGTERM');
    await busy;
    expect(await gateway.ended).toMatchObject({ code: 0 });
    expect(performance.now() - stoppedAt).toBeLessThan(60_000);
    agent.destroy();
  });

  it.runIf(isWholeRun)('ends what takes longer than drainMs', async () => {
    const gateway = await startGateway('drainDelayMs: 0, drainMs: 300');
    upstream.script([{ hang: 'afterContent' }]);
    const reply = postStream(gateway.url + path, body, { headers: auth });
    await upstream.received(0);
    const stoppedAt = performance.now();
    gateway.signal('SIGTERM');
    const { ended, frames } = await reply;
    expect(ended).toBe('end');
    expect(frames.at(-1)?.data).toContain('the gateway is stopping');
    expect(frames.map(({ data }) => data)).not.toContain('[DONE]');
    expect(await gateway.ended).toMatchObject({ code: 0 });
    const tookMs = performance.now() - stoppedAt;
    expect(tookMs).toBeGreaterThan(250);
    await upstream.closed(0);
  });

  it('tells the clients that it cuts off, and does not count them as clients that left', async () => {
    const gateway = await startGateway('drainDelayMs: 0, drainMs: 100');
    upstream.script([{ hang: 'afterContent' }]);
    const { model, messages } = body;
    const native = { models: [model], messages };
    const url = `${gateway.url}/api/v1/completions`;
    const stream = postStream(url, { ...native, stream: true }, { headers: auth });
    const whole = [
      post(url, native, auth),
      post(gateway.url + path, { model, messages }, auth),
      post(`${gateway.url}/v1/embeddings`, { model, input: 'Hi' }, auth),
    ];
    await Promise.all([0, 1, 2, 3].map((index) => upstream.received(index)));
    gateway.signal('SIGTERM');
    const { frames } = await stream;
    const broken = frames.find(({ event }) => event === 'error')?.data ?? '';
    expect(JSON.parse(broken)).toMatchObject({
      error: 'Service Unavailable',
      message: expect.stringContaining('the gateway is stopping') as string,
      retriable: true,
    });
    expect(frames.at(-1)?.data).toMatch(/^\[Error\] the gateway is stopping/);
    for (const { status, headers } of await Promise.all(whole))
      expect({ status, headers }).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(await gateway.ended).toMatchObject({ code: 0 });
    const store = await openStore(`file:${gateway.folder}/data/signalbox.db`);
    const { items } = await store.requests.list({ accountId: null }, { limit: 10, cursor: null });
    await store.close();
    expect(items.map(({ code }) => code)).toEqual(Array(4).fill('unavailable'));
  });

  it('says so for a while before it accepts no more connections', async () => {
    const gateway = await startGateway('drainDelayMs: 2000');
    const agent = new Agent({ keepAlive: true });
    const readiness = (): Promise<{ status: number; connection: string | undefined }> =>
      new Promise((resolve, reject) => {
        request(`${gateway.url}/readyz`, { agent }, (res) =>
          res
            .resume()
            .once('end', () =>
              resolve({ status: res.statusCode ?? 0, connection: res.headers.connection }),
            ),
        )
          .once('error', reject)
          .end();
      });
    expect(await readiness()).toEqual({ status: 200, connection: 'keep-alive' });
    upstream.script([slowly]);
    const slow = post(gateway.url + path, { ...body, stream: false }, auth);
    await upstream.received(0);
    gateway.signal('SIGTERM');
    await gateway.printed(/"msg":"stopping/);
    // over the connection that was kept, and over a new one
    for (let probe = 0; probe < 2; probe++)
      expect(await readiness()).toEqual({ status: 503, connection: 'close' });
    expect(await slow).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await gateway.ended).toMatchObject({ code: 0 });
    agent.destroy();
  });

  it('answers what came before it stopped listening, though its process had no core meanwhile', async () => {
    const gateway = await startGateway('drainDelayMs: 1000');
    const kept = await open(gateway);
    gateway.signal('SIGTERM');
    await gateway.printed(/"msg":"stopping/);
    gateway.signal('SIGSTOP');
    const stoppedAt = performance.now();
    const request = `GET /healthz HTTP/1.1\r\nhost: gateway\r\n\r\n`;
    kept.write(request);
    const fresh = await open(gateway);
    fresh.write(request);
    await until(() => performance.now() > stoppedAt + 1100);
    gateway.signal('SIGCONT');
    for (const socket of [kept, fresh]) {
      const pieces: Buffer[] = [];
      for await (const piece of socket) pieces.push(piece as Buffer);
      expect(Buffer.concat(pieces).toString()).toMatch(/^HTTP\/1\.1 200 OK/);
    }
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });

  it.runIf(isWholeRun)('ends at once at a second signal', async () => {
    const gateway = await startGateway();
    upstream.script([{ hang: 'afterContent' }]);
    const reply = postStream(gateway.url + path, body, { headers: auth });
    await upstream.received(0);
    gateway.signal('SIGTERM');
    await gateway.printed(/"msg":"stopping/);
    await wait(20);
    gateway.signal('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 1 });
    expect((await reply).ended).toBe('reset');
  });

  it.runIf(isWholeRun)(
    'ends orderly at a second signal that comes within a statement',
    async () => {
      const gateway = await startGateway();
      const database = new Database(`${gateway.folder}/data/signalbox.db`);
      database.exec('begin immediate');
      const write = post(`${gateway.url}/api/v1/conversations`, { title: 'Waits' }, auth);
      const broken = expect(write).rejects.toMatchObject({ code: 'ECONNRESET' });
      // by its answer the request before it has been accepted
      await fetch(`${gateway.url}/healthz`);
      gateway.signal('SIGTERM');
      await gateway.printed(/"msg":"stopping/);
      await wait(100);
      gateway.signal('SIGTERM');
      await wait(100);
      database.exec('rollback');
      database.close();
      expect(await gateway.ended).toMatchObject({ code: 1, signal: null, stderr: '' });
      await broken;
    },
  );
});
