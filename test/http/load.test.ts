import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WrittenConfig } from '../../src/config/config.js';
import type { GatewayOptions } from '../../src/gateway-options.js';
import type { HostCaller } from '../../src/index.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { metricOf } from '../helpers/metrics.js';
import { openRaw } from '../helpers/raw.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

let upstream: Upstream;
let gateway: RunningGateway;
let leaving: (() => void)[];

beforeEach(async () => {
  upstream = await startUpstream({ hasLists: false });
  leaving = [];
});
afterEach(async () => {
  for (const leave of leaving) leave();
  await gateway.close();
  await upstream.close();
});

async function start(
  limits: WrittenConfig['limits'],
  provider: object = {},
  options: GatewayOptions = {},
): Promise<void> {
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  const config = {
    auth: { keys: ['a', 'b', 'c'].map((name) => ({ name, key: `sk_${name}` })) },
    providers: { up: { ...up, ...provider }, other: up },
    limits: { ...limits, maxRetries: 0 },
  };
  gateway = await startGateway(config, options);
}

const headersOf = (key: string) => ({ authorization: `Bearer sk_${key}` });
const send = (key: string, model = 'up/m', path = '/v1/chat/completions'): Promise<Reply> =>
  post(
    gateway.url + path,
    { model, ...(path.endsWith('embeddings') ? { input: 'x' } : { messages: [question] }) },
    headersOf(key),
  );
const question = { role: 'user', content: 'x' };

/** The newest entry of a key's request log, with its attempts. */
async function logged(key: string): Promise<unknown> {
  let items: { id: string }[] = [];
  await until(async () => {
    const list = await ask('GET', `${gateway.url}/api/v1/requests?limit=1`, headersOf(key));
    ({ items } = list.json as { items: { id: string }[] });
    return items.length === 1;
  });
  const path = `/api/v1/requests/${items[0]!.id}`;
  return (await ask('GET', gateway.url + path, headersOf(key))).json;
}

/** A request that its provider does not answer. @returns what ends it */
function hanging(key: string): () => void {
  const request = httpRequest(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { ...headersOf(key), 'content-type': 'application/json' },
  });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ model: 'up/m', messages: [question] }));
  leaving.push(() => request.destroy());
  return () => request.destroy();
}

/** So many requests of a key are with their provider. */
async function hold(key: string, count: number): Promise<(() => void)[]> {
  upstream.script([{ hang: 'beforeHeaders' }]);
  const before = upstream.requests.length;
  const ends = Array.from({ length: count }, () => hanging(key));
  await until(() => upstream.requests.length === before + count);
  upstream.script([{}]);
  return ends;
}

const queued = (provider = ''): Promise<number> =>
  metricOf(gateway, 'signalbox_queue_length', `provider="${provider}"`);

