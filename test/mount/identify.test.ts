import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createGateway,
  type Gateway,
  GatewayError,
  type HostCaller,
  planOf,
} from '../../src/index.js';
import { expressRows, type RunningHost, startHost } from '../helpers/host.js';
import { listAt, textAt } from '../helpers/json.js';
import { noUnhandledRejections } from '../helpers/rejections.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const key = { authorization: 'Bearer sk_mounted' };
const as = (user: string): Record<string, string> => ({ 'x-user': user });
const messages = [{ role: 'user', content: 'Say hello' }];
const models = ['local/m', 'local/other'];
const asked = { models: ['local/m'], messages };

/** What the host knows of its users, by name. */
const users: Record<string, HostCaller> = {
  alice: { account: 'alice', scopes: ['completions', 'model-select', 'admin'] },
  bob: { account: 'bob', name: 'Bob', models: ['local/other'] },
  carol: { account: 'carol', limits: { requestsPerMinute: 1 } },
  root: { account: 'root', scopes: ['completions', 'model-select', 'admin'] },
  reader: { account: 'reader', scopes: ['model-select'] },
  // names that the gateway's own accounts have
  first: { account: '00000000-0000-4000-8000-000000000001', scopes: ['admin'] },
  fixed: { account: 'fixed:test', scopes: ['admin', 'completions'] },
};

let upstream: Upstream;
let gateway: Gateway;
let host: RunningHost | null = null;
let calls: number;

const whoIs = ({ headers }: Request): HostCaller | null => {
  calls++;
  const user = headers['x-user'];
  if (user === 'broken') throw new Error('the session store is away');
  if (user === 'banned') throw new GatewayError('forbidden', 'this user is banned');
  if (user === 'mistaken') return { account: 'm', limits: { rpm: 3 } } as HostCaller;
  return typeof user === 'string' ? (users[user] ?? null) : null;
};

