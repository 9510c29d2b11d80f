import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, GatewayError, planOf } from '../../src/index.js';
import { expressRows, type RunningHost, startHost } from '../helpers/host.js';
import { listAt } from '../helpers/json.js';
import { noUnhandledRejections } from '../helpers/rejections.js';
import { ask, post, postStream } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const key = 'sk_mounted';
const auth = { authorization: `Bearer ${key}` };
const messages = [{ role: 'user', content: 'Say hello' }];
const both = ['local/good', 'local/cheap'];

let upstream: Upstream;
let gateway: Gateway;
let host: RunningHost | null = null;

beforeEach(async () => {
  upstream = await startUpstream();
  gateway = createGateway(
    {
      auth: {
        keys: [
          { name: 'test', key },
          { name: 'narrow', key: 'sk_narrow', models: ['local/cheap'] },
        ],
      },
      providers: {
        local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
        claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'k' },
      },
      models: {
        'local/good': { inputPrice: 5, outputPrice: 10, quality: 0.99 },
        'local/cheap': { inputPrice: 1, outputPrice: 2, quality: 0.975, tools: false },
      },
      limits: { maxRetries: 0 },
    },
    { env: {}, logger: pino({ level: 'silent' }) },
  );
});
afterEach(async () => {
  await host?.close();
  host = null;
  await gateway.close();
  await upstream.close();
});
noUnhandledRejections();

const sendPlan: RequestHandler = (_req, res) => {
  const plan = planOf(res);
  res.json({
    id: plan.id,
    labels: plan.candidates.map(({ label }) => label),
    providers: plan.candidates.map(({ provider }) => provider),
  });
};

