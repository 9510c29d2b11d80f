import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administratorOf, Browser, goodPassword, signedUp } from '../helpers/browser.js';
import { changes, pathOf, rowsOf } from '../helpers/endpoints.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { expressRows, startHost } from '../helpers/host.js';
import { textAt } from '../helpers/json.js';
import { ask, type Reply } from '../helpers/sse.js';

let gateway: RunningGateway;
let ada: Browser;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await administratorOf(gateway, 'ada@example.org');
});
afterAll(() => gateway.close());

const cookieOf = (reply: Reply): string => reply.headers['set-cookie']?.[0] ?? '';
const attributesOf = (reply: Reply): string[] =>
  cookieOf(reply)
    .split('; ')
    .slice(1)
    .map((attribute) => attribute.replace(/^Expires=.*/, 'Expires'))
    .sort();
/** A change that harms nothing. */
const change = (browser: Browser, headers: Record<string, string>): Promise<Reply> =>
  browser.ask('POST', '/api/v1/preferences', { name: 'mine' }, headers);

describe('the cookie', () => {
  it('is out of reach for scripts and other sites, for as long as the sign-in lasts', async () => {
    const reply = await new Browser(gateway.url).signIn('ada@example.org', goodPassword);
    expect(cookieOf(reply)).toMatch(/^signalbox_session=[\w-]{43}; /);
    expect(attributesOf(reply)).toEqual([
      'Expires',
      'HttpOnly',
      'Max-Age=1209600',
      'Path=/',
      'SameSite=Lax',
    ]);
  });

  it('goes by https alone where people reach the gateway by https', async () => {
    const behind = await startGateway({ publicUrl: 'https://llm.example.org' });
    const browser = new Browser(behind.url);
    await browser.signUp('ada@example.org', goodPassword);
    expect(attributesOf(await browser.signIn('ada@example.org', goodPassword))).toContain('Secure');
    await behind.close();
  });

  it('goes by https alone where a proxy that is trusted says so, and only then', async () => {
    for (const [trustedProxies, isSecure] of [
      [1, true],
      [0, false],
    ] as const) {
      const behind = await startGateway({ auth: { trustedProxies } });
      const browser = new Browser(behind.url, { 'x-forwarded-proto': 'https' });
      await browser.signUp('ada@example.org', goodPassword);
      expect(
        attributesOf(await browser.signIn('ada@example.org', goodPassword)).includes('Secure'),
      ).toBe(isSecure);
      await behind.close();
    }
  });

  it('holds a token that is new with each sign-in, whatever the browser came with', async () => {
    const browser = new Browser(gateway.url);
    browser.cookie = `signalbox_session=${'A'.repeat(43)}`;
    await browser.signIn('ada@example.org', goodPassword);
    const { cookie: first } = browser;
    expect(first).not.toContain('AAAAAAAA');
    await browser.signIn('ada@example.org', goodPassword);
    expect(browser.cookie).not.toBe(first);
    const { cookie: second } = browser;
    browser.cookie = first;
    expect((await browser.account()).status).toBe(401);
    browser.cookie = second;
    expect((await browser.account()).status).toBe(200);
  });

  it('is found among others, and nothing that only looks like it is', async () => {
    const token = ada.cookie.split('=')[1] ?? '';
    for (const cookie of [`a=b; signalbox_session=${token}; c=d`, `signalbox_session=${token};c=d`])
      expect(
        (await ada.ask('GET', '/api/v1/auth/account', undefined, { cookie })).status,
        cookie,
      ).toBe(200);
    for (const cookie of [
      `xsignalbox_session=${token}`,
      `signalbox_session=${token}x`,
      `signalbox_session="${token}"`,
      `signalbox_session=${token.slice(1)}`,
      'signalbox_session=',
      `other=signalbox_session=${token}`,
    ]) {
      expect(
        (await ada.ask('GET', '/api/v1/auth/account', undefined, { cookie })).status,
        cookie,
      ).toBe(401);
    }
  });

  it('is worth nothing as a key, nor is a key worth anything as a cookie', async () => {
    const token = ada.cookie.split('=')[1] ?? '';
    expect(
      (await ask('GET', `${gateway.url}/api/v1/auth/account`, { authorization: `Bearer ${token}` }))
        .status,
    ).toBe(401);
    expect(
      (
        await ask('GET', `${gateway.url}/api/v1/auth/account`, {
          cookie: `signalbox_session=${gateway.key}`,
        })
      ).status,
    ).toBe(401);
  });
});