const gatewayWith = (identify: (req: Request) => HostCaller | null | Promise<HostCaller | null>) =>
  createGateway(
    {
      auth: { keys: [{ name: 'test', key: 'sk_mounted' }], required: false },
      providers: { local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: { 'local/m': { inputPrice: 1, outputPrice: 2 }, 'local/other': {} },
      limits: { maxRetries: 0 },
    },
    { env: {}, identify },
  );

beforeEach(async () => {
  calls = 0;
  upstream = await startUpstream();
  gateway = gatewayWith(whoIs);
});
afterEach(async () => {
  await host?.close();
  host = null;
  await gateway.close();
  await upstream.close();
});
noUnhandledRejections();

describe.each(expressRows)("a host's users, in %s", (_version, express) => {
  let failures: unknown[] = [];
  const hostErrors: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    failures.push(error);
    res.status(error instanceof GatewayError ? error.status : 599).end();
  };
  const start = async (mount: (app: Express) => unknown): Promise<string> => {
    failures = [];
    const app = express();
    mount(app);
    host = await startHost(app.use(hostErrors));
    return host.url;
  };
  const mounted = (): Promise<string> => start((app) => app.use('/ai', gateway.router));
  const complete = (url: string, headers: Record<string, string>): Promise<Reply> =>
    post(`${url}/ai/api/v1/completions`, asked, headers);
  const list = async (url: string, path: string, user: string): Promise<unknown[]> =>
    listAt((await ask('GET', `${url}/ai/api/v1/${path}`, as(user))).json, 'items');

  it('have conversations, requests and usage of their own', async () => {
    const url = await mounted();
    const first = await complete(url, as('alice'));
    expect(first.status).toBe(200);
    const conversationId = textAt(first.json, 'conversationId');
    expect(await list(url, 'conversations', 'alice')).toEqual([
      expect.objectContaining({ id: conversationId }),
    ]);
    expect(await list(url, 'conversations', 'root')).toEqual([]);
    expect(
      (await post(`${url}/ai/api/v1/completions`, { ...asked, conversationId }, as('root'))).status,
    ).toBe(404);
    await expect
      .poll(() => list(url, 'usage', 'alice'))
      .toEqual([expect.objectContaining({ requests: 1 })]);
    await expect
      .poll(() => list(url, 'usage', 'root'))
      .toEqual([expect.objectContaining({ errors: 1 })]);
    expect((await ask('GET', `${url}/ai/api/v1/auth/account`, as('alice'))).json).toMatchObject({
      account: { id: 'host:alice', email: null, role: 'member' },
    });
  });

  it('are held to the models, the limits and the scopes that the host gives them', async () => {
    const url = await mounted();
    expect((await complete(url, as('bob'))).status).toBe(422);
    expect((await complete(url, as('reader'))).status).toBe(403);
    expect((await complete(url, as('carol'))).status).toBe(200);
    expect((await complete(url, as('carol'))).status).toBe(429);
    expect((await complete(url, as('alice'))).status).toBe(200);
  });

  it('are asked for on every router, and one that the host does not know is answered 401', async () => {
    const url = await mounted();
    const paths: [string, string, object?][] = [
      ['POST', '/api/v1/completions', asked],
      ['POST', '/v1/chat/completions', { model: 'local/m', messages }],
      ['POST', '/v1/embeddings', { model: 'local/m', input: 'a' }],
      ['GET', '/v1/models'],
      ['POST', '/api/v1/model-select', { messages, llm_providers: [{ name: 'a' }] }],
      ['POST', '/v2/modelRouter/modelSelect', { messages, llm_providers: [{ name: 'a' }] }],
      ['POST', '/proxy/local/chat/completions', { model: 'm', messages }],
      ['GET', '/api/v1/conversations'],
      ['GET', '/api/v1/preferences'],
      ['GET', '/api/v1/usage'],
      ['GET', '/api/v1/requests'],
      ['GET', '/api/v1/keys'],
    ];
    for (const [method, path, body] of paths) {
      const json: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
      const send = (user: string): Promise<Reply> =>
        ask(method, `${url}/ai${path}`, { ...json, ...as(user) }, body);
      expect((await send('nobody')).status, path).toBe(401);
      expect((await send('root')).status, path).toBeLessThan(300);
    }
    expect((await ask('GET', `${url}/ai/api/v1/accounts`, as('root'))).status).toBe(403);
  });

  it('are not asked for where a request has a key of the gateway', async () => {
    const url = await mounted();
    const reply = await complete(url, { ...key, ...as('broken') });
    expect(reply.status).toBe(200);
    expect(calls).toBe(0);
    expect(
      (await ask('GET', `${url}/ai/api/v1/auth/account`, { ...key, ...as('alice') })).json,
    ).toMatchObject({ account: { id: 'fixed:test' } });
  });

  it("may have bearer tokens of the host's own", async () => {
    const url = await mounted();
    const headers = { authorization: 'Bearer eyJhbGciOi', ...as('alice') };
    expect((await complete(url, headers)).status).toBe(200);
  });

  it('reach nothing of an account of the gateway, whatever the host calls them', async () => {
    const url = await mounted();
    const made = await post(`${url}/ai/api/v1/keys`, { name: 'mine' }, key);
    expect(made.status).toBe(201);
    expect(await list(url, 'keys', 'fixed')).toEqual([]);
    expect(await list(url, 'keys', 'first')).toEqual([]);
    expect((await ask('GET', `${url}/ai/api/v1/keys?account=all`, as('first'))).status).toBe(403);
  });

  it('may issue keys for their own account, if the host lets them', async () => {
    const url = await mounted();
    await complete(url, as('root'));
    const made = await post(`${url}/ai/api/v1/keys`, { name: 'mine' }, as('root'));
    const own = { authorization: `Bearer ${textAt(made.json, 'key')}` };
    expect(
      listAt((await ask('GET', `${url}/ai/api/v1/conversations`, own)).json, 'items'),
    ).toHaveLength(1);
    expect((await post(`${url}/ai/api/v1/keys`, { name: 'x' }, as('bob'))).json).toMatchObject({
      message: 'authorization: this user lacks the scope `admin`',
    });
  });

  it("hands an identify's failure to the error handler: 500, or its own status", async () => {
    const url = await start((app) =>
      app.use('/ai', gateway.router).post('/chat', gateway.authenticate),
    );
    expect((await complete(url, as('broken'))).json).toMatchObject({
      error: 'Internal Server Error',
      message: expect.not.stringContaining('session store'),
    });
    expect((await complete(url, as('banned'))).status).toBe(403);
    expect((await post(`${url}/chat`, {}, as('broken'))).status).toBe(599);
    expect((await post(`${url}/chat`, {}, as('mistaken'))).status).toBe(500);
    expect(failures).toEqual([
      expect.objectContaining({ message: 'the session store is away' }),
      expect.objectContaining({ message: expect.stringContaining('limits[rpm]') }),
    ]);
  });

  it('are known to stages that stand alone, and to those behind authenticate', async () => {
    const label: RequestHandler = (_req, res) =>
      void res.json({ label: planOf(res).candidates[0].label });
    const url = await start((app) =>
      app
        .post('/select', gateway.selectModel, label)
        .post('/complete', gateway.complete)
        .post('/both', gateway.authenticate, gateway.selectModel, gateway.complete),
    );
    expect((await post(`${url}/select`, { messages, models }, as('bob'))).json).toEqual({
      label: 'local/other',
    });
    expect((await post(`${url}/complete`, asked, as('reader'))).status).toBe(403);
    expect((await post(`${url}/complete`, asked, as('alice'))).status).toBe(200);
    for (const path of ['select', 'complete', 'both'])
      expect((await post(`${url}/${path}`, { messages, models })).status, path).toBe(401);
    calls = 0;
    expect((await post(`${url}/both`, { messages, models }, as('alice'))).status).toBe(200);
    expect(calls).toBe(1);
  });
});

describe('an identify that asks a database', () => {
  it('may answer later', async () => {
    await gateway.close();
    gateway = gatewayWith(async (req) => {
      await new Promise((resolve) => setImmediate(resolve));
      return whoIs(req);
    });
    host = await startHost(expressRows[1][1]().use(gateway.router));
    const path = `${host.url}/v1/chat/completions`;
    expect((await post(path, { model: 'local/m', messages }, as('alice'))).status).toBe(200);
    expect((await post(path, { model: 'local/m', messages }, as('nobody'))).status).toBe(401);
  });
});
