import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

/** More than the system's buffers of a connection hold. */
const longText = 'x'.repeat(24 * 1_048_576);
const clientIdleMs = 300;

const log = keepingLogger();
let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway(
    {
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      limits: { clientIdleMs },
    },
    { logger: log.logger },
  );
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const openConnections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    gateway.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

/** Sends a request over a connection from which nothing is read yet. */
function request(path: string, body: object): Socket {
  const text = JSON.stringify(body);
  const socket = connect(gateway.port, '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return socket;
}

const messages = [{ role: 'user', content: 'Hi' }];
const native = { models: ['up/m'], messages };
const openai = { model: 'up/m', messages };

describe('a client that stops reading', () => {
  it.each([
    ['a native answer', '/api/v1/completions', native],
    ['a native stream', '/api/v1/completions', { ...native, stream: true }],
    ["an answer in OpenAI's dialect", '/v1/chat/completions', openai],
    ["a stream in OpenAI's dialect", '/v1/chat/completions', { ...openai, stream: true }],
    ['an answer that is passed through', '/proxy/up/v1/chat/completions', openai],
  ])('is let go (%s)', async (_what, path, body) => {
    upstream.script([{ text: Array.from({ length: 24 }, () => longText.slice(0, 1_048_576)) }]);
    const before = log.lines.length;
    const socket = request(path, body);
    await once(socket, 'connect');
    const logged = (): Record<string, unknown>[] =>
      log.lines.slice(before).filter(({ msg }) => msg === 'request');
    await until(async () => logged().length > 0 && (await openConnections()) === 0);
    expect(logged()).toMatchObject([{ status: 499, code: 'client_closed' }]);
    socket.destroy();
  });

  it('is not one that reads slowly', async () => {
    upstream.script([{ text: [longText] }]);
    const socket = request('/v1/chat/completions', openai);
    let received = 0;
    let wanted = 0;
    socket.on('data', (piece) => {
      received += piece.length;
      if (received > wanted) socket.pause();
    });
    const ended = once(socket, 'end');
    // takes longer than the idle time; each pause is shorter
    for (let pauses = 0; pauses < 24; pauses++) {
      wanted += 1_048_576;
      socket.resume();
      await wait(clientIdleMs / 6);
    }
    wanted = Infinity;
    socket.resume();
    await ended;
    expect(received).toBeGreaterThan(longText.length);
  });

  it('is not one whose answer takes its time', async () => {
    upstream.script([{ text: ['late'], delayMs: 5 * clientIdleMs }]);
    const socket = request('/v1/chat/completions', openai);
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(piece)).resume();
    await once(socket, 'end');
    expect(Buffer.concat(pieces).toString()).toContain('"late"');
    expect((await ask('GET', `${gateway.url}/healthz`)).status).toBe(200);
  });
});
