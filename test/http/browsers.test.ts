import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/api/endpoints.js';
import { createGateway } from '../../src/gateway.js';
import { Browser, goodPassword, signedUp } from '../helpers/browser.js';
import { allEndpoints, pathOf } from '../helpers/endpoints.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { textAt } from '../helpers/json.js';
import { sendRaw } from '../helpers/raw.js';
import { ask } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
/** Needs no keys. */
let open: RunningGateway;
/** Lets pages of some origins in. */
let shared: RunningGateway;

const evil = {
  host: 'evil.example',
  origin: 'http://evil.example',
  'sec-fetch-site': 'same-origin',
};
const foreign: Record<string, string> = {
  origin: 'https://evil.example',
  'sec-fetch-site': 'cross-site',
};
const misdirected = {
  status: 421,
  json: {
    error: 'Misdirected Request',
    message: expect.stringMatching(/^host: .*allowedHosts/) as string,
  },
};
const refused = {
  status: 403,
  json: { message: expect.stringMatching(/^origin: .*cors\.allowedOrigins/) as string },
};

beforeAll(async () => {
  upstream = await startUpstream();
  const up = { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'upstream-secret' };
  gateway = await startGateway({
    publicUrl: 'https://LLM.example.org/ai',
    allowedHosts: ['gateway.internal', '*.teams.example'],
    providers: { up },
  });
  open = await startGateway({ auth: { required: false }, providers: { up } });
  shared = await startGateway({
    auth: { required: false },
    cors: { allowedOrigins: ['https://chat.example.org', 'HTTP://app.example.org:80'] },
    providers: { up },
  });
});
afterAll(() => Promise.all([gateway, open, shared, upstream].map((server) => server.close())));