describe.each(expressRows)("a stage in a host's route, in %s", (_version, express) => {
  let failures: unknown[];
  /** The host's own way with errors, after all its routes. */
  const hostErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    failures.push(error);
    if (res.headersSent) next(error);
    else
      res
        .status(error instanceof GatewayError ? error.status : 599)
        .json({ host: error instanceof Error ? error.message : '' });
  };
  const start = async (mount: (app: Express) => unknown): Promise<string> => {
    failures = [];
    const app = express();
    mount(app);
    host = await startHost(app.use(hostErrors));
    return host.url;
  };

  const parsers: [string, RequestHandler[]][] = [
    ['without a body parser', []],
    ["after the host's express.json()", [express.json()]],
  ];
  describe.each(parsers)('%s:', (_what, before) => {
    it('selectModel leaves a plan for the handler, from a body with models', async () => {
      const url = await start((app) => app.post('/chat', ...before, gateway.selectModel, sendPlan));
      expect((await post(`${url}/chat`, { messages, models: both })).json).toEqual({
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        labels: both,
        providers: ['local', 'local'],
      });
      expect(
        (await post(`${url}/chat`, { messages, models: both, tradeoff: 'cost' })).json,
      ).toMatchObject({ labels: ['local/cheap', 'local/good'] });
      expect(
        (await post(`${url}/chat`, { messages, models: both, tools: [{ name: 'f' }] })).json,
      ).toMatchObject({ labels: ['local/good'] });
      expect(upstream.requests).toEqual([]);
    });

    it('selectModel leaves a plan for the handler, from a body with llm_providers', async () => {
      const url = await start((app) => app.post('/chat', ...before, gateway.selectModel, sendPlan));
      const entries = [
        { name: 'mine', provider: 'local', model: 'good' },
        { name: 'never-heard-of' },
      ];
      expect((await post(`${url}/chat`, { messages, llm_providers: entries })).json).toMatchObject({
        labels: ['mine', 'never-heard-of'],
        providers: ['local', null],
      });
    });

    it('selectModel chooses among the configured models where the body names none', async () => {
      const url = await start((app) => app.post('/chat', ...before, gateway.selectModel, sendPlan));
      expect((await post(`${url}/chat`, { messages })).json).toMatchObject({ labels: both });
    });

    it('complete answers alone, whole and streamed', async () => {
      const url = await start((app) => app.post('/chat', ...before, gateway.complete));
      expect(await post(`${url}/chat`, { messages, models: ['local/good'] })).toMatchObject({
        status: 200,
        json: { model: 'good', message: { content: [{ text: 'Hello' }] } },
      });
      const streamed = await postStream(`${url}/chat`, {
        messages,
        models: ['local/good'],
        stream: true,
      });
      expect(streamed.frames.at(-1)?.data).toBe('[DONE]');
      expect(failures).toEqual([]);
    });

    it('complete carries out the plan that selectModel has left, to its second candidate where the first fails', async () => {
      upstream.script([{ status: 503 }, {}]);
      const url = await start((app) =>
        app.post('/chat', ...before, gateway.selectModel, gateway.complete),
      );
      expect(
        (await post(`${url}/chat`, { messages, models: both, tradeoff: 'cost' })).json,
      ).toMatchObject({ model: 'good', errorTrace: [{ model: 'cheap' }] });
      expect(upstream.requests.map(({ body }) => body?.['model'])).toEqual(['cheap', 'good']);
    });

    it("complete carries out a plan whose labels are the host's own", async () => {
      const entries = [{ name: 'mine', provider: 'local', model: 'good' }];
      const url = await start((app) =>
        app.post('/chat', ...before, gateway.selectModel, gateway.complete),
      );
      expect((await post(`${url}/chat`, { messages, llm_providers: entries })).json).toMatchObject({
        provider: 'local',
        model: 'good',
      });
    });
  });

  it('complete says that it cannot call a planned model of a provider that is not configured', async () => {
    const url = await start((app) => app.post('/chat', gateway.selectModel, gateway.complete));
    expect(
      await post(`${url}/chat`, {
        messages,
        llm_providers: [{ name: 'never-heard-of' }, { provider: 'nobody', model: 'x' }],
      }),
    ).toMatchObject({ status: 422 });
    expect(failures).toEqual([
      expect.objectContaining({
        code: 'not_configured',
        message: expect.stringContaining('not configured'),
      }),
    ]);
  });

  it('a handler between the two can look at the plan before it is carried out', async () => {
    const planned: unknown[] = [];
    const look: RequestHandler = (_req, res, next) => {
      planned.push(planOf(res).candidates[0].label);
      next();
    };
    const url = await start((app) =>
      app.post('/chat', gateway.selectModel, look, gateway.complete),
    );
    expect(
      (await postStream(`${url}/chat`, { messages, models: both, stream: true })).frames.at(-1)
        ?.data,
    ).toBe('[DONE]');
    expect(planned).toEqual(['local/good']);
  });

  it('planOf says which stage is missing where nothing was planned', async () => {
    const url = await start((app) => app.get('/', (_req, res) => void res.json(planOf(res))));
    expect((await ask('GET', url)).status).toBe(500);
    expect(failures).toEqual([
      expect.objectContaining({
        code: 'internal',
        message: expect.stringContaining('gateway.selectModel'),
      }),
    ]);
  });

  it('authenticate lets known keys pass and no other, and what a key may not use is not planned for it', async () => {
    const url = await start((app) =>
      app.post('/chat', gateway.authenticate, gateway.selectModel, sendPlan),
    );
    expect((await post(`${url}/chat`, { messages, models: both }, auth)).json).toMatchObject({
      labels: both,
    });
    expect(
      (await post(`${url}/chat`, { messages, models: both }, { authorization: 'Bearer sk_narrow' }))
        .json,
    ).toMatchObject({ labels: ['local/cheap'] });
    expect(failures).toEqual([]);
    for (const headers of [{}, { authorization: 'Bearer sk_wrong' }])
      expect(
        (await post(`${url}/chat`, { messages, models: both }, headers as Record<string, string>))
          .status,
      ).toBe(401);
    expect(failures).toEqual([
      expect.objectContaining({ code: 'unauthorized', status: 401 }),
      expect.objectContaining({ code: 'unauthorized', status: 401 }),
    ]);
    expect(failures[0]).toBeInstanceOf(GatewayError);
  });

  it("selectModelWith takes the host's own candidates", async () => {
    const stage = gateway.selectModelWith({
      candidates: [
        'local/cheap',
        {
          label: 'house',
          provider: null,
          model: 'house',
          price: { input: 0, output: 0 },
          attributes: { quality: 0.1 },
        },
      ],
    });
    const url = await start((app) => app.post('/chat', stage, sendPlan));
    expect((await post(`${url}/chat`, { messages, models: ['local/good'] })).json).toMatchObject({
      labels: expect.arrayContaining(['local/cheap', 'house']),
    });
  });

  it("selectModelWith asks a function for each request's own candidates, at once or later", async () => {
    const listed = (req: Request): string[] => [
      `local/${req.query['model'] === 'cheap' ? 'cheap' : 'good'}`,
    ];
    const url = await start((app) =>
      app
        .post('/now', gateway.selectModelWith({ candidates: listed }), sendPlan)
        .post(
          '/later',
          gateway.selectModelWith({ candidates: (req) => Promise.resolve(listed(req)) }),
          sendPlan,
        ),
    );
    for (const path of ['now', 'later'])
      for (const model of ['good', 'cheap'])
        expect((await post(`${url}/${path}?model=${model}`, { messages })).json).toMatchObject({
          labels: [`local/${model}`],
        });
  });

  it('selectModelWith hands over what such a function throws, and says what it must return', async () => {
    const own = new Error('no tenant');
    const throwing = gateway.selectModelWith({ candidates: () => Promise.reject(own) });
    const wrong = gateway.selectModelWith({ candidates: () => JSON.parse('{"model":"x"}') });
    const url = await start((app) => app.post('/a', throwing).post('/b', wrong));
    expect((await post(`${url}/a`, { messages })).status).toBe(599);
    expect((await post(`${url}/b`, { messages })).status).toBe(500);
    expect(failures).toEqual([
      own,
      expect.objectContaining({
        code: 'internal',
        message: expect.stringMatching(/^selectModelWith: candidates\(req\) must be a list of /),
      }),
    ]);
  });

  it.each([
    ['{"candidates": "local/good"}', /^selectModelWith: candidates must be a list of /],
    ['{"candidates": [7]}', /^selectModelWith: candidates must be a list of /],
    ['{"candidates": [{"provider": "local", "model": "good"}]}', /label, provider and model/],
    ['{"from": {}}', /^selectModelWith: from must be a function/],
  ])('selectModelWith(%s) throws at once and says what is wrong', (options, message) => {
    expect(() => gateway.selectModelWith(JSON.parse(options))).toThrow(message);
  });

  it('selectModel says what to give where there is nothing to choose from', async () => {
    const empty = createGateway({}, { env: {} });
    const url = await start((app) => app.post('/chat', empty.selectModel, sendPlan));
    expect((await post(`${url}/chat`, { messages })).json).toEqual({
      host: expect.stringMatching(
        /^models: there is nothing to choose from: send `models` or `llm_providers`.*selectModelWith.*`providers`/,
      ),
    });
    await empty.close();
  });

  it("takes the configured facts of models whose provider is the host's own", async () => {
    const own = createGateway(
      {
        auth: { keys: [{ name: 'test', key, scopes: ['model-select', 'admin'] }] },
        models: {
          'big/gpt-x': { inputPrice: 5, outputPrice: 20, quality: 0.9 },
          'small/gpt-s': { inputPrice: 0.1, outputPrice: 0.4, quality: 0.88 },
        },
      },
      { env: {} },
    );
    const stage = own.selectModelWith({ candidates: ['big/gpt-x', 'small/gpt-s'] });
    const url = await start((app) =>
      app
        .use('/ai', own.router)
        .post('/body', own.selectModel, sendPlan)
        .post('/own', stage, sendPlan),
    );
    const cheap = { messages, tradeoff: 'cost' };
    const models = ['big/gpt-x', 'small/gpt-s'];
    const entries = models.map((name) => ({ name }));
    const chosen = { labels: ['small/gpt-s', 'big/gpt-x'], providers: ['small', 'big'] };
    for (const [path, body] of [
      ['body', { ...cheap, models }],
      ['body', { ...cheap, llm_providers: entries }],
      ['own', cheap],
    ] as const)
      expect((await post(`${url}/${path}`, body)).json).toMatchObject(chosen);
    const select = `${url}/ai/api/v1/model-select?explain=true`;
    const { json } = await post(select, { ...cheap, llm_providers: entries }, auth);
    expect(json).toMatchObject({
      llm_label: 'small/gpt-s',
      candidates: [
        { provider: 'small', model: 'gpt-s', quality: 0.88 },
        { provider: 'big', model: 'gpt-x', quality: 0.9 },
      ],
    });
    let logged: unknown[] = [];
    await until(async () => {
      const page = await ask('GET', `${url}/ai/api/v1/requests`, auth);
      logged = listAt(page.json, 'items');
      return logged.length > 0;
    });
    expect(logged[0]).toMatchObject({ provider: 'small', model: 'gpt-s' });
    await own.close();
  });

  it("selectModelWith takes the host's own reading of the request, whatever its shape", async () => {
    const stage = gateway.selectModelWith({
      candidates: both,
      from: ({ query, body }) => ({
        messages: [
          {
            role: 'user',
            content:
              typeof query['q'] === 'string' ? query['q'] : (body as { question: string }).question,
          },
        ],
        tools: [],
        tradeoff: 'cost',
        maxModelDepth: null,
      }),
    });
    const url = await start((app) =>
      app
        .get('/search', stage, sendPlan)
        .post('/search', stage, sendPlan)
        .post('/text', express.text(), stage, sendPlan),
    );
    expect((await ask('GET', `${url}/search?q=hello`)).json).toMatchObject({
      labels: ['local/cheap', 'local/good'],
    });
    expect((await post(`${url}/search`, { question: 'hello' })).json).toMatchObject({
      labels: ['local/cheap', 'local/good'],
    });
    expect(
      (await ask('POST', `${url}/text?q=1`, { 'content-type': 'text/plain' }, 'hello')).json,
    ).toMatchObject({ labels: ['local/cheap', 'local/good'] });
    expect(failures).toEqual([]);
  });

  it("hands over what the host's own reading throws", async () => {
    const own = new Error('no question');
    const stage = gateway.selectModelWith({
      candidates: both,
      from: () => {
        throw own;
      },
    });
    const url = await start((app) => app.post('/chat', stage, sendPlan));
    expect((await post(`${url}/chat`, {})).status).toBe(599);
    expect(failures).toEqual([own]);
  });

  it.each([
    ['malformed JSON', '{"messages"', 'malformed_json', 400],
    ['no object', '[]', 'bad_request', 400],
    ['null', 'null', 'bad_request', 400],
    ['no messages', {}, 'bad_request', 400],
    ['messages that are none', { messages: 'hello', models: both }, 'bad_request', 400],
    ['a message that is none', { messages: [null], models: both }, 'bad_request', 400],
    ['models that are none', { messages, models: 'local/good' }, 'bad_request', 400],
    ['a model that is no name', { messages, models: [7] }, 'bad_request', 400],
    ['no model at all', { messages, models: [] }, 'bad_request', 400],
    ['llm_providers that are none', { messages, llm_providers: { name: 'a' } }, 'bad_request', 400],
    ['an entry that is none', { messages, llm_providers: [null] }, 'bad_request', 400],
    ['tools that are none', { messages, models: both, tools: 'all' }, 'bad_request', 400],
    [
      '129 tools',
      { messages, models: both, tools: Array.from({ length: 129 }, () => ({ name: 'f' })) },
      'bad_request',
      400,
    ],
    ['an unknown tradeoff', { messages, models: both, tradeoff: 'fun' }, 'bad_request', 400],
    [
      'a session that nobody issued',
      { messages, models: both, previous_session: 'x' },
      'not_found',
      404,
    ],
    [
      'a preference that nobody has',
      { messages, models: both, preference_id: 'x' },
      'not_found',
      404,
    ],
    [
      'tools where no model has them',
      { messages, models: ['local/cheap'], tools: [{ name: 'f' }] },
      'bad_request',
      400,
    ],
  ])('selectModel hands over a GatewayError for %s', async (_what, body, code, status) => {
    const url = await start((app) => app.post('/chat', gateway.selectModel, sendPlan));
    expect((await post(`${url}/chat`, body)).status).toBe(status);
    expect(failures).toEqual([expect.objectContaining({ code, status })]);
    expect(failures[0]).toBeInstanceOf(GatewayError);
  });

  it('hands over a wrong content type and a body that is too large', async () => {
    const url = await start((app) => app.post('/chat', gateway.selectModel, sendPlan));
    expect((await ask('POST', `${url}/chat`, { 'content-type': 'text/plain' }, 'x')).status).toBe(
      415,
    );
    expect(failures).toEqual([
      expect.objectContaining({ code: 'unsupported_media_type', status: 415 }),
    ]);
  });

  it.each([[false], [true]])(
    'complete hands over what it could not answer, before anything is sent (stream: %s)',
    async (stream) => {
      const url = await start((app) => app.post('/chat', gateway.complete));
      upstream.script([{ status: 503 }]);
      expect(await post(`${url}/chat`, { messages, models: ['local/good'], stream })).toMatchObject(
        { status: 503, json: { host: expect.stringContaining('503') } },
      );
      expect(failures).toEqual([
        expect.objectContaining({
          code: 'upstream_overloaded',
          status: 503,
          errorTrace: [expect.objectContaining({ model: 'good' })],
        }),
      ]);
      expect(await post(`${url}/chat`, { messages, models: ['nobody/x'], stream })).toMatchObject({
        status: 422,
      });
      expect(await post(`${url}/chat`, { messages, stream })).toMatchObject({ status: 422 });
      expect(failures.every((failure) => failure instanceof GatewayError)).toBe(true);
    },
  );

  it("complete tells in the stream of what breaks after it has begun; the host's error handler is not asked", async () => {
    upstream.script([{ reset: 'afterContent' }]);
    const url = await start((app) => app.post('/chat', gateway.complete));
    const reply = await postStream(`${url}/chat`, {
      messages,
      models: ['local/good'],
      stream: true,
    });
    expect(reply.status).toBe(200);
    expect(reply.frames.some(({ event }) => event === 'error')).toBe(true);
    expect(reply.frames.at(-1)?.data).toMatch(/^\[Error\] /);
    expect(failures).toEqual([]);
  });

  it('complete cancels its upstream call when the client leaves, and nobody is asked to answer', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    const url = await start((app) => app.post('/chat', gateway.complete));
    const leaving = new AbortController();
    const reply = postStream(
      `${url}/chat`,
      { messages, models: ['local/good'] },
      { signal: leaving.signal },
    );
    await upstream.received(0);
    leaving.abort();
    await reply;
    await upstream.closed(0);
  });

  it('complete calls nobody for a client that has left while the host was busy', async () => {
    let arrived: () => void = () => undefined;
    const busy = new Promise<void>((resolve) => (arrived = resolve));
    const untilItLeft: RequestHandler = (_req, res, next) => {
      res.once('close', () => setImmediate(next));
      arrived();
    };
    const url = await start((app) =>
      app.post('/chat', express.json(), untilItLeft, gateway.complete),
    );
    const leaving = new AbortController();
    const reply = postStream(
      `${url}/chat`,
      { messages, models: ['local/good'] },
      { signal: leaving.signal },
    );
    await busy;
    leaving.abort();
    await reply;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(upstream.requests).toHaveLength(0);
  });

  it('complete is counted among the requests', async () => {
    const url = await start((app) =>
      app.post('/chat', gateway.complete).get('/internal/metrics', gateway.metrics),
    );
    await post(`${url}/chat`, { messages, models: ['local/good'] });
    const page = await ask('GET', `${url}/internal/metrics`);
    expect(page.headers['content-type']).toContain('text/plain');
    expect(page.text).toMatch(
      /^signalbox_request_duration_seconds_count\{[^}]*surface="completions"[^}]*status="200"[^}]*\} 1$/m,
    );
    expect(page.text).toMatch(
      /^gen_ai_server_request_duration_seconds_count\{[^}]*gen_ai_request_model="good"[^}]*\} 1$/m,
    );
  });

  it('errorHandler answers for a host that has none of its own', async () => {
    const url = await start((app) =>
      app.post('/chat', gateway.authenticate, gateway.complete, gateway.errorHandler),
    );
    expect(await post(`${url}/chat`, { messages, models: both })).toMatchObject({
      status: 401,
      json: { error: 'Unauthorized' },
      headers: { 'www-authenticate': 'Bearer' },
    });
    expect(await post(`${url}/chat`, { messages }, auth)).toMatchObject({
      status: 422,
      json: { error: 'Validation Error' },
    });
    expect(failures).toEqual([]);
  });

  it("without any error handler, Express itself answers with the error's status", async () => {
    const app = express().set('env', 'test').post('/chat', gateway.complete);
    host = await startHost(app);
    expect((await post(`${host.url}/chat`, { messages })).status).toBe(422);
    upstream.script([{ status: 503 }]);
    expect((await post(`${host.url}/chat`, { messages, models: ['local/good'] })).status).toBe(503);
  });
});
