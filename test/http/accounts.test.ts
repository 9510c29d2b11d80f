import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, goodPassword, signedUp } from '../helpers/browser.js';
import { expectConforms } from '../helpers/conforms.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { newFolder, endProcesses } from '../helpers/process.js';
import { ask, post } from '../helpers/sse.js';

let gateway: RunningGateway;
// each test comes from an address of its own
beforeAll(async () => {
  gateway = await startGateway({ auth: { trustedProxies: 1 } });
  await signedUp(gateway.url, 'admin@example.org');
});
afterAll(async () => {
  await gateway.close();
  await endProcesses();
});

let visitors = 0;
const visitor = (): Browser =>
  new Browser(gateway.url, { 'x-forwarded-for': `192.0.2.${++visitors}` });

describe('signing up', () => {
  it('makes an account that can sign in, without signing it in', async () => {
    const ada = visitor();
    expect(await ada.signUp('ada@example.org', goodPassword)).toMatchObject({
      status: 202,
      text: '',
    });
    expect(ada.cookie).toBe('');
    expect((await ada.account()).status).toBe(401);
    const signedIn = await ada.signIn('ada@example.org', goodPassword);
    expect(signedIn).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      json: { account: { email: 'ada@example.org', role: 'member' } },
    });
    expectConforms('sign-in.response', signedIn.json);
  });

  it('answers a taken address as a new one, and leaves its account as it was', async () => {
    const [first, second] = [visitor(), visitor()];
    const answers = [
      await first.signUp('bob@example.org', goodPassword),
      await second.signUp('Bob@Example.org', 'another password'),
    ];
    const [one, other] = answers.map(({ status, text, headers }) => ({
      status,
      text,
      names: Object.keys(headers).sort(),
    }));
    expect(other).toEqual(one);
    expect((await second.signIn('bob@example.org', 'another password')).status).toBe(401);
    expect((await first.signIn('bob@example.org', goodPassword)).status).toBe(200);
  });

  it('takes an address in any case and finds it in any other', async () => {
    const carol = visitor();
    await carol.signUp('Carol@Example.org', goodPassword);
    expect((await carol.signIn('cAROL@example.ORG', goodPassword)).json).toMatchObject({
      account: { email: 'carol@example.org' },
    });
  });

  it.each([
    [{ password: goodPassword }, 'email: is required'],
    [{ email: 'x@example.org' }, 'password: is required'],
    [{ email: 'no address', password: goodPassword }, 'email: must be a mail address'],
    [{ email: 'x@example.org', password: 'seven77' }, 'password: must have at least 8 characters'],
    [
      { email: 'x@example.org', password: 'p'.repeat(1_025) },
      'password: must have at most 1024 characters',
    ],
    [{ email: 'x@example.org', password: '\ud800'.repeat(9) }, 'password: has the wrong form'],
    [{ email: ['x@example.org'], password: goodPassword }, 'email: must be a string'],
    [{ email: 'x@example.org', password: goodPassword, role: 'admin' }, 'role: is not a known key'],
  ])('with %j is refused: %s', async (body, message) => {
    const reply = await post(`${gateway.url}/api/v1/auth/sign-up`, body);
    expect(reply).toMatchObject({ status: 422, json: { error: 'Validation Error', message } });
    expectConforms('error', reply.json);
  });

  it('takes a body of 16 KiB at most from people it does not know', async () => {
    expect(
      (
        await post(`${gateway.url}/api/v1/auth/sign-up`, {
          email: 'x@example.org',
          password: 'x'.repeat(20_000),
        })
      ).status,
    ).toBe(413);
  });

  it('can be closed', async () => {
    const closed = await startGateway({ auth: { signUp: 'closed' } });
    expect(await new Browser(closed.url).signUp('ada@example.org', goodPassword)).toMatchObject({
      status: 403,
      json: {
        message: 'sign-up is closed: an administrator can invite you, or set auth.signUp to open',
      },
    });
    await closed.close();
  });

  it('can be limited to mail domains', async () => {
    const limited = await startGateway({ auth: { signUpDomains: ['Example.org', 'example.com'] } });
    const browser = new Browser(limited.url);
    for (const email of [
      'ada@example.net',
      'ada@mail.example.org',
      'ada@example.org.example.net',
      'example.org@example.net',
    ]) {
      expect(await browser.signUp(email, goodPassword), email).toMatchObject({
        status: 403,
        json: { message: 'email: only addresses at example.org, example.com may sign up' },
      });
    }
    expect((await browser.signUp('ada@EXAMPLE.org', goodPassword)).status).toBe(202);
    await limited.close();
  });

  it('makes members only, within the limits of sign-ups', async () => {
    const open = await startGateway({
      auth: { signUp: 'open', signUpLimits: { requestsPerMinute: 7, monthBudgetUsd: 2 } },
    });
    const first = await signedUp(open.url, 'first@example.org');
    expect((await first.account()).json).toMatchObject({
      account: {
        role: 'member',
        limits: {
          requestsPerMinute: 7,
          tokensPerMinute: null,
          dayBudgetUsd: null,
          monthBudgetUsd: 2,
        },
      },
    });
    await open.close();
  });

  it('with one address at once makes one account', async () => {
    const busy = await startGateway({ auth: { trustedProxies: 1 } });
    const passwords = Array.from({ length: 8 }, (_, index) => `password number ${index}`);
    const signUps = await Promise.all(
      passwords.map((password, index) =>
        new Browser(busy.url, { 'x-forwarded-for': `198.51.100.${index}` }).signUp(
          'ada@example.org',
          password,
        ),
      ),
    );
    expect(new Set(signUps.map(({ status }) => status))).toEqual(new Set([202]));
    const signIns = await Promise.all(
      passwords.map((password, index) =>
        new Browser(busy.url, { 'x-forwarded-for': `203.0.113.${index}` }).signIn(
          'ada@example.org',
          password,
        ),
      ),
    );
    expect(signIns.filter(({ status }) => status === 200)).toHaveLength(1);
    await busy.close();
  });
});