describe('the Host of a request without a valid key', () => {
  it.each([
    ...endpoints.map((one): [string, string] => [one.method.toUpperCase(), pathOf(one)]),
    ['POST', '/api/v1/completions'],
    ['POST', '/api/v1/model-select'],
    ['GET', '/docs'],
    ['GET', '/openapi.json'],
    ['GET', '/reset-password'],
    ['GET', '/no/such/path'],
  ])('must be the gateway’s own: %s %s', async (method, path) => {
    const body = { email: 'eve@example.org', password: goodPassword };
    expect(
      await ask(
        method,
        gateway.url + path,
        evil,
        method === 'GET' || method === 'DELETE' ? undefined : body,
      ),
    ).toMatchObject(misdirected);
  });

  it.each([
    ['POST', '/v1/chat/completions', { error: { code: 'misdirected_request' } }],
    ['POST', '/v2/modelRouter/modelSelect', { detail: expect.any(String) as string }],
  ])('is refused in the shape of the surface: %s %s', async (method, path, json) => {
    expect(await ask(method, gateway.url + path, evil, {})).toMatchObject({ status: 421, json });
  });

  it('must be the gateway’s own where no key is required, for pass-through too', async () => {
    const calls = upstream.requests.length;
    for (const path of ['/v1/models', '/v1/chat/completions', '/proxy/up/v1/files'])
      expect((await ask('POST', open.url + path, evil, {})).status, path).toBe(421);
    expect(upstream.requests.length).toBe(calls);
  });

  it('must be the gateway’s own for a signed-in browser', async () => {
    const browser = await signedUp(open.url, 'ada@example.org');
    expect((await browser.account()).status).toBe(200);
    expect(await browser.ask('GET', '/api/v1/auth/account', undefined, evil)).toMatchObject(
      misdirected,
    );
  });

  it('may not be replaced by X-Forwarded-Host', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'localhost' };
    expect(await ask('GET', `${gateway.url}/docs`, headers)).toMatchObject(misdirected);
  });

  it.each([
    'localhost',
    'LOCALHOST:8080',
    'localhost.',
    '127.0.0.1:1',
    '192.168.1.20',
    '[::1]:8080',
    '[2001:db8::1]',
    'llm.example.org',
    'llm.example.org:8443',
    'Gateway.Internal:80',
    'red.teams.example',
  ])('may be %s', async (host) => {
    expect((await ask('GET', `${gateway.url}/docs`, { host })).status).toBe(200);
  });

  it.each([
    'localhost.evil.example',
    'evil.example:8080',
    'llm.example.org.evil.example',
    'teams.example',
    'evilteams.example',
    '127.0.0.1.evil.example',
    '[::1].evil.example',
    '127.0.0.1@evil.example',
    'evil.example#localhost',
    '',
  ])('may not be %j', async (host) => {
    const request = `GET /docs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(gateway.port, request)).status).toBe(421);
  });

  it('does not matter where a valid key comes with it', async () => {
    for (const path of ['/v1/models', '/api/v1/keys', '/docs', '/openapi.json'])
      expect(
        (await ask('GET', gateway.url + path, { ...gateway.auth, host: 'evil.example' })).status,
        path,
      ).toBe(200);
    const wrong = { authorization: 'Bearer sk_wrong', host: 'evil.example' };
    expect((await ask('GET', `${gateway.url}/v1/models`, wrong)).status).toBe(421);
  });

  it('does not matter to health checks and scrapers, who use names of their own', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await ask('GET', gateway.url + path, { host: 'signalbox:8080' })).status, path).toBe(
        200,
      );
  });

  it('is not checked with the allowed host *', async () => {
    const any = await startGateway({ allowedHosts: ['*'] });
    expect((await ask('GET', `${any.url}/docs`, { host: 'evil.example' })).status).toBe(200);
    await any.close();
  });

  it('is left to a host app, unless the configuration names hosts', async () => {
    for (const [config, status] of [
      [{}, 200],
      [{ allowedHosts: ['app.example.org'] }, 421],
    ] as const) {
      const mounted = createGateway({ ...config, log: { level: 'silent' } }, { env: {} });
      const host = await startHost(express().use('/ai', mounted.router));
      expect((await ask('GET', `${host.url}/ai/docs`, { host: 'evil.example' })).status).toBe(
        status,
      );
      await Promise.all([host.close(), mounted.close()]);
    }
  });
});

describe('a request without a key that a page of another site sends', () => {
  it.each([
    ['POST', '/proxy/up/v1/files', 'multipart/form-data; boundary=x'],
    ['POST', '/proxy/up/v1/chat/completions', 'text/plain'],
    ['GET', '/proxy/up/v1/files', 'text/plain'],
    ['POST', '/v1/chat/completions', 'text/plain'],
    ['POST', '/v1/chat/completions', 'application/json'],
    ['GET', '/v1/models', 'application/json'],
    ['POST', '/v2/pzn/trainCustomRouter', 'multipart/form-data; boundary=x'],
    ['POST', '/api/v1/model-select', 'text/plain'],
    ...allEndpoints
      .filter(({ method, isPublic }) => method !== 'get' || !isPublic)
      .map((one) => [one.method.toUpperCase(), pathOf(one), 'application/json']),
  ])('is refused where no key is required: %s %s as %s', async (method, path, type) => {
    const calls = upstream.requests.length;
    const sent: Record<string, string>[] = [
      foreign,
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: open.url.replace(/\d+$/, '1'), 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of sent) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : 'x';
      const reply = await ask(method, open.url + path, { 'content-type': type, ...headers }, body);
      expect(reply.status, JSON.stringify(headers)).toBe(403);
      expect(reply.text).toContain('origin: ');
    }
    expect(upstream.requests.length).toBe(calls);
  });

  it('is refused where it carries the cookie of a signed-in user, also to read', async () => {
    const browser = await signedUp(open.url, 'bob@example.org');
    for (const path of ['/api/v1/keys', '/api/v1/auth/account'])
      expect(await browser.ask('GET', path, undefined, foreign)).toMatchObject(refused);
  });

  it('may follow a link to a page', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    for (const path of ['/docs', '/reset-password', '/v1/models'])
      expect((await ask('GET', open.url + path, link)).status, path).toBe(200);
  });

  it('is answered to programs and to the gateway’s own pages', async () => {
    const own: Record<string, string> = { origin: open.url, 'sec-fetch-site': 'same-origin' };
    for (const headers of [{}, own])
      expect((await ask('GET', `${open.url}/v1/models`, headers)).status).toBe(200);
  });
});

describe('CORS', () => {
  const asked = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
  };
  const names = (headers: object): string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it('is closed by default: a preflight is refused and no answer may be read', async () => {
    for (const path of ['/v1/chat/completions', '/proxy/up/v1/files', '/api/v1/keys', '/docs']) {
      const preflight = await ask('OPTIONS', gateway.url + path, { ...foreign, ...asked });
      expect(preflight.status, path).toBe(403);
      expect(preflight.text).toContain('cors.allowedOrigins');
      expect(names(preflight.headers)).toEqual([]);
    }
    const answer = await ask('GET', `${gateway.url}/v1/models`, { ...gateway.auth, ...foreign });
    expect(answer.status).toBe(200);
    expect(names(answer.headers)).toEqual([]);
  });

  it.each(['https://chat.example.org', 'http://app.example.org'])(
    'opens to pages of the configured origin %s, which need a key or none as programs do',
    async (origin) => {
      const headers = { origin, 'sec-fetch-site': 'cross-site' };
      const url = `${shared.url}/v1/chat/completions`;
      const preflight = await ask('OPTIONS', url, { ...headers, ...asked });
      expect(preflight).toMatchObject({ status: 204, text: '' });
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': expect.stringContaining('POST') as string,
        'access-control-allow-headers': asked['access-control-request-headers'],
        'access-control-max-age': '600',
        vary: 'Origin',
      });
      upstream.script([{ raw: Buffer.from('{"fine":true}'), contentType: 'application/json' }]);
      for (const [path, status] of [
        ['/v1/models', 200],
        ['/v1/models/up/none', 404],
        ['/proxy/up/v1/files', 200],
      ] as const) {
        const answer = await ask('GET', shared.url + path, { ...headers, ...shared.auth });
        expect(answer.status, path).toBe(status);
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-expose-headers': '*',
        });
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      }
      expect((await ask('GET', `${shared.url}/v1/models`, headers)).status).toBe(200);
    },
  );

  it('stays closed to other origins', async () => {
    for (const origin of [
      'https://evil.example',
      'http://chat.example.org',
      'https://chat.example.org:8443',
      'https://chat.example.org.evil.example',
      'null',
    ]) {
      const url = `${shared.url}/v1/models`;
      expect((await ask('OPTIONS', url, { origin, ...asked })).status, origin).toBe(403);
      expect(names((await ask('GET', url, { origin, ...shared.auth })).headers)).toEqual([]);
      expect((await ask('GET', url, { origin })).status).toBe(403);
    }
  });

  it('never lets a page of another origin use a cookie or sign in', async () => {
    const origin = 'https://chat.example.org';
    const browser = await signedUp(shared.url, 'ada@example.org');
    expect(await browser.ask('GET', '/api/v1/keys', undefined, { origin })).toMatchObject(refused);
    const body = { email: 'ada@example.org', password: goodPassword };
    expect(
      await new Browser(shared.url).ask('POST', '/api/v1/auth/sign-in', body, { origin }),
    ).toMatchObject(refused);
  });

  it('does not let a page name the host of its own request, as only a proxy may', async () => {
    const preflight = await ask('OPTIONS', `${shared.url}/v1/models`, {
      origin: 'https://chat.example.org',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-app, X-Forwarded-Host,forwarded,x-other',
    });
    expect(preflight.headers['access-control-allow-headers']).toBe('x-app,x-other');
  });

  it('with * lets every page read answers to requests with a key, and no others', async () => {
    const all = await startGateway({
      auth: { required: false },
      cors: { allowedOrigins: ['*'] },
    });
    const keyed = await ask('GET', `${all.url}/v1/models`, { ...all.auth, ...foreign });
    expect(keyed).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } });
    expect((await ask('GET', `${all.url}/v1/models`, foreign)).status).toBe(403);
    await all.close();
  });
});

describe('the cookie of a sign-in', () => {
  const credentials = { email: 'ada@example.org', password: goodPassword };

  it('has the prefix __Host- over HTTPS, and not over plain HTTP', async () => {
    const proxied = await startGateway({ auth: { trustedProxies: 1 } });
    await new Browser(proxied.url).signUp(credentials.email, credentials.password);
    const cookie = async (headers: Record<string, string>): Promise<string> => {
      const url = `${proxied.url}/api/v1/auth/sign-in`;
      return (await ask('POST', url, headers, credentials)).headers['set-cookie']?.[0] ?? '';
    };
    expect(await cookie({ 'x-forwarded-proto': 'https' })).toMatch(
      /^__Host-signalbox=[\w-]{43}; Max-Age=\d+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(await cookie({})).toMatch(/^signalbox_session=[\w-]{43}; (?!.*Secure)/);
    await proxied.close();
  });

  it('is not read over HTTPS under the name for plain HTTP, which another subdomain can set', async () => {
    const behind = await startGateway({ publicUrl: 'https://llm.example.org' });
    const browser = await signedUp(behind.url, credentials.email);
    expect(browser.cookie).toMatch(/^__Host-signalbox=/);
    const own = browser.cookie;
    const planted = own.replace('__Host-signalbox', 'signalbox_session');
    browser.cookie = planted;
    expect((await browser.account()).status).toBe(401);
    browser.cookie = `${own}; ${planted}`;
    const { status, headers } = await browser.ask('POST', '/api/v1/auth/sign-out');
    expect(status).toBe(204);
    expect(headers['set-cookie']?.join()).toMatch(/signalbox_session=; .*Secure/);
    await behind.close();
  });

  it('under its earlier name does not replace that of the secure name', async () => {
    const behind = await startGateway({ publicUrl: 'https://llm.example.org' });
    const ada = await signedUp(behind.url, credentials.email);
    const eve = await signedUp(behind.url, 'eve@example.org');
    const planted = eve.cookie.replace('__Host-signalbox', 'signalbox_session');
    ada.cookie = `${planted}; ${ada.cookie}`;
    expect(textAt((await ada.account()).json, 'account', 'email')).toBe(credentials.email);
    await behind.close();
  });
});

describe('every answer', () => {
  it('tells browsers not to guess its type', async () => {
    upstream.script([{ raw: Buffer.from('<b>hi</b>'), contentType: 'text/html' }]);
    for (const path of [
      '/v1/models',
      '/healthz',
      '/metrics',
      '/api/v1/keys',
      '/no',
      '/proxy/up/v1/x',
    ])
      expect((await ask('GET', gateway.url + path, gateway.auth)).headers, path).toMatchObject({
        'x-content-type-options': 'nosniff',
      });
    const broken = await sendRaw(gateway.port, 'nonsense\r\n\r\n');
    expect(broken.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
  });
});
