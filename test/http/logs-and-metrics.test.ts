import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Family, parseExposition } from '../helpers/exposition.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { sendRaw } from '../helpers/raw.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';
import { runs } from '../helpers/runs.js';

const canary = 'CANARY';
const said = `Please remember the word ${canary} for me`;
const hello = { messages: [{ role: 'user', content: said }], models: ['up/known'] };

let upstream: Upstream;
let gateway: RunningGateway;
let log: ReturnType<typeof keepingLogger>;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(async () => {
  upstream.script([]);
  log = keepingLogger();
  gateway = await startGateway(
    {
      providers: {
        up: {
          api: 'openai-compatible',
          baseUrl: `${upstream.url}/v1`,
          apiKey: `sk-up-${canary}`,
          headers: { 'x-secret': canary },
        },
      },
      models: { 'up/known': { inputPrice: 1, outputPrice: 1, quality: 1 }, 'up/other-known': {} },
      auth: { keys: [{ name: 'ci', key: `sk_${canary}` }] },
    },
    { logger: log.logger },
  );
});
afterEach(() => gateway.close());

const complete = (body: object = {}, path = '/api/v1/completions'): Promise<Reply> =>
  post(gateway.url + path, { ...hello, ...body }, gateway.auth);
const page = async (accept = ''): Promise<Reply> =>
  ask('GET', `${gateway.url}/metrics`, { accept });
const families = async (): Promise<Map<string, Family>> =>
  parseExposition((await page()).text, 'prometheus');
/**
 * The line of a request is written when its connection has had the whole answer, which its client
 * may see first.
 */
async function lines(count: number): Promise<Record<string, unknown>[]> {
  await until(() => log.lines.length >= count);
  return log.lines;
}

/** One of each kind of traffic, so that every metric has something to tell. */
async function everyKindOfTraffic(): Promise<void> {
  const chat = { model: 'up/known', messages: hello.messages };
  await complete();
  await complete({ stream: true });
  await complete({ models: ['up/nobody-knows'] });
  upstream.script([{ status: 503, headers: { 'retry-after-ms': '1' } }, {}]);
  await complete();
  upstream.script([{ status: 404 }, {}]);
  await complete({ models: ['up/known', 'up/other-known'] });
  upstream.script([{ usage: null }]);
  await complete();
  upstream.script([{ status: 404 }]);
  await complete();
  upstream.script([{ reset: 'afterContent' }]);
  await postStream(
    `${gateway.url}/api/v1/completions`,
    { ...hello, stream: true },
    { headers: gateway.auth },
  );
  upstream.script([{ hang: 'afterContent' }]);
  await postStream(
    `${gateway.url}/api/v1/completions`,
    { ...hello, stream: true },
    { headers: gateway.auth, abortAfterFrames: 1 },
  );
  upstream.script([]);
  await post(
    `${gateway.url}/api/v1/model-select`,
    { messages: hello.messages, llm_providers: [{ name: canary }] },
    gateway.auth,
  );
  await post(`${gateway.url}/v1/chat/completions`, chat, gateway.auth);
  await post(`${gateway.url}/v1/embeddings`, { model: 'up/known', input: canary }, gateway.auth);
  await ask('GET', `${gateway.url}/v1/models`, gateway.auth);
  await post(`${gateway.url}/proxy/up/chat/completions`, chat, gateway.auth);
  await ask('GET', `${gateway.url}/nothing`, gateway.auth);
  await lines(15);
}