describe('an account', () => {
  it('is shown to its browser and to its keys', async () => {
    const ada = await signedUp(gateway.url, 'keys@example.org');
    const byBrowser = await ada.account();
    expect(byBrowser).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      json: {
        account: { email: 'keys@example.org' },
        name: 'keys@example.org',
        scopes: ['completions', 'model-select', 'admin'],
        key: null,
        csrfToken: ada.csrfToken,
      },
    });
    expectConforms('own-account.response', byBrowser.json);
    const made = await ada.ask('POST', '/api/v1/keys', { name: 'laptop' });
    expect(made.status).toBe(201);
    const byKey = await ask('GET', `${gateway.url}/api/v1/auth/account`, {
      authorization: `Bearer ${textAt(made.json, 'key')}`,
    });
    expect(byKey.json).toMatchObject({
      account: at(byBrowser.json, 'account'),
      name: 'laptop',
      scopes: ['completions', 'model-select'],
      key: {
        id: at(made.json, 'id'),
        name: 'laptop',
        scopes: ['completions', 'model-select'],
        models: null,
      },
      csrfToken: null,
      expiresAt: null,
    });
    expectConforms('own-account.response', byKey.json);
  });

  it('of a fixed key is the key itself', async () => {
    const reply = await ask('GET', `${gateway.url}/api/v1/auth/account`, gateway.auth);
    expect(reply.json).toMatchObject({
      account: { id: 'fixed:test', email: null, role: 'member', createdAt: null },
      key: { id: 'fixed:test', name: 'test' },
    });
    expectConforms('own-account.response', reply.json);
  });

  it('is asked for where the key is not known, whatever the cookie says', async () => {
    const ada = await signedUp(gateway.url, 'both@example.org');
    expect(
      await ada.ask('GET', '/api/v1/auth/account', undefined, {
        authorization: 'Bearer sk_unknown',
      }),
    ).toMatchObject({
      status: 401,
      json: {
        message:
          'authorization: this API key is not known; check that it is complete and belongs to this gateway',
      },
    });
  });

  it('is everybody, without administration, where no key is required', async () => {
    const open = await startGateway({ auth: { required: false } });
    expect((await ask('GET', `${open.url}/api/v1/auth/account`)).json).toMatchObject({
      account: { id: 'anonymous' },
      key: null,
    });
    expect((await ask('GET', `${open.url}/api/v1/keys`)).status).toBe(401);
    expect((await ask('GET', `${open.url}/api/v1/accounts`)).status).toBe(401);
    await open.close();
  });
});