describe('limits.maxConcurrent', () => {
  it('lets a further request wait until one ends', async () => {
    await start({ maxConcurrent: 2, maxQueueMs: 60_000 });
    const [end] = await hold('a', 2);
    const answer = send('b');
    await until(async () => (await queued()) === 1);
    expect(upstream.requests).toHaveLength(2);
    end!();
    expect((await answer).status).toBe(200);
    expect(await metricOf(gateway, 'signalbox_queue_wait_seconds_count', 'provider=""')).toBe(1);
  });

  it.each([{}, { resumeMs: 50 }])(
    'gets the slots back of all requests that a client has sent on one connection and left (%j)',
    async (more) => {
      await start({ maxConcurrent: 12, maxQueueMs: 50, ...more });
      upstream.script([{ hang: 'afterContent' }]);
      const { socket } = openRaw(gateway.port);
      for (let sent = 0; sent < 12; sent++) {
        const body = JSON.stringify({ models: ['up/m'], messages: [question], stream: true });
        socket.write(
          `POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      }
      await until(() => upstream.requests.length === 12);
      socket.resetAndDestroy();
      await Promise.all(upstream.requests.map((_, index) => upstream.closed(index)));
      await until(async () => (await metricOf(gateway, 'signalbox_requests_in_progress')) === 0);
      upstream.script([{}]);
      const answers = await Promise.all(Array.from({ length: 12 }, () => send('b')));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    },
  );

  it.each(['/v1/chat/completions', '/api/v1/completions', '/v1/embeddings', '/proxy/up/v1/x'])(
    'answers %s 503 with Retry-After when its time in the queue is over, and logs it',
    async (path) => {
      await start({ maxConcurrent: 1, maxQueueMs: 30 });
      await hold('a', 1);
      const refused = await send('b', 'up/m', path);
      expect(refused.status).toBe(503);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(refused.headers['x-should-retry']).toBeUndefined();
      expect(refused.text).toContain('is working on as many requests as it may');
      expect(await metricOf(gateway, 'signalbox_shed_total', 'reason="queue_timeout"')).toBe(1);
      expect(await logged('b')).toMatchObject({ code: 'overloaded', status: 503 });
      for (const page of ['/healthz', '/readyz', '/metrics', '/v1/models'])
        expect((await ask('GET', gateway.url + page, headersOf('b'))).status).toBe(200);
    },
  );

  it('gives the place of a client that left the queue to the next', async () => {
    await start({ maxConcurrent: 1, maxQueueMs: 60_000 });
    const [end] = await hold('a', 1);
    const leave = hanging('b');
    await until(async () => (await queued()) === 1);
    leave();
    await until(async () => (await queued()) === 0);
    const answer = send('c');
    end!();
    expect((await answer).status).toBe(200);
    expect(upstream.requests).toHaveLength(2);
  });
});

describe('a client that left while its account was looked up', () => {
  it('gets no slot, which nothing would give back', async () => {
    const looked: (() => void)[] = [];
    const identify = async ({ headers }: { headers: IncomingHttpHeaders }): Promise<HostCaller> => {
      if (headers['x-user'] === 'slow') await new Promise<void>((found) => looked.push(found));
      return { account: 'host' };
    };
    await start({ maxConcurrent: 1, maxQueueMs: 30 }, {}, { identify });
    const leaving = new AbortController();
    const url = `${gateway.url}/v1/chat/completions`;
    const left = postStream(
      url,
      { model: 'up/m', messages: [question] },
      { headers: { 'x-user': 'slow' }, signal: leaving.signal },
    );
    await until(() => looked.length === 1);
    leaving.abort();
    expect((await left).ended).toBe('aborted');
    await until(
      async () =>
        (await metricOf(gateway, 'signalbox_request_duration_seconds_count', '499')) === 1 ||
        (await metricOf(gateway, 'signalbox_client_disconnects_total')) === 1,
    );
    looked[0]!();
    await new Promise(setImmediate);
    expect((await post(url, { model: 'up/m', messages: [question] })).status).toBe(200);
    expect(await metricOf(gateway, 'signalbox_requests_in_progress')).toBe(0);
  });
});

describe('limits.maxAccountConcurrent', () => {
  it('answers 429 to the account that has too many in progress, and serves the others', async () => {
    await start({ maxAccountConcurrent: 1, maxQueueMs: 30 });
    await hold('a', 1);
    const refused = await send('a');
    expect(refused).toMatchObject({
      status: 429,
      json: { error: { code: 'rate_limit_exceeded' } },
    });
    expect((await send('b')).status).toBe(200);
    expect(await metricOf(gateway, 'signalbox_shed_total', 'reason="account"')).toBe(1);
  });
});

describe('maxConcurrent of a provider', () => {
  const native = (models: string[]) =>
    post(`${gateway.url}/api/v1/completions`, { models, messages: [question] }, headersOf('b'));

  it('lets a further call wait until one ends', async () => {
    await start({ maxQueueMs: 60_000 }, { maxConcurrent: 1 });
    const [end] = await hold('a', 1);
    const answer = send('b');
    await until(async () => (await queued('up')) === 1);
    end!();
    expect((await answer).status).toBe(200);
    const { attempts } = (await logged('b')) as { attempts: { waitMs: number }[] };
    expect(attempts[0]!.waitMs).toBeGreaterThan(0);
  });

  it('falls back to the next model where the wait is too long', async () => {
    await start({ maxQueueMs: 30 }, { maxConcurrent: 1 });
    await hold('a', 1);
    const answer = await native(['up/m', 'other/m']);
    expect(answer).toMatchObject({
      status: 200,
      json: { errorTrace: [{ provider: 'up', attempt: 0, status: null }] },
    });
    expect((await send('b', 'other/m')).status).toBe(200);
  });

  it('answers 503 with Retry-After where no other model is left, and asks clients to retry', async () => {
    await start({ maxQueueMs: 30 }, { maxConcurrent: 1 });
    await hold('a', 1);
    const refused = await native(['up/m']);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers['x-should-retry']).toBeUndefined();
    expect(await logged('b')).toMatchObject({ code: 'overloaded', attempts: [] });
  });

  it('gives the slot back after an answer, a failure and a client that left', async () => {
    await start({ maxQueueMs: 60_000 }, { maxConcurrent: 1 });
    expect((await send('a')).status).toBe(200);
    upstream.script([{ status: 500 }]);
    expect((await send('a')).status).toBe(502);
    const [end] = await hold('a', 1);
    end!();
    expect((await send('a')).status).toBe(200);
  });
});

/** The status of an answer, and whether it was written in the turn of the loop that read its request. */
async function answeredInTurnOfReading(
  request: () => Promise<{ status: number }>,
): Promise<[status: number, isSameTurn: boolean]> {
  const turns: boolean[] = [];
  let isReading = false;
  const onStart = () => {
    isReading = true;
    setImmediate(() => (isReading = false));
  };
  const onFinish = () => turns.push(isReading);
  subscribe('http.server.request.start', onStart);
  subscribe('http.server.response.finish', onFinish);
  const { status } = await request();
  unsubscribe('http.server.request.start', onStart);
  unsubscribe('http.server.response.finish', onFinish);
  return [status, turns.includes(true)];
}

describe('limits.maxLoopDelayMs', () => {
  it('refuses completions while the event loop is late, and nothing else', async () => {
    await start({ maxLoopDelayMs: 100 });
    const ends = await hold('a', 12);
    const busy = setInterval(() => {
      const until = performance.now() + 250;
      while (performance.now() < until);
    }, 1);
    await until(async () => (await send('b')).status === 503);
    const refused = await send('b', 'up/m', '/api/v1/completions');
    expect(refused.json).toMatchObject({ error: 'Service Unavailable' });
    const queried = await send('b', 'up/m', '/v1/chat/completions?api-version=1');
    expect(queried.json).toMatchObject({ error: { code: 'overloaded' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    for (const page of ['/healthz', '/readyz', '/metrics', '/v1/models'])
      expect((await ask('GET', gateway.url + page, headersOf('b'))).status).toBe(200);
    expect(await metricOf(gateway, 'signalbox_shed_total', 'reason="event_loop"')).toBeGreaterThan(
      1,
    );
    expect(await answeredInTurnOfReading(() => send('b'))).toEqual([503, false]);
    clearInterval(busy);
    // it takes more again, although the others still run
    await until(async () => (await send('b')).status === 200);
    for (const end of ends) end();
  });
});
