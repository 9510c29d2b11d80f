import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../src/index.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { ask } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const key = 'sk_test_upgrades';
let upstream: Upstream;
let gateway: RunningGateway;
let mounted: Gateway;
let host: { url: string; close(): Promise<void> };
beforeAll(async () => {
  upstream = await startUpstream();
  const config = {
    auth: { keys: [{ name: 'test', key }] },
    providers: {
      up: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k', allowProxy: true },
    },
  } as const;
  gateway = await startGateway(config);
  mounted = createGateway(config, { env: {}, logger: pino({ level: 'silent' }) });
  host = await startHost(express().use('/ai', mounted.router));
});
afterAll(async () => {
  await host.close();
  await mounted.close();
  await gateway.close();
  await upstream.close();
});

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};
const base = (where: string): string => (where === 'mounted' ? `${host.url}/ai` : gateway.url);

describe.each(['standalone', 'mounted'])('a WebSocket upgrade (%s)', (where) => {
  it.each([
    '/v1/responses',
    '/v1/responses?model=m',
    '/proxy/up/v1/responses',
    '/proxy/up/v1/realtime',
  ])('at %s is answered 426, and nothing is sent to the provider', async (path) => {
    const headers = { authorization: `Bearer ${key}`, ...upgrade };
    const from = upstream.requests.length;
    const reply = await ask('GET', base(where) + path, headers);
    expect(reply).toMatchObject({
      status: 426,
      headers: { upgrade: 'HTTP/1.1' },
      json: {
        error: {
          code: 'upgrade_required',
          message: 'upgrade: WebSockets are not supported here; send the request over HTTP',
        },
      },
    });
    expect(upstream.requests.slice(from)).toEqual([]);
  });

  it('without a key is 401', async () => {
    expect((await ask('GET', `${base(where)}/v1/responses`, upgrade)).status).toBe(401);
  });

  it('to another protocol changes nothing', async () => {
    const headers = { authorization: `Bearer ${key}`, connection: 'Upgrade', upgrade: 'h2c' };
    const from = upstream.requests.length;
    await ask('GET', `${base(where)}/proxy/up/v1/models`, headers);
    expect(upstream.requests.length).toBe(from + 1);
  });
});

describe('HEAD of a base URL', () => {
  it('is answered 200 without a key, and with a wrong one', async () => {
    for (const path of ['/', '/anthropic', '/anthropic/', '/anthropic?beta=true'])
      for (const key of ['', 'sk_wrong'])
        expect(await ask('HEAD', gateway.url + path, { 'x-api-key': key })).toMatchObject({
          status: 200,
          text: '',
        });
    expect((await ask('GET', `${gateway.url}/`)).status).toBe(401);
  });

  it('counts as no failed authentication', async () => {
    const failures = async (): Promise<string | undefined> =>
      /^signalbox_requests_total\{.*unauthorized.*$/m.exec(
        (await ask('GET', `${gateway.url}/metrics`, { authorization: `Bearer ${key}` })).text,
      )?.[0];
    const before = await failures();
    await ask('HEAD', `${gateway.url}/`);
    expect(await failures()).toBe(before);
  });
});