describe('a change that a browser asks for', () => {
  it("passes with its sign-in's token, from the gateway's own page", async () => {
    expect((await change(ada, {})).status).toBe(201);
  });

  it('needs the token, and no other than its own', async () => {
    const other = await signedUp(gateway.url, 'other@example.org');
    for (const token of [
      '',
      'x',
      other.csrfToken,
      ada.csrfToken.slice(1),
      `${ada.csrfToken}x`,
      ada.cookie.split('=')[1] ?? '',
    ]) {
      expect(await change(ada, { 'x-csrf-token': token }), token).toMatchObject({
        status: 403,
        json: { error: 'Forbidden', message: 'x-csrf-token: must be the csrfToken of the sign-in' },
      });
    }
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.org' }],
    ['another site that hides its origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['an origin that is hidden', { origin: 'null' }],
    [
      'another host of the same site',
      { 'sec-fetch-site': 'same-site', origin: 'http://evil.127.0.0.1' },
    ],
    ['another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['something that is no origin', { origin: 'file://' }],
  ])('is refused from %s, token or not', async (_where, headers) => {
    expect(await change(ada, headers)).toMatchObject({
      status: 403,
      json: { message: expect.stringMatching(/^origin: /) as string },
    });
  });

  it.each(rowsOf(changes))(
    'is refused by %s %s from a page of another site, whatever it carries',
    async (method, _path, one) => {
      const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.org' };
      expect((await ada.ask(method, pathOf(one), undefined, foreign)).status).toBe(403);
      const hidden = { 'sec-fetch-site': 'cross-site', origin: 'null', 'x-csrf-token': '' };
      expect((await ada.ask(method, pathOf(one), undefined, hidden)).status).toBe(403);
    },
  );

  it.each(rowsOf(changes.filter(({ isPublic }) => !isPublic)))(
    'is refused by %s %s without the token',
    async (method, _path, one) => {
      const reply = await ada.ask(method, pathOf(one), undefined, { 'x-csrf-token': 'x' });
      // no browser may use the `/v2` dialect
      expect(reply.status).toBe(one.path.startsWith('/v2/') ? 401 : 403);
      if (reply.status === 403) expect(reply.text).toContain('x-csrf-token: must be');
    },
  );

  it('passes by way of a proxy that names the host by which people know the gateway', async () => {
    expect(
      (
        await change(ada, {
          origin: 'https://llm.example.org',
          'x-forwarded-host': 'llm.example.org',
        })
      ).status,
    ).toBe(201);
    const behind = await startGateway({ publicUrl: 'https://llm.example.org/' });
    const browser = await signedUp(behind.url, 'ada@example.org');
    expect((await change(browser, { origin: 'https://llm.example.org' })).status).toBe(201);
    expect((await change(browser, { origin: 'https://llm.example.net' })).status).toBe(403);
    await behind.close();
  });

  it('is asked for the token even where no key is required', async () => {
    const open = await startGateway({ auth: { required: false } });
    const browser = await signedUp(open.url, 'ada@example.org');
    expect((await change(browser, { 'x-csrf-token': 'x' })).status).toBe(403);
    await open.close();
  });

  it('is not asked for the token where it only reads, nor where a key asks', async () => {
    expect(
      (
        await ada.ask('GET', '/api/v1/auth/account', undefined, {
          'x-csrf-token': '',
          'sec-fetch-site': 'none',
        })
      ).status,
    ).toBe(200);
    const { json } = await ada.ask('POST', '/api/v1/keys', { name: 'program' });
    expect(
      (await change(ada, { authorization: `Bearer ${textAt(json, 'key')}`, 'x-csrf-token': '' }))
        .status,
    ).toBe(201);
  });
});

describe('signing in', () => {
  it.each(['sign-in', 'sign-up', 'password-reset', 'password-reset/complete'])(
    'cannot be forced on a browser by another site: %s',
    async (path) => {
      const body = { email: 'ada@example.org', password: goodPassword };
      const foreign: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example.org' },
        { origin: 'null' },
      ];
      for (const headers of foreign) {
        const reply = await new Browser(gateway.url).ask(
          'POST',
          `/api/v1/auth/${path}`,
          body,
          headers,
        );
        expect(reply).toMatchObject({
          status: 403,
          json: { message: expect.stringMatching(/^origin: /) as string },
        });
        expect(reply.headers).not.toHaveProperty('set-cookie');
      }
    },
  );

  it('says the same of a wrong password and an unknown address', async () => {
    const browser = new Browser(gateway.url);
    const answers = [
      await browser.signIn('ada@example.org', 'wrong password'),
      await browser.signIn('nobody@example.org', 'wrong password'),
    ];
    const [one, other] = answers.map(({ status, text, headers }) => ({
      status,
      text,
      names: Object.keys(headers).sort(),
    }));
    expect(one).toEqual(other);
    expect(one).toMatchObject({
      status: 401,
      text: '{"error":"Unauthorized","message":"the mail address or the password is wrong"}',
    });
    expect(browser.cookie).toBe('');
  });
});

describe.each(expressRows)('mounted in a host of %s', (_version, express) => {
  it('a browser signs in and changes things, below a prefix', async () => {
    const app = express();
    app.use(express.json());
    app.use('/ai', gateway.gateway.router);
    const host = await startHost(app);
    const browser = new Browser(host.url);
    const signedIn = await browser.ask('POST', '/ai/api/v1/auth/sign-in', {
      email: 'ada@example.org',
      password: goodPassword,
    });
    expect(signedIn.status).toBe(200);
    browser.csrfToken = textAt(signedIn.json, 'csrfToken');
    expect((await browser.ask('POST', '/ai/api/v1/preferences', { name: 'mine' })).status).toBe(
      201,
    );
    const link = await browser.ask('POST', '/ai/api/v1/accounts', {
      email: `guest-${host.port}@example.org`,
    });
    expect(textAt(link.json, 'url')).toBe(
      `${host.url}/ai/reset-password#token=${textAt(link.json, 'token')}`,
    );
    expect((await browser.ask('POST', '/ai/api/v1/auth/sign-out')).status).toBe(204);
    expect(browser.cookie).toBe('');
    await host.close();
  });
});
