import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { metricOf } from '../helpers/metrics.js';
import { post, postStream, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Step, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const key = (name: string, limits: object) => ({
  name,
  key: `sk_${name}`,
  scopes: ['completions' as const, 'admin' as const],
  limits,
});
const keys = [
  { name: 'test', key: 'sk_free' },
  // an answer of a hundred tokens costs 0.1 USD
  key('rich', { dayBudgetUsd: 1000 }),
  key('quarter', { dayBudgetUsd: 0.25 }),
  key('words', { tokensPerMinute: 1000 }),
];

let upstream: Upstream;
let gateway: RunningGateway;
type Config = NonNullable<Parameters<typeof startGateway>[0]>;
const configured = (more: Partial<Config> = {}): Config => ({
  auth: { keys },
  providers: {
    up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
    claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'k' },
  },
  models: {
    'up/m': { inputPrice: 0, outputPrice: 1000 },
    'up/cheap': { inputPrice: 0, outputPrice: 100 },
    'up/vectors': { inputPrice: 1000 },
    'claude/c': { inputPrice: 0, outputPrice: 1000 },
  },
  limits: { maxRetries: 0 },
  ...more,
});
beforeEach(async () => {
  upstream = await startUpstream();
  gateway = await startGateway(configured());
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

async function restart(config: Config): Promise<void> {
  await gateway.close();
  gateway = await startGateway(config);
}

const as = (name: string): { authorization: string } => ({ authorization: `Bearer sk_${name}` });
const body = { messages, model: 'up/m', max_tokens: 100 };
const native = (name: string, more: object = {}): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages, models: ['up/m'], maxTokens: 100, order: 'given', ...more },
    as(name),
  );
const openai = (name: string, more: object = {}): Promise<Reply> =>
  post(`${gateway.url}/v1/chat/completions`, { ...body, ...more }, as(name));
const spent = (): Promise<number> => metricOf(gateway, 'signalbox_cost_usd_total');
const held = (): Promise<number> => metricOf(gateway, 'signalbox_held_usd_total');
/** What budgets count: the spend and what is held. */
const charged = async (): Promise<number> => (await spent()) + (await held());
/** Resolves when the gateway has counted what a request cost that nobody waits for. */
const whenCharged = (): Promise<void> => until(async () => (await charged()) > 0);

/** Sends a request and hangs up as soon as the provider has it. */
async function leave(path: string, sent: object): Promise<void> {
  const leaving = new AbortController();
  const before = upstream.requests.length;
  const left = fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { ...as('rich'), 'content-type': 'application/json' },
    body: JSON.stringify(sent),
    signal: leaving.signal,
  }).catch(() => null);
  await upstream.received(before);
  leaving.abort();
  await left;
}