describe('/metrics', () => {
  const names = [
    'gen_ai_server_request_duration_seconds',
    'gen_ai_server_time_to_first_token_seconds',
    'gen_ai_server_time_per_output_token_seconds',
    'gen_ai_client_token_usage',
    'signalbox_request_duration_seconds',
    'signalbox_selection_duration_seconds',
    'signalbox_overhead_seconds',
    'signalbox_attempts',
    'signalbox_retries',
    'signalbox_fallbacks',
    'signalbox_cost_usd',
    'signalbox_usage_missing',
    'signalbox_streams_open',
    'signalbox_client_disconnects',
  ];

  it('has every metric, with something to tell, after every kind of traffic, in both formats', async () => {
    await everyKindOfTraffic();
    const [plain, open] = [
      await page(),
      await page('application/openmetrics-text; version=1.0.0; q=0.7, text/plain; q=0.3'),
    ];
    expect(plain.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(open.headers['content-type']).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
    const prometheus = parseExposition(plain.text, 'prometheus');
    const openMetrics = parseExposition(open.text, 'openmetrics');
    for (const name of names) {
      const family = openMetrics.get(name);
      expect(family?.samples.length, name).toBeGreaterThan(0);
      expect(
        prometheus.get(family?.type === 'counter' ? `${name}_total` : name)?.samples,
        name,
      ).toEqual(family?.samples);
    }
    expect(openMetrics.size).toBe(prometheus.size);
  });

  it('is the same page again after a page in the other format, asked for at the same time or not', async () => {
    await complete();
    const first = (await page()).text;
    await page('application/openmetrics-text');
    const [again, , once] = await Promise.all([
      page(),
      page('application/openmetrics-text'),
      page(),
    ]);
    expect([again.text, once.text]).toEqual([first, first]);
  });

  it('has buckets up to 900 s for requests and up to 300 s for first tokens', async () => {
    await complete();
    const found = await families();
    const bounds = (name: string): number[] => [
      ...new Set(
        found
          .get(name)!
          .samples.flatMap(({ labels }) =>
            labels['le'] && labels['le'] !== '+Inf' ? [Number(labels['le'])] : [],
          ),
      ),
    ];
    expect(Math.max(...bounds('gen_ai_server_request_duration_seconds'))).toBe(900);
    expect(Math.max(...bounds('signalbox_request_duration_seconds'))).toBe(900);
    expect(Math.max(...bounds('gen_ai_server_time_to_first_token_seconds'))).toBe(300);
  });

  it('reports what happened', async () => {
    await everyKindOfTraffic();
    const found = await families();
    const values = (name: string): [string, number][] =>
      found
        .get(name)!
        .samples.filter(
          (sample) => !sample.name.endsWith('_bucket') && !sample.name.endsWith('_sum'),
        )
        .map(({ labels, value }) => [Object.values(labels).join(' '), value]);
    expect(Object.fromEntries(values('signalbox_request_duration_seconds'))).toMatchObject({
      'completions 200': 7,
      'completions 422': 1,
      'completions 499': 1,
      'model_select 200': 1,
      'openai 200': 1,
      'embeddings 200': 1,
      'models 200': 1,
      'proxy 200': 1,
      'other 404': 1,
    });
    expect(Object.fromEntries(values('signalbox_attempts_total'))).toMatchObject({
      'up known upstream_overloaded': 1,
      'up known model_not_found': 2,
      'up other-known ok': 1,
      'up other ok': 1,
      'up known client_closed': 1,
    });
    expect(Object.fromEntries(values('signalbox_retries_total'))).toEqual({ 'up known': 1 });
    expect(Object.fromEntries(values('signalbox_fallbacks_total'))).toEqual({
      'up other-known': 1,
    });
    expect(Object.fromEntries(values('signalbox_usage_missing_total'))).toEqual({ up: 1 });
    expect(Object.fromEntries(values('signalbox_client_disconnects_total'))).toMatchObject({
      completions: 1,
    });
    expect(values('signalbox_streams_open')).toEqual([['', 0]]);
  });

  it('grows by nothing, however many names of models, providers, paths and methods are asked for', async () => {
    let named = 0;
    const name = (): string => `n${named++}${canary}`;
    const strange = async (): Promise<void> => {
      await Promise.all([
        complete({ models: [`up/${name()}`] }),
        complete({ models: [`${name()}/m`] }),
        complete({ models: [name()] }),
        post(
          `${gateway.url}/v1/chat/completions`,
          { model: `up/${name()}`, messages: hello.messages },
          gateway.auth,
        ),
        post(`${gateway.url}/v1/embeddings`, { model: `up/${name()}`, input: 'x' }, gateway.auth),
        post(
          `${gateway.url}/api/v1/model-select`,
          {
            messages: hello.messages,
            llm_providers: [{ name: name() }, { provider: name(), model: name() }],
          },
          gateway.auth,
        ),
        ask('GET', `${gateway.url}/${name()}`, gateway.auth),
        ask('GET', `${gateway.url}/proxy/${name()}/x`, gateway.auth),
        ask('GET', `${gateway.url}/v1/models/${name()}/x`, gateway.auth),
        ask('GET', `${gateway.url}/v1/models`, {
          authorization: `Bearer ${name()}`,
          'x-request-id': name(),
        }),
      ]);
    };
    const size = async (): Promise<number> =>
      [...(await families()).values()].reduce((sum, { samples }) => sum + samples.length, 0);
    await strange();
    for (const method of [
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'PROPFIND',
      'LOCK',
      'M-SEARCH',
      'TRACE',
    ])
      await ask(method, `${gateway.url}/api/v1/completions`, gateway.auth);
    const before = await size();
    while (named < runs(1000)) await Promise.all([strange(), strange()]);
    for (const method of ['MKCOL', 'COPY', 'PURGE', 'SUBSCRIBE'])
      await ask(method, `${gateway.url}/api/v1/completions`, gateway.auth);
    expect(await size()).toBe(before);
  });

  it('may have a prefix before every name', async () => {
    const prefixed = await startGateway({ metrics: { prefix: 'mine_' } });
    const found = parseExposition((await ask('GET', `${prefixed.url}/metrics`)).text, 'prometheus');
    for (const name of found.keys()) expect(name).toMatch(/^mine_/);
    await prefixed.close();
  });
});

describe('the log', () => {
  it.each(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])(
    'does not repeat the API key of %s that a client sends as the id of its request',
    async (name) => {
      const { key } = gateway;
      const sent = { [name]: name === 'authorization' ? `Bearer ${key}` : key };
      const url = `${gateway.url}/v1/models`;
      for (const id of [key, `${key}-1`]) {
        const reply = await ask('GET', url, { ...sent, 'x-request-id': id });
        expect(reply.status).toBe(200);
        expect(JSON.stringify(reply.headers)).not.toContain(key);
      }
      const own = await ask('GET', url, { ...sent, 'x-request-id': 'job-7' });
      expect(own.headers['x-request-id']).toBe('job-7');
      expect(JSON.stringify(await lines(3))).not.toContain(key);
    },
  );

  it('has one line for a request, with what it took', async () => {
    const { headers } = await complete();
    expect(await lines(1)).toEqual([
      {
        level: 30,
        time: expect.any(Number) as number,
        msg: 'request',
        requestId: headers['x-request-id'],
        surface: 'completions',
        accountId: 'fixed:ci',
        keyId: 'fixed:ci',
        caller: 'ci',
        conversationId: headers['conversationid'],
        status: 200,
        model: 'up/known',
        attempts: 1,
        stream: false,
        latencyMs: expect.any(Number) as number,
        ttftMs: expect.any(Number) as number,
        promptTokens: 10,
        completionTokens: 5,
        costUsd: 0.000015,
      },
    ]);
  });

  it('has the same fields for a stream', async () => {
    await complete({ stream: true });
    expect(await lines(1)).toMatchObject([
      { msg: 'request', status: 200, stream: true, model: 'up/known', promptTokens: 10 },
    ]);
  });

  it('tells each attempt where one failed', async () => {
    upstream.script([{ status: 404 }, {}]);
    await complete({ models: ['up/known', 'up/other-known'] });
    expect(await lines(1)).toMatchObject([
      {
        status: 200,
        model: 'up/other-known',
        attempts: 2,
        tried: [
          { model: 'up/known', outcome: 'model_not_found', status: 404 },
          { model: 'up/other-known', outcome: 'ok', status: 200 },
        ],
      },
    ]);
  });

  it.each([
    [
      'a wrong key',
      () => ask('GET', `${gateway.url}/v1/models`, { authorization: 'Bearer x' }),
      { status: 401, code: 'unauthorized', surface: 'models' },
    ],
    [
      'malformed JSON',
      () => post(`${gateway.url}/api/v1/completions`, '{', gateway.auth),
      { status: 400, code: 'malformed_json', caller: 'ci' },
    ],
    [
      'a wrong field',
      () => complete({ models: [] }),
      {
        status: 422,
        code: 'validation_failed',
        field: 'models',
        error: expect.stringMatching(/^models: /) as string,
      },
    ],
    [
      'a wrong method',
      () => ask('PUT', `${gateway.url}/api/v1/completions`, gateway.auth),
      { status: 405, code: 'method_not_allowed' },
    ],
    [
      'a wrong path',
      () => ask('GET', `${gateway.url}/nothing`, gateway.auth),
      { status: 404, code: 'not_found', surface: 'other' },
    ],
    [
      'a selection',
      () =>
        post(
          `${gateway.url}/api/v1/model-select`,
          { messages: hello.messages, llm_providers: [{ name: 'x' }] },
          gateway.auth,
        ),
      { status: 200, surface: 'model_select' },
    ],
    [
      'a pass-through',
      () => post(`${gateway.url}/proxy/up/chat/completions`, { messages: [] }, gateway.auth),
      { status: 200, surface: 'proxy' },
    ],
  ])('has one line for %s', async (_what, send, line) => {
    await send();
    expect(await lines(1)).toMatchObject([{ msg: 'request', ...line }]);
    expect(log.lines).toHaveLength(1);
  });

  it('has no line for health checks and scrapes', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json'])
      await ask('GET', gateway.url + path);
    expect(log.lines).toEqual([]);
  });

  it('is louder where every provider failed', async () => {
    upstream.script([{ status: 401 }]);
    await complete();
    expect(await lines(1)).toMatchObject([{ level: 40, status: 502, code: 'all_failed' }]);
  });
});

