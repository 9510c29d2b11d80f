import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import { pino } from 'pino';
import supertest from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateway, type ConfigInput, type Gateway } from '../../src/index.js';
import { expressRows, type RunningHost, startHost } from '../helpers/host.js';
import { noUnhandledRejections } from '../helpers/rejections.js';
import { ask, post, postStream } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const key = 'sk_mounted';
const auth = { authorization: `Bearer ${key}` };
const messages = [{ role: 'user', content: 'Say hello' }];
const model = 'local/m';

let upstream: Upstream;
let gateway: Gateway;
let host: RunningHost | null = null;

const configOf = (extra: ConfigInput = {}): ConfigInput => ({
  auth: { keys: [{ name: 'test', key }] },
  providers: {
    local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
    claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'k' },
  },
  models: { [model]: { inputPrice: 1, outputPrice: 2 } },
  limits: { maxRetries: 0 },
  ...extra,
});
const quiet = { env: {}, logger: pino({ level: 'silent' }) };

beforeEach(async () => {
  upstream = await startUpstream();
  gateway = createGateway(configOf(), quiet);
});
afterEach(async () => {
  await host?.close();
  host = null;
  await gateway.close();
  await upstream.close();
});
noUnhandledRejections();

async function start(app: Express): Promise<string> {
  host = await startHost(app);
  return host.url;
}

