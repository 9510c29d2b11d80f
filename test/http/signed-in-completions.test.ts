import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administratorOf, Browser, goodPassword } from '../helpers/browser.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { ask, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
let admin: Browser;
let member: Browser;
let people = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  // an answer costs 0.01 USD
  upstream.script([{ usage: { prompt: 10, completion: 10 } }]);
  gateway = await startGateway({
    auth: { trustedProxies: 1 },
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: { 'up/m': { inputPrice: 0, outputPrice: 1000 }, 'up/other': {} },
    limits: { maxRetries: 0 },
  });
  admin = await administratorOf(gateway, 'admin@example.org');
  member = (await person()).browser;
});
afterAll(() => Promise.all([gateway.close(), upstream.close()]));

/** A new person, who comes from an address of their own and has signed in. */
async function person(): Promise<{ browser: Browser; email: string; accountId: string }> {
  const email = `member-${++people}@example.org`;
  const browser = new Browser(gateway.url, { 'x-forwarded-for': `192.0.2.${people}` });
  await browser.signUp(email, goodPassword);
  const { json } = await browser.signIn(email, goodPassword);
  return { browser, email, accountId: textAt(json, 'account', 'id') };
}

const messages = [{ role: 'user', content: 'Hi' }];
const native = { messages, models: ['up/m'], maxTokens: 10 };
const routes: [string, object][] = [
  ['/api/v1/completions', native],
  ['/api/v1/chat/completions', native],
  ['/v1/chat/completions', { messages, model: 'up/m', max_tokens: 10 }],
  ['/api/v1/model-select', { messages, llm_providers: [{ provider: 'up', model: 'm' }] }],
];
const change = (accountId: string, body: object): Promise<Reply> =>
  admin.ask('PATCH', `/api/v1/accounts/${accountId}`, body);

describe.each(routes)('a signed-in browser, POST %s', (path, body) => {
  it('is answered', async () => {
    expect(await member.ask('POST', path, body)).toMatchObject({
      status: 200,
      headers: { 'cache-control': expect.stringContaining('no-store') as string },
    });
  });

  it('needs the CSRF token of its sign-in', async () => {
    const calls = upstream.requests.length;
    for (const token of ['', admin.csrfToken])
      expect(await member.ask('POST', path, body, { 'x-csrf-token': token })).toMatchObject({
        status: 403,
      });
    expect(upstream.requests).toHaveLength(calls);
  });

  it('is not used by pages of other sites', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await member.ask('POST', path, body, foreign)).status).toBe(403);
    expect((await member.ask('POST', path, body, { host: 'evil.example' })).status).toBe(421);
  });

  it('leaves requests with a key to the key', async () => {
    const withKey = (key: string): Promise<Reply> =>
      ask(
        'POST',
        gateway.url + path,
        { cookie: member.cookie, authorization: `Bearer ${key}` },
        body,
      );
    expect((await withKey(gateway.key)).status).toBe(200);
    expect((await withKey('sk_unknown')).status).toBe(401);
  });
});

describe('what a signed-in browser asks of models', () => {
  it('is refused once its account is disabled, or it has signed out', async () => {
    const { browser, email, accountId } = await person();
    const statuses = (): Promise<number[]> =>
      Promise.all(
        routes.map(async ([path, body]) => (await browser.ask('POST', path, body)).status),
      );
    await change(accountId, { disabled: true });
    expect(await statuses()).toEqual([401, 401, 401, 401]);
    await change(accountId, { disabled: false });
    await browser.signIn(email, goodPassword);
    const { cookie } = browser;
    await browser.ask('POST', '/api/v1/auth/sign-out');
    browser.cookie = cookie;
    expect(await statuses()).toEqual([401, 401, 401, 401]);
  });

  it('counts against the requests a minute of its account', async () => {
    const { browser, accountId } = await person();
    await change(accountId, { limits: { requestsPerMinute: 2 } });
    const statuses = [];
    for (let count = 0; count < 3; count++)
      statuses.push((await browser.ask('POST', '/api/v1/completions', native)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('is paid from the budget of its account, which its keys share', async () => {
    const { browser, accountId } = await person();
    await change(accountId, { limits: { dayBudgetUsd: 0.025 } });
    const { json } = await browser.ask('POST', '/api/v1/keys', { name: 'one' });
    const authorization = `Bearer ${textAt(json, 'key')}`;
    const byKey = (): Promise<Reply> =>
      ask('POST', `${gateway.url}/api/v1/completions`, { authorization }, native);
    expect((await browser.ask('POST', '/api/v1/completions', native)).status).toBe(200);
    expect((await byKey()).status).toBe(200);
    expect((await browser.ask('POST', '/api/v1/completions', native)).status).toBe(429);
  });

  it('is in the request log of its account alone, without a key', async () => {
    const [{ browser }, other] = [await person(), await person()];
    await browser.ask('POST', '/api/v1/completions', native);
    const { json } = await browser.ask('GET', '/api/v1/requests');
    expect(json).toMatchObject({ items: [{ keyId: null, status: 200, costUsd: 0.01 }] });
    expect((await other.browser.ask('GET', '/api/v1/requests')).json).toMatchObject({ items: [] });
  });

  it('includes the list of models, and one of them', async () => {
    expect((await member.ask('GET', '/v1/models')).json).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: 'up/m' })]) as unknown,
    });
    expect((await member.ask('GET', '/v1/models/up/m')).status).toBe(200);
    expect((await new Browser(gateway.url).ask('GET', '/v1/models')).status).toBe(401);
  });

  it('is streamed as for a key', async () => {
    const { text } = await member.ask('POST', '/api/v1/completions', { ...native, stream: true });
    expect(text).toContain('data: [DONE]');
  });
});

it('cookies open no model where the gateway has no web accounts', async () => {
  const closed = await startGateway({ auth: { webAccounts: false } });
  const { cookie, csrfToken } = member;
  const headers = { cookie, 'x-csrf-token': csrfToken };
  expect((await ask('GET', `${closed.url}/v1/models`, headers)).status).toBe(401);
  await closed.close();
});