describe('a browser that has signed in', () => {
  it('has its own keys and preferences', async () => {
    const ada = await signedUp(gateway.url, 'own@example.org');
    expect((await ada.ask('GET', '/api/v1/keys')).json).toMatchObject({
      object: 'list',
      items: [],
    });
    expect((await ada.ask('GET', '/api/v1/preferences')).status).toBe(200);
  });

  it('stays signed in when the gateway starts again on the same database', async () => {
    const config = { database: { url: `file:${newFolder()}/signalbox.db` } };
    const before = await startGateway(config);
    const ada = await signedUp(before.url, 'ada@example.org');
    await before.close();
    const after = await startGateway(config);
    const again = new Browser(after.url);
    again.cookie = ada.cookie;
    expect((await again.account()).json).toMatchObject({
      account: { email: 'ada@example.org', role: 'member' },
      csrfToken: ada.csrfToken,
    });
    expect((await new Browser(after.url).signIn('ada@example.org', goodPassword)).status).toBe(200);
    await after.close();
  });

  it('is signed out for good by signing out, and its token is worth nothing any more', async () => {
    const ada = await signedUp(gateway.url, 'out@example.org');
    const { cookie } = ada;
    const other = new Browser(gateway.url);
    await other.signIn('out@example.org', goodPassword);
    const reply = await ada.ask('POST', '/api/v1/auth/sign-out');
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(reply.headers['set-cookie']?.[0]).toMatch(
      /^signalbox_session=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax$/,
    );
    expect(ada.cookie).toBe('');
    ada.cookie = cookie;
    expect((await ada.account()).status).toBe(401);
    expect((await other.account()).status).toBe(200);
  });

  it('is not known any more when its time is over', async () => {
    const short = await startGateway({ auth: { signInMs: 1_000 } });
    const ada = await signedUp(short.url, 'ada@example.org');
    const expiresAt = Date.parse(textAt((await ada.account()).json, 'expiresAt'));
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(1_000);
    await expect.poll(async () => (await ada.account()).status).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    await short.close();
  });
});

describe('the log', () => {
  it('holds no password, no token, and no address of a failed attempt', async () => {
    const { logger, text } = keepingLogger('trace');
    const logged = await startGateway({}, { logger });
    const ada = await signedUp(logged.url, 'ada@example.org');
    await ada.signIn('mallory@example.net', 'wrong password 1');
    await ada.signIn('ada@example.org', 'wrong password 2');
    await ada.ask('POST', '/api/v1/auth/password', {
      currentPassword: 'wrong password 3',
      newPassword: 'new password 4',
    });
    await ada.ask('POST', '/api/v1/auth/password-reset', { email: 'mallory@example.net' });
    await ada.ask('POST', '/api/v1/auth/password-reset/complete', {
      token: 'token-five',
      password: 'new password 6',
    });
    await logged.close();
    expect(text()).toContain('"surface":"resources"');
    for (const secret of [
      goodPassword,
      'wrong password',
      'new password',
      'mallory',
      'token-five',
      ada.csrfToken,
      ada.cookie.slice(20),
    ])
      expect(text()).not.toContain(secret);
  });
});

describe('methods and bodies', () => {
  it.each(['sign-up', 'sign-in', 'password-reset', 'password-reset/complete'])(
    '%s takes a POST of JSON from anybody, nothing else',
    async (path) => {
      const url = `${gateway.url}/api/v1/auth/${path}`;
      expect(await ask('GET', url)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
      expect(await post(url, '{', {})).toMatchObject({ status: 400 });
      for (const type of [
        'application/x-www-form-urlencoded',
        'text/plain',
        'multipart/form-data; boundary=x',
      ]) {
        expect(
          await post(url, JSON.stringify({ email: 'a@example.org', password: goodPassword }), {
            'content-type': type,
          }),
          type,
        ).toMatchObject({ status: 415 });
      }
    },
  );

  it('tells the paths that want somebody known from those that do not exist only to who is known', async () => {
    for (const path of [
      'auth/account',
      'auth/sign-out',
      'auth/password',
      'accounts',
      'accounts/x',
      'accounts/x/reset-link',
    ]) {
      expect(await ask('DELETE', `${gateway.url}/api/v1/${path}`), path).toMatchObject({
        status: 401,
      });
    }
    expect(
      listAt((await ask('GET', `${gateway.url}/api/v1/keys`, gateway.auth)).json, 'items'),
    ).toEqual([]);
  });
});