describe('an attempt whose usage the provider did not report', () => {
  it.each<[string, string, object]>([
    ['the native surface', '/api/v1/completions', { messages, models: ['up/m'], maxTokens: 100 }],
    [
      'the native surface, streamed',
      '/api/v1/completions',
      { messages, models: ['up/m'], maxTokens: 100, stream: true },
    ],
    ["OpenAI's surface", '/v1/chat/completions', body],
    ["OpenAI's surface, streamed", '/v1/chat/completions', { ...body, stream: true }],
  ])(
    'is charged the longest answer where the client left before the first token: %s',
    async (_surface, path, sent) => {
      upstream.script([{ hang: 'beforeHeaders' }]);
      await leave(path, sent);
      await whenCharged();
      expect(await charged()).toBeCloseTo(0.1, 9);
    },
  );

  it('is charged every byte of its input for an embedding', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    await leave('/v1/embeddings', { model: 'up/vectors', input: 'x'.repeat(1000) });
    await whenCharged();
    expect(await charged()).toBeGreaterThanOrEqual(1);
  });

  it('is charged the longest answer where the client left after some text', async () => {
    upstream.script([{ hang: 'afterContent', text: ['Hello'] }]);
    await postStream(
      `${gateway.url}/v1/chat/completions`,
      { ...body, stream: true },
      { headers: as('rich'), abortAfterFrames: 1 },
    );
    await whenCharged();
    expect(await charged()).toBeCloseTo(0.1, 9);
  });

  it.each<[string, Step]>([
    ['its stream was cut', { reset: 'afterContent', text: ['Hello'] }],
    ['its stream ended without its marker', { endWithoutMarker: true }],
    ['its connection was reset before any answer', { reset: 'beforeHeaders' }],
    ['its answer cannot be read', { garbage: true }],
    ['its answer is an error under status 200', { errorUnder200: 'first' }],
    ['its answer is a failure of the proxy before it', { status: 504 }],
    ['its answer is whole', { usage: null }],
  ])('is charged the longest answer where %s', async (_ending, step) => {
    upstream.script([step]);
    await native('rich');
    await openai('rich');
    expect(await charged()).toBeCloseTo(0.2, 9);
  });

  it.each<[string, object]>([
    ['the first event', { firstEventMs: 50 }],
    ['the next event', { idleMs: 50 }],
    ['the whole answer', {}],
  ])('is charged the longest answer where it was too slow: %s', async (_what, timeouts) => {
    await restart(
      configured({
        providers: {
          up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, timeouts },
        },
        limits: { maxRetries: 0, totalTimeoutMs: 100 },
      }),
    );
    upstream.script([{ hang: 'firstEventMs' in timeouts ? 'afterHeaders' : 'afterFirstEvent' }]);
    expect((await native('rich')).status).toBe(504);
    expect(await charged()).toBeCloseTo(0.1, 9);
  });

  it('is charged nothing where the provider refused it', async () => {
    for (const status of [400, 401, 404, 408, 429, 500, 501, 503, 529]) {
      upstream.script([{ status }]);
      await native('rich');
    }
    expect(upstream.requests).toHaveLength(9);
    expect(await charged()).toBe(0);
  });

  it('is charged nothing where the provider was not reached', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    await new Promise((resolve) => taken.close(resolve));
    await restart(
      configured({
        providers: {
          up: { api: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1` },
        },
      }),
    );
    expect((await native('rich')).status).toBe(502);
    expect(await charged()).toBe(0);
  });

  it('is charged what was reported where its answer was empty', async () => {
    upstream.script([{ raw: emptyAnswer, contentType: 'application/json' }]);
    expect((await openai('rich')).status).toBe(502);
    expect(await charged()).toBeCloseTo(0.007, 9);
  });

  it('is charged what was reported where its stream ended without its marker', async () => {
    const chunks = [
      { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } },
    ];
    const raw = Buffer.from(chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));
    upstream.script([{ raw, contentType: 'text/event-stream' }]);
    await postStream(
      `${gateway.url}/v1/chat/completions`,
      { ...body, stream: true },
      { headers: as('rich') },
    );
    await whenCharged();
    expect(await charged()).toBeCloseTo(0.007, 9);
  });

  it('counts against the tokens a minute too', async () => {
    upstream.script([{ hang: 'beforeHeaders' }, {}]);
    const leaving = new AbortController();
    const left = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...as('words'), 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, max_tokens: undefined }),
      signal: leaving.signal,
    }).catch(() => null);
    await upstream.received(0);
    leaving.abort();
    await left;
    await until(async () => (await openai('words')).status === 429);
  });
});

const emptyAnswer = Buffer.from(
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: null }],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  }),
);

describe('an attempt after one that may have been billed', () => {
  const cut: Step = { reset: 'afterContent', text: ['Hello'] };
  const whole: Step = { usage: { prompt: 10, completion: 10 } };

  it('needs room of its own, and what both cost is charged', async () => {
    await restart(configured({ limits: { maxRetries: 1 } }));
    upstream.script([cut, whole]);
    const reply = await native('quarter');
    expect(reply.status).toBe(200);
    // what is told of an answer is of that answer alone
    expect(reply.json).toMatchObject({ usage: { costs: { total_tokens_cost: 0.01 } } });
    expect(await charged()).toBeCloseTo(0.11, 9);
    // 0.11 of 0.25 is spent: there is room for one more attempt of 0.1, and not for two
    upstream.script([cut, whole]);
    const second = await native('quarter');
    expect(second).toMatchObject({
      status: 429,
      headers: { 'x-should-retry': 'false' },
      json: {
        message: expect.stringMatching(/^limits: this key may spend 0\.25 USD a day/) as string,
        errorTrace: [{ provider: 'up', model: 'm', attempt: 1 }],
      },
    });
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
    expect(upstream.requests).toHaveLength(3);
    expect(await charged()).toBeCloseTo(0.21, 9);
  });

  it('may be a fallback that costs less than what is left', async () => {
    upstream.script([cut, whole, cut, whole, whole]);
    const fallback = { fallback_models: ['up/cheap'], maxTokens: 200 };
    // 0.2 are charged for the first model; the second needs 0.02 of the 0.05 that are left
    expect((await native('quarter', fallback)).status).toBe(200);
    expect(await charged()).toBeCloseTo(0.201, 9);
  });

  it('uses the same room as one that the provider refused', async () => {
    await restart(configured({ limits: { maxRetries: 2 } }));
    upstream.script([{ status: 503 }, { status: 500 }, whole]);
    expect((await native('quarter', { maxTokens: 250 })).status).toBe(200);
    expect(await charged()).toBeCloseTo(0.01, 9);
  });
});