describe.each(expressRows)('the whole gateway, mounted in %s', (_version, express) => {
  it.each(['/v1/chat/completions', '/proxy/local/v1/chat/completions'])(
    'does nothing at %s for a client that left during a stage of the host',
    async (path) => {
      await gateway.close();
      gateway = createGateway(configOf({ proxy: { enabled: true } }), quiet);
      const goOn: (() => void)[] = [];
      let left = 0;
      const hostStage: RequestHandler = (req, res, next) => {
        res.once('close', () => left++);
        if (req.headers['x-slow']) goOn.push(next);
        else next();
      };
      const url = await start(express().use(express.json(), hostStage, gateway.router));
      const leaving = new AbortController();
      const sent = postStream(
        url + path,
        { model, messages },
        { headers: { ...auth, 'x-slow': '1' }, signal: leaving.signal },
      );
      await until(() => goOn.length === 1);
      leaving.abort();
      await sent;
      await until(() => left === 1);
      goOn[0]!();
      expect((await post(url + path, { model, messages }, auth)).status).toBe(200);
      expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
      const { text } = await ask('GET', `${url}/metrics`, auth);
      expect(text).toMatch(/^signalbox_requests_in_progress 0$/m);
    },
  );

  const parsers: [string, RequestHandler[]][] = [
    ["with no body parser of the host's", []],
    ["after the host's express.json()", [express.json()]],
    [
      "after the host's express.json() and express.urlencoded()",
      [express.json(), express.urlencoded({ extended: true })],
    ],
    [
      "after a host's express.text() and express.raw(), which take JSON too",
      [express.text({ type: 'application/json' }), express.raw({ type: 'application/json' })],
    ],
    ["after a host's express.raw(), which takes all", [express.raw({ type: () => true })]],
  ];

  describe.each(parsers)('%s,', (_what, before) => {
    let url: string;
    beforeEach(async () => {
      const app = express();
      for (const parser of before) app.use(parser);
      url = `${await start(app.use('/ai', gateway.router))}/ai`;
    });

    it('completes, whole and streamed', async () => {
      const whole = await post(`${url}/api/v1/completions`, { messages, models: [model] }, auth);
      expect(whole).toMatchObject({
        status: 200,
        json: {
          provider: 'local',
          model: 'm',
          message: { content: [{ type: 'text', text: 'Hello' }] },
        },
      });
      const streamed = await postStream(
        `${url}/api/v1/completions`,
        { messages, models: [model], stream: true },
        { headers: auth },
      );
      expect(streamed.frames.at(-1)?.data).toBe('[DONE]');
    });

    it('selects a model', async () => {
      const selected = await post(
        `${url}/api/v1/model-select?explain=true`,
        { messages, llm_providers: [{ provider: 'local', model: 'm' }, { name: 'other' }] },
        auth,
      );
      expect(selected).toMatchObject({
        status: 200,
        json: { llm_label: expect.any(String), candidates: expect.any(Array) },
      });
    });

    it("speaks OpenAI's dialect", async () => {
      const whole = await post(`${url}/v1/chat/completions`, { model, messages }, auth);
      expect(whole).toMatchObject({
        status: 200,
        json: { object: 'chat.completion', choices: [{ message: { content: 'Hello' } }] },
      });
      const streamed = await postStream(
        `${url}/v1/chat/completions`,
        { model: 'claude/claude-sonnet-4-5', messages, stream: true },
        { headers: auth },
      );
      expect(streamed.frames.at(-1)?.data).toBe('[DONE]');
      expect(
        (await post(`${url}/v1/embeddings`, { model: 'local/embed', input: 'a' }, auth)).json,
      ).toMatchObject({ object: 'list' });
      expect((await ask('GET', `${url}/v1/models`, auth)).json).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ id: model })]),
      });
      expect((await ask('GET', `${url}/v1/models/${model}`, auth)).json).toMatchObject({
        id: model,
      });
    });

    it('passes through', async () => {
      const reply = await post(
        `${url}/proxy/claude/v1/messages`,
        { model: 'm', max_tokens: 1, messages },
        auth,
      );
      expect(reply).toMatchObject({ status: 200, json: { type: 'message' } });
      expect(upstream.requests[0]?.body).toEqual({ model: 'm', max_tokens: 1, messages });
    });

    it('tells of itself: health, metrics, its API', async () => {
      expect((await ask('GET', `${url}/healthz`)).json).toEqual({ status: 'ok' });
      expect((await ask('GET', `${url}/readyz`)).status).toBe(200);
      expect((await ask('GET', `${url}/metrics`)).text).toContain('signalbox_');
      expect((await ask('GET', `${url}/openapi.json`)).json).toMatchObject({
        servers: [{ url: '/ai' }],
      });
      expect((await ask('GET', `${url}/docs`)).headers['content-type']).toContain('text/html');
    });

    it("answers its own errors itself, in its surfaces' shapes", async () => {
      expect(await post(`${url}/api/v1/completions`, { messages }, auth)).toMatchObject({
        status: 422,
        json: { error: 'Validation Error', message: expect.stringMatching(/^models: /) },
      });
      expect(
        await post(`${url}/v1/chat/completions`, { model: 'x', messages }, auth),
      ).toMatchObject({
        status: 404,
        json: { error: { param: 'model', code: 'model_not_found' } },
      });
      expect(await post(`${url}/api/v1/model-select`, {}, {})).toMatchObject({
        status: 401,
        json: { error: 'Unauthorized' },
      });
      expect(await ask('GET', `${url}/api/v1/completions`, auth)).toMatchObject({
        status: 405,
        headers: { allow: 'POST' },
      });
      upstream.script([{ status: 503 }]);
      expect(
        await post(`${url}/api/v1/completions`, { messages, models: [model] }, auth),
      ).toMatchObject({
        status: 503,
        json: { error: 'Service Unavailable', errorTrace: [{ provider: 'local', model: 'm' }] },
      });
    });

    it('takes nothing but JSON, even where the host has read it', async () => {
      const reply = await ask(
        'POST',
        `${url}/api/v1/completions`,
        { ...auth, 'content-type': 'application/x-www-form-urlencoded' },
        'messages=x&models=y',
      );
      expect(reply).toMatchObject({ status: 415, json: { error: 'Unsupported Media Type' } });
    });
  });

  it('answers malformed JSON itself where it reads the body, and leaves it to the host where the host does', async () => {
    const own = await start(express().use('/ai', gateway.router));
    expect(await post(`${own}/ai/api/v1/completions`, '{"messages": [', auth)).toMatchObject({
      status: 400,
      json: { error: 'Bad Request' },
    });
    await host?.close();
    const seen: unknown[] = [];
    const hostErrors: ErrorRequestHandler = (error: { status: number }, _req, res, _next) => {
      seen.push(error);
      res.status(error.status).json({ host: true });
    };
    const app = express().use(express.json()).use('/ai', gateway.router).use(hostErrors);
    expect(
      await post(`${await start(app)}/ai/api/v1/completions`, '{"messages": [', auth),
    ).toMatchObject({ status: 400, json: { host: true } });
    expect(seen).toHaveLength(1);
  });

  it('leaves every path that is not its own to the host', async () => {
    const app = express();
    app.use('/ai', gateway.router);
    app.get('/ai/own', (_req, res) => void res.json({ host: 'own' }));
    app.post('/ai/api/v1/other', (_req, res) => void res.json({ host: 'other' }));
    app.use((req, res) => void res.status(404).json({ host: req.originalUrl }));
    const url = await start(app);
    expect((await ask('GET', `${url}/ai/own`)).json).toEqual({ host: 'own' });
    expect((await post(`${url}/ai/api/v1/other`, {})).json).toEqual({ host: 'other' });
    for (const path of [
      '/',
      '/ai',
      '/ai/',
      '/ai/nothing',
      '/ai/api/v1',
      '/v1/chat/completions',
      '/ai/metricsx',
      '/aiv1/models',
    ]) {
      expect(await ask('GET', url + path, auth), path).toMatchObject({
        status: 404,
        json: { host: path },
      });
    }
  });

  it("answers unknown paths below its own /v1 in OpenAI's shape, and leaves /v1 to the host where it is mounted at the root", async () => {
    const rest: RequestHandler = (_req, res) => void res.status(404).send('<html>host</html>');
    const url = await start(express().use('/ai', gateway.router).use(rest));
    for (const path of ['/ai/v1', '/ai/v1/images', '/ai/v1/chat/completions/more'])
      expect(await post(url + path, {}, auth), path).toMatchObject({
        status: 404,
        json: { error: { code: 'not_found', type: 'invalid_request_error' } },
      });
    expect((await post(`${url}/ai/v1/images`, {}, {})).json).toMatchObject({
      error: { code: 'invalid_api_key' },
    });
    await host?.close();
    const root = await start(express().use(gateway.router).use(rest));
    expect((await post(`${root}/v1/own`, {}, auth)).text).toContain('host');
  });

  it("answers what the host's body parser refuses below /v1 in OpenAI's shape, where gateway.errorHandler answers", async () => {
    const app = express()
      .use(express.json({ limit: 50 }))
      .use('/ai', gateway.router);
    const url = await start(app.use(gateway.errorHandler));
    expect(await post(`${url}/ai/v1/chat/completions`, '{"messages": [', auth)).toMatchObject({
      status: 400,
      json: {
        error: {
          code: 'malformed_json',
          message: 'the body is not valid JSON: it ends at line 1, column 15 before it is complete',
        },
      },
    });
    expect(await post(`${url}/ai/v1/embeddings?a=1`, { a: 'x'.repeat(60) }, auth)).toMatchObject({
      status: 413,
      json: { error: { code: 'payload_too_large' } },
    });
    expect(await post(`${url}/ai/api/v1/chat/completions`, '{', auth)).toMatchObject({
      status: 400,
      json: { error: 'Bad Request' },
    });
  });

  it("works below a path with parameters, and inside a router of the host's", async () => {
    const inner = express.Router().use('/ai', gateway.router);
    const url = await start(express().use('/tenants/:tenant', inner));
    expect(
      (await post(`${url}/tenants/blue%20team/ai/v1/chat/completions`, { model, messages }, auth))
        .status,
    ).toBe(200);
    expect(
      (await ask('GET', `${url}/tenants/blue/ai/v1/models/${model}`, auth)).json,
    ).toMatchObject({ id: model });
    expect((await ask('GET', `${url}/tenants/blue/ai/proxy/local/models?a=1`, auth)).status).toBe(
      404,
    );
    expect(upstream.requests.at(-1)?.path).toBe('/v1/models?a=1');
  });

  it("works at the root, before the host's own routes", async () => {
    const url = await start(
      express()
        .use(gateway.router)
        .get('/own', (_req, res) => void res.json({ host: true })),
    );
    expect((await post(`${url}/v1/chat/completions`, { model, messages }, auth)).status).toBe(200);
    expect((await ask('GET', `${url}/own`)).json).toEqual({ host: true });
  });

  it('is one surface alone where only that is mounted', async () => {
    const app = express()
      .use('/choose', gateway.routers.modelSelect)
      .use((_req, res) => void res.status(404).json({ host: true }));
    const url = await start(app);
    const body = { messages, llm_providers: [{ name: 'a' }] };
    expect((await post(`${url}/choose/api/v1/model-select`, body, auth)).json).toMatchObject({
      llm_label: 'a',
    });
    expect(await post(`${url}/choose/api/v1/model-select`, body)).toMatchObject({ status: 401 });
    for (const path of [
      '/api/v1/completions',
      '/v1/chat/completions',
      '/proxy/local/v1',
      '/metrics',
      '/healthz',
    ]) {
      expect((await ask('GET', `${url}/choose${path}`, auth)).json, path).toEqual({ host: true });
    }
  });

  it.each([
    ['completions', '/api/v1/completions', { messages, models: [model] }],
    ['openai', '/v1/chat/completions', { model, messages }],
    ['proxy', '/proxy/local/v1/chat/completions', { model: 'm', messages }],
  ] as const)('is %s alone likewise', async (surface, path, body) => {
    const url = await start(express().use(gateway.routers[surface]));
    expect((await post(url + path, body, auth)).status).toBe(200);
    expect((await ask('GET', `${url}/healthz`)).status).toBe(404);
  });

  it('is there twice in one process, each with its own keys, models and metrics', async () => {
    const second = createGateway(
      configOf({
        auth: { keys: [{ name: 'b', key: 'sk_second' }] },
        metrics: { prefix: 'second_' },
      }),
      quiet,
    );
    const url = await start(
      express().use(express.json()).use('/a', gateway.router).use('/b', second.router),
    );
    expect((await post(`${url}/a/v1/chat/completions`, { model, messages }, auth)).status).toBe(
      200,
    );
    expect((await post(`${url}/b/v1/chat/completions`, { model, messages }, auth)).status).toBe(
      401,
    );
    for (let n = 0; n < 3; n++)
      await post(
        `${url}/b/v1/chat/completions`,
        { model, messages },
        { authorization: 'Bearer sk_second' },
      );
    const counted = async (path: string, line: RegExp): Promise<string[]> =>
      (await ask('GET', url + path)).text.split('\n').filter((text) => line.test(text));
    expect(await counted('/a/metrics', /^signalbox_attempts_total\{.*outcome="ok"/)).toEqual([
      expect.stringMatching(/ 1$/),
    ]);
    expect(await counted('/b/metrics', /attempts_total\{.*outcome="ok"/)).toEqual([
      expect.stringMatching(/ 3$/),
    ]);
    await second.close();
    expect((await post(`${url}/a/v1/chat/completions`, { model, messages }, auth)).status).toBe(
      200,
    );
  });

  it('can be tried with supertest, without listening', async () => {
    const app = express().use('/ai', gateway.router);
    const reply = await supertest(app)
      .post('/ai/v1/chat/completions')
      .set(auth)
      .send({ model, messages })
      .expect(200)
      .expect('content-type', /json/);
    expect(reply.body).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
    const streamed = await supertest(app)
      .post('/ai/v1/chat/completions')
      .set(auth)
      .send({ model, messages, stream: true })
      .expect(200)
      .expect('content-type', /event-stream/);
    expect(streamed.text).toMatch(/data: \[DONE\]\n\n$/);
    await supertest(app).get('/ai/healthz').expect(200, { status: 'ok' });
    await supertest(app).post('/ai/v1/chat/completions').send({}).expect(401);
  });

  it("cancels its upstream call when the host's client leaves", async () => {
    upstream.script([{ hang: 'afterContent' }]);
    const url = await start(express().use(express.json()).use('/ai', gateway.router));
    await postStream(
      `${url}/ai/v1/chat/completions`,
      { model, messages, stream: true },
      { headers: auth, abortAfterFrames: 1 },
    );
    await upstream.closed(0);
  });

  it('lets calls under way finish when it is closed, and says meanwhile that it is not ready', async () => {
    upstream.script([{ text: ['a', 'b', 'c'], betweenMs: 30 }]);
    const url = await start(express().use(gateway.router));
    const reply = postStream(
      `${url}/v1/chat/completions`,
      { model, messages, stream: true },
      { headers: auth },
    );
    await upstream.received(0);
    const closed = gateway.close();
    expect((await ask('GET', `${url}/readyz`)).status).toBe(503);
    expect((await reply).frames.at(-1)?.data).toBe('[DONE]');
    await closed;
    const late = await post(`${url}/v1/chat/completions`, { model, messages }, auth);
    expect(late.status).toBeGreaterThanOrEqual(502);
    expect(late.json).toMatchObject({ error: { message: expect.any(String) } });
    await gateway.close();
  });
});
