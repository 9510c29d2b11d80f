import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import { ask, wayRows, ways } from '../helpers/ways.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up) => ({ providers: { up, good: up } })));
});
afterAll(() => gateway.close());

const garbage: Step = { garbage: true };

describe('an answer that cannot be read', () => {
  it.each(wayRows)('is asked for once more, not maxRetries times, asked %s', async (_name, way) => {
    const [model, good] = [plays.newModel(), plays.newModel()];
    plays.set(model, garbage);
    const models = [`up/${model}`, `good/${good}`];
    expect(await ask(gateway, way, { models })).toMatchObject({ ended: 'whole', model: good });
    expect(plays.of(model)).toHaveLength(2);
  });

  it('twice in a row costs later requests one call each, until one can be read', async () => {
    const model = plays.newModel();
    plays.set(model, garbage, garbage, garbage, {}, garbage, {});
    const hears = async (): Promise<[status: number, calls: number]> => {
      const before = plays.of(model).length;
      const { status } = await ask(gateway, ways[1]!, { models: [`up/${model}`] });
      return [status, plays.of(model).length - before];
    };
    expect(await hears()).toEqual([502, 2]);
    expect(await hears()).toEqual([502, 1]);
    expect(await hears()).toEqual([200, 1]);
    expect(await hears()).toEqual([200, 2]);
  });

  it('is not asked for again where no retries are allowed', async () => {
    const model = plays.newModel();
    plays.set(model, garbage);
    await ask(gateway, ways[1]!, { models: [`up/${model}`], more: { maxRetries: 0 } });
    expect(plays.of(model)).toHaveLength(1);
  });

  it('counts among the retries of other failures', async () => {
    const model = plays.newModel();
    const busy: Step = { status: 503, headers: { 'retry-after-ms': '0' } };
    plays.set(model, busy, garbage, garbage, busy);
    await ask(gateway, ways[1]!, { models: [`up/${model}`], more: { maxRetries: 2 } });
    expect(plays.of(model)).toHaveLength(3);
  });
});

describe('a server that closes the connection before the end that it announced', () => {
  const message = { role: 'assistant', content: 'Hello' };
  const whole = JSON.stringify({
    id: 'c',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  });
  const role = 'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant"}}]}\n\n';
  const stream = `${role}data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\n`;
  const length = 'content-length: 5000';
  const chunked = 'transfer-encoding: chunked';
  const rows: [string, string, string, string | Buffer, calls: number][] = [
    ['all of an answer', 'application/json', length, whole, 1],
    ['all of an answer in chunks', 'application/json', chunked, whole, 1],
    [
      'all of a compressed answer',
      'application/json\r\ncontent-encoding: gzip',
      length,
      gzipSync(whole),
      1,
    ],
    ['all of a stream', 'text/event-stream', length, stream, 1],
    ['a part of an answer', 'application/json', length, whole.slice(0, 40), 2],
    ['a part of an answer in chunks', 'application/json', chunked, whole.slice(0, 40), 2],
    ['the beginning of a stream', 'text/event-stream', length, role, 2],
    ['nothing', 'application/json', length, '', 2],
  ];
  it.each(rows)(
    'after %s is asked no more than it helps',
    async (_what, type, head, body, calls) => {
      let asked = 0;
      const server = createServer((socket) => {
        socket
          .on('error', () => undefined)
          .once('data', () => {
            asked++;
            socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${head}\r\n\r\n`);
            if (head === chunked) socket.write(`${body.length.toString(16)}\r\n`);
            socket.end(body);
          });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const up = { api: 'openai-compatible', baseUrl, listModels: false } as const;
      const closing = await startGateway({ providers: { up } });
      for (const [at, way] of ways.entries()) {
        // a model of its own: one that sent two unreadable answers is asked once
        const heard = await ask(closing, way, { models: [`up/m${at}`] });
        expect(heard).toMatchObject(
          calls === 1 ? { ended: 'whole', text: 'Hello' } : { status: 502 },
        );
        if (calls > 1)
          expect(JSON.stringify(heard)).toContain(
            'broke off its answer: the connection was closed',
          );
      }
      expect(asked).toBe(calls * ways.length);
      await closing.close();
      server.close();
    },
  );
});
