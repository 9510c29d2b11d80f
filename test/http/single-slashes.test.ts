import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Express, RequestHandler } from 'express';
import { createGateway, type Gateway } from '../../src/index.js';
import { expressRows, type RunningHost, startHost } from '../helpers/host.js';
import { type RunningGateway, startGateway, testKey } from '../helpers/gateway.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Hi' }];
const chat = { model: 'up/m', messages };
/** Paths with double slashes, and a body for each. */
const doubled: readonly (readonly [path: string, body: object])[] = [
  ['//v1/chat/completions', chat],
  ['/v1//chat/completions', chat],
  ['/v1/chat//completions?beta=true', chat],
  ['///v1///chat///completions', chat],
  ['//v1//responses', { model: 'up/m', input: 'Hi' }],
  ['//v1/messages', { ...chat, max_tokens: 9 }],
  ['//anthropic//v1/messages', { ...chat, max_tokens: 9 }],
  ['/v1//embeddings', { model: 'up/m', input: 'Hi' }],
  ['//api//v1/completions', { models: ['up/m'], messages }],
  ['/api/v1//model-select', { llm_providers: [{ name: 'up/m' }], messages }],
  ['//v2/modelRouter//modelSelect', { llm_providers: [{ provider: 'up', model: 'm' }], messages }],
  ['//proxy//up//v1/chat/completions', { model: 'm', messages }],
];
/** Of the management API, and pages: what guards them in front may compare paths. */
const strict = ['//api/v1/keys', '/api//v1/keys', '/api/v1//models', '//metrics', '//healthz'];

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
const providers = () => ({
  up: { api: 'openai-compatible' as const, baseUrl: `${upstream.url}/v1` },
});

describe('a gateway on its own', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway({ providers: providers() });
  });
  afterAll(() => gateway.close());

  it.each(doubled)('answers %s as it does with single slashes', async (path, body) => {
    const reply = await post(gateway.url + path, body, gateway.auth);
    expect(reply.status, reply.text).toBe(200);
    expect((await post(gateway.url + path, body, {})).status).toBe(401);
    if (!path.includes('proxy'))
      expect((await ask('PUT', gateway.url + path, gateway.auth)).status).toBe(405);
  });

  it('lists models', async () => {
    expect((await ask('GET', `${gateway.url}//v1//models`, gateway.auth)).status).toBe(200);
  });

  it.each(strict)('has nothing at %s', async (path) => {
    expect((await ask('GET', gateway.url + path, gateway.auth)).status).toBe(404);
  });
});

describe.each(expressRows)('a gateway that is mounted in %s', (version, express) => {
  // Express 4 itself takes one slash too many behind a mount path away
  const isMerging = version === 'Express 4';
  let gateway: Gateway;
  beforeAll(() => {
    gateway = createGateway(
      { providers: providers(), auth: { keys: [{ name: 'test', key: testKey }] } },
      { env: {} },
    );
  });
  afterAll(() => gateway.close());
  const auth = { authorization: `Bearer ${testKey}` };

  async function on(app: Express, run: (host: RunningHost) => Promise<void>): Promise<void> {
    const host = await startHost(app);
    try {
      await run(host);
    } finally {
      await host.close();
    }
  }
  /** As a client does that follows redirects: `fetch`. */
  const follow = (url: string, body: object, headers: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, 'content-type': 'application/json' },
    });
  const below = (mount: string, router: RequestHandler): Express => {
    const app = express();
    app.use(mount, router);
    return app;
  };

  it.each(doubled)('redirects %s to the path with single slashes', async (path, body) => {
    for (const mount of ['/ai', '/'])
      await on(below(mount, gateway.router), async ({ url }) => {
        const base = url + mount.replace(/\/$/, '');
        const reply = await follow(base + path, body, auth);
        expect(reply.status, await reply.clone().text()).toBe(200);
        if (!isMerging) expect(new URL(reply.url).pathname).not.toContain('//');
        expect((await follow(base + path, body, {})).status).toBe(401);
      });
  });

  it('redirects where a router of one surface is mounted', async () => {
    await on(below('/ai', gateway.routers.openai), async ({ url }) => {
      expect((await follow(`${url}/ai/v1//chat/completions`, chat, auth)).status).toBe(200);
    });
    await on(below('/ai', gateway.routers.completions), async ({ url }) => {
      const body = { models: ['up/m'], messages };
      expect((await follow(`${url}/ai//api/v1/completions`, body, auth)).status).toBe(200);
    });
  });

  it("never passes by a host's guard of a path", async () => {
    const app = express();
    const closed: RequestHandler = (_req, res) => void res.status(403).end('closed');
    app.use('/ai/v1/chat', closed);
    app.use('/ai/api/v1/keys', closed);
    app.use('/ai', gateway.router);
    await on(app, async ({ url }) => {
      for (const path of [
        '/ai/v1//chat/completions',
        ...(isMerging ? [] : ['/ai//v1/chat/completions']),
      ]) {
        const raw: Reply = await post(url + path, chat, auth);
        expect(raw.status).toBe(308);
        expect((await follow(url + path, chat, auth)).status).toBe(403);
      }
      for (const path of ['/ai/api/v1//keys', ...(isMerging ? [] : ['/ai//api/v1/keys'])])
        expect((await ask('GET', url + path, auth)).status).toBe(404);
      expect(
        (await follow(`${url}/ai//v1/responses`, { model: 'up/m', input: 'Hi' }, auth)).status,
      ).toBe(200);
    });
  });

  it('leaves paths that are not its own to the host, and redirects to no other origin', async () => {
    const app = express();
    app.use(gateway.router);
    app.use((req, res) => void res.status(200).end(`the host's ${req.url}`));
    await on(app, async ({ url }) => {
      for (const path of ['//example.org/v1', '/files//v1', '//', '/other//v1/chat'])
        expect((await ask('GET', url + path)).text).toBe(`the host's ${path}`);
      const { headers } = await post(`${url}//v1//chat/completions?a=//b`, chat, auth);
      expect(headers['location']).toBe('../../../../v1/chat/completions?a=//b');
    });
  });
});