describe('neither the log nor the metrics', () => {
  it('ever hold a prompt, an answer or a key, whatever goes wrong', async () => {
    upstream.script([
      {
        text: [canary],
        reasoning: [canary],
        toolCalls: [{ name: canary, arguments: { [canary]: canary } }],
      },
    ]);
    await complete({ stream: true });
    await everyKindOfTraffic();
    const bodies = [
      `{"messages": "${canary}`,
      `"${canary}"`,
      canary,
      JSON.stringify({ [canary]: canary }),
      JSON.stringify({ ...hello, temperature: canary, conversationId: canary }),
      JSON.stringify({ ...hello, messages: [{ role: canary, content: canary }] }),
    ];
    for (const path of [
      '/api/v1/completions',
      '/api/v1/model-select',
      '/v1/chat/completions',
      '/v1/embeddings',
      `/${canary}`,
      `/proxy/${canary}/x`,
      `/v1/models/${canary}`,
      `/api/v1/completions?${canary}=${canary}`,
    ]) {
      for (const body of bodies) await post(gateway.url + path, body, gateway.auth);
      await post(gateway.url + path, bodies[0], {
        authorization: `Bearer sk_wrong_${canary}`,
        cookie: canary,
        'user-agent': canary,
        referer: canary,
      });
    }
    // the names of models that a client asks for are logged
    for (const models of [['no-such-model'], ['stranger/m']]) await complete({ models });
    for (const link of ['previous_session', 'preference_id']) await complete({ [link]: canary });
    await post(
      `${gateway.url}/api/v1/model-select`,
      {
        messages: hello.messages,
        tools: [{ name: canary, description: canary }],
        llm_providers: [{ name: 'up/known', attributes: { note: canary } }],
        hash_content: true,
      },
      gateway.auth,
    );
    await sendRaw(gateway.port, `GET /${canary} HTTP/9.9\r\n${canary}\r\n\r\n`);
    const told = log.lines.filter(({ surface }) => surface !== 'model_select');
    expect(told.length).toBeGreaterThan(50);
    expect(JSON.stringify(told)).not.toContain(canary);
    // what model selection answered is in its line: the label, which is the caller's own name for a
    // model
    expect(JSON.stringify(log.lines.map(({ model: _model, ...rest }) => rest))).not.toContain(
      canary,
    );
    for (const accept of ['', 'application/openmetrics-text'])
      expect((await page(accept)).text).not.toContain(canary);
  });

  it.each([400, 401, 403, 404, 429, 500, 503])(
    "ever hold what a provider repeats in its %i, and no client sees the provider's key",
    async (status) => {
      upstream.script([
        {
          status,
          headers: { 'retry-after': '60' },
          body: {
            error: {
              message: `You said “${said.toUpperCase()}” with the key sk-up-${canary}`,
              type: canary,
              code: canary,
            },
          },
        },
      ]);
      const reply = await complete({ maxRetries: 0 });
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.text).not.toContain(`sk-up-${canary}`);
      // the secret in the middle is removed first, and the rest is too short to be a quotation
      const tried = `up answered ${status}: You said “[…][redacted] FOR ME” with the key [redacted]`;
      const error = status === 404 ? `models[0]: ${tried}; GET /v1/models lists the models` : tried;
      expect(await lines(1)).toMatchObject([
        { error, tried: [{ error: tried }], model: 'up/known' },
      ]);
      expect(log.text()).not.toContain(canary);
      expect((await page()).text).not.toContain(canary);
    },
  );
});
