import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deadline } from '../../src/dispatch/cancellation.js';
import { IdleTimeout } from '../../src/dispatch/idle-timeout.js';
import { startGateway } from '../helpers/gateway.js';
import { post } from '../helpers/sse.js';

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

describe('a provider that sends nothing but signs of life', () => {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const pings = {
    comments: ': OPENROUTER PROCESSING\n\n',
    'empty events': 'data:\r\n\r\n',
    "Anthropic's pings": 'event: ping\ndata: {"type": "ping"}\n\n',
    "OpenAI's pings": 'data: {"type":"keepalive","sequence_number":466}\n\n',
    'empty lines': '\n',
  };

  it.each([
    ...Object.entries(pings).map(([name, ping]) => [name, ping, ''] as const),
    ['comments after an event', pings.comments, chunk({ role: 'assistant' })] as const,
  ])('%s, is given up after twice its longer timeout', async (_name, ping, before) => {
    const provider = createHttpServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(before || ping);
      const timer = setInterval(() => res.write(ping), 10);
      res.once('close', () => clearInterval(timer));
    });
    const good = createHttpServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(`${chunk({ content: 'good' })}${chunk({}, 'stop')}data: [DONE]\n\n`);
    });
    const listening = async (each: typeof good): Promise<{ api: string; baseUrl: string }> => {
      each.listen(0, '127.0.0.1');
      await once(each, 'listening');
      const { port } = each.address() as AddressInfo;
      return { api: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1` };
    };
    const timeouts = { firstEventMs: 100, idleMs: 200 };
    const pinging = { ...(await listening(provider)), timeouts };
    const gateway = await startGateway({
      providers: { pinging, answering: await listening(good) },
    });
    const { json, text } = await post(
      `${gateway.url}/api/v1/completions`,
      {
        models: ['pinging/m', 'answering/m'],
        order: 'given',
        messages: [{ role: 'user', content: 'Hi' }],
      },
      gateway.auth,
    );
    expect(text).toContain('good');
    expect(json).toMatchObject({
      errorTrace: [{ error: expect.stringContaining('only pings for 400 ms') as string }],
    });
    await gateway.close();
    provider.close();
    good.close();
  });
});
