import { request, Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open-store.js';
import { buildOnce } from '../../helpers/build.js';
import { textAt } from '../../helpers/json.js';
import { endProcesses, startProcess, type GatewayProcess } from '../../helpers/process.js';
import { ask, postStream } from '../../helpers/sse.js';
import { startUpstream, type Step, type Upstream } from '../../helpers/upstream.js';

const body = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }], stream: true };
const auth = { authorization: 'Bearer sk_test' };
const path = '/v1/chat/completions';
const words = Array.from({ length: 15 }, (_, i) => `${i} `);
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

const startGateway = (limits = ''): Promise<GatewayProcess> =>
  startProcess({
    config: `auth: { keys: [{ name: test, key: sk_test }] }\nproviders: { a: { api: openai-compatible, baseUrl: "${upstream.url}/v1" } }\n${limits}`,
  });

async function open({ url }: GatewayProcess): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const piece of socket.setEncoding('utf8')) text += String(piece);
  return text;
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('lets a stream finish, takes no new connections, and ends the process with 0', async () => {
    const gateway = await startGateway();
    upstream.script([slowly]);
    const reply = postStream(gateway.url + path, body, { headers: auth });
    await upstream.received(0);
    gateway.signal(signal);
    await gateway.printed(/"msg":"stopping/);
    await expect(ask('GET', `${gateway.url}/healthz`)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
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
});

describe('while it stops', () => {
  it('says on /readyz that it does', async () => {
    const gateway = await startGateway();
    upstream.script([slowly]);
    const socket = await open(gateway);
    const text = JSON.stringify(body);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk_test\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    const answers = readAll(socket);
    await upstream.received(0);
    gateway.signal('SIGTERM');
    await gateway.printed(/"msg":"stopping/);
    socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await answers).toMatch(/\[DONE\][^]*HTTP\/1\.1 503 [^]*"status":"stopping"/);
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });

  it('lets a request retry', async () => {
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

  it('ends what takes longer than drainMs', async () => {
    const gateway = await startGateway('limits: { drainMs: 300 }');
    upstream.script([{ hang: 'afterContent' }]);
    const reply = postStream(gateway.url + path, body, { headers: auth });
    await upstream.received(0);
    const stoppedAt = performance.now();
    gateway.signal('SIGTERM');
    expect((await reply).ended).toBe('reset');
    expect(await gateway.ended).toMatchObject({ code: 0 });
    const tookMs = performance.now() - stoppedAt;
    expect(tookMs).toBeGreaterThan(250);
    await upstream.closed(0);
  });

  it('puts down the requests that it has cut off', async () => {
    const gateway = await startGateway('limits: { drainMs: 100 }');
    upstream.script([{ hang: 'afterContent' }, { hang: 'afterContent' }, { hang: 'afterContent' }]);
    const replies = [0, 1, 2].map(() => postStream(gateway.url + path, body, { headers: auth }));
    await Promise.all([0, 1, 2].map((index) => upstream.received(index)));
    gateway.signal('SIGTERM');
    await Promise.all(replies);
    expect(await gateway.ended).toMatchObject({ code: 0 });
    const store = await openStore(`file:${gateway.folder}/data/signalbox.db`);
    const { items } = await store.requests.list({ accountId: null }, { limit: 10, cursor: null });
    await store.close();
    expect(items.map(({ code }) => code)).toEqual([
      'client_closed',
      'client_closed',
      'client_closed',
    ]);
  });

  it('ends at once at a second signal', async () => {
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
});
