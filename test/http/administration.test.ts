import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFirstKey } from '../../src/accounts/first-key.js';
import type { ConfigInput } from '../../src/config/config.js';
import { firstAccountId, noLimits } from '../../src/store/contracts/accounts.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { openStore } from '../../src/store/open-store.js';
import { administratorOf, Browser, goodPassword, signedUp } from '../helpers/browser.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, type Reply } from '../helpers/sse.js';

let gateway: RunningGateway;
let admin: Browser;
beforeAll(async () => {
  gateway = await startGateway({ auth: { trustedProxies: 1 } });
  admin = await administratorOf(gateway, 'admin@example.org');
});
afterAll(() => gateway.close());

let visitors = 0;
const visitor = (url = gateway.url): Browser =>
  new Browser(url, { 'x-forwarded-for': `192.0.2.${++visitors}` });
async function member(email: string): Promise<{ browser: Browser; id: string }> {
  const browser = visitor();
  await browser.signUp(email, goodPassword);
  return { browser, id: textAt((await browser.signIn(email, goodPassword)).json, 'account', 'id') };
}
const change = (id: string, changes: object, by = admin): Promise<Reply> =>
  by.ask('PATCH', `/api/v1/accounts/${id}`, changes);
const complete = (token: string, password: string): Promise<Reply> =>
  visitor().ask('POST', '/api/v1/auth/password-reset/complete', { token, password });

/** A gateway without a user, and the first key, which is printed at the start. */
async function withFirstKey(
  config: ConfigInput = {},
): Promise<{ fresh: RunningGateway; auth: { authorization: string } }> {
  const store = await openStore(':memory:');
  await makeFirstKey(store, 'sk_first');
  const backing = new LazyDatabases(
    () => Promise.resolve({ store, counters: createMemoryCounters() }),
    false,
  );
  return {
    fresh: await startGateway(config, { databases: backing }),
    auth: { authorization: 'Bearer sk_first' },
  };
}

describe('the administrator', () => {
  it('is who claims the gateway, and has what the first key has made', async () => {
    const { fresh, auth } = await withFirstKey();
    await ask('POST', `${fresh.url}/api/v1/preferences`, auth, { name: 'made by key' });
    const first = await administratorOf(fresh, 'ada@example.org');
    expect((await first.account()).json).toMatchObject({
      account: { id: firstAccountId, email: 'ada@example.org', role: 'admin' },
    });
    expect((await first.ask('GET', '/api/v1/preferences')).json).toMatchObject({
      items: [{ name: 'made by key' }],
    });
    expect((await (await signedUp(fresh.url, 'bob@example.org')).account()).json).toMatchObject({
      account: { role: 'member' },
    });
    await fresh.close();
  });

  it('lists the accounts page by page, newest first, and sees nothing of their passwords', async () => {
    const { id } = await member('listed@example.org');
    const accounts: unknown[] = [];
    for (let cursor: unknown = ''; typeof cursor === 'string';) {
      const { json, text } = await admin.ask(
        'GET',
        `/api/v1/accounts?limit=1&cursor=${encodeURIComponent(cursor)}`,
      );
      expect(text).not.toMatch(/argon2|hash/i);
      accounts.push(...listAt(json, 'items'));
      cursor = at(json, 'next');
    }
    for (const account of accounts) expectConforms('account.response', account);
    expect(accounts[0]).toMatchObject({
      id,
      email: 'listed@example.org',
      role: 'member',
      disabledAt: null,
    });
    expect(accounts.at(-1)).toMatchObject({
      id: firstAccountId,
      email: 'admin@example.org',
      role: 'admin',
    });
  });

  it('invites people, where sign-up is closed too', async () => {
    const { fresh, auth } = await withFirstKey({
      auth: { signUp: 'closed' },
      publicUrl: 'https://llm.example.org',
    });
    const invited = await ask('POST', `${fresh.url}/api/v1/accounts`, auth, {
      email: 'Ada@example.org',
      role: 'admin',
    });
    expect(invited).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      json: { account: { email: 'ada@example.org', role: 'admin', limits: noLimits } },
    });
    expectConforms('invitation.response', invited.json);
    const token = textAt(invited.json, 'token');
    expect(textAt(invited.json, 'url')).toBe(
      `https://llm.example.org/reset-password#token=${token}`,
    );
    const ada = new Browser(fresh.url);
    expect(
      (
        await ada.ask('POST', '/api/v1/auth/password-reset/complete', {
          token,
          password: goodPassword,
        })
      ).status,
    ).toBe(204);
    expect((await ada.signIn('ada@example.org', goodPassword)).status).toBe(200);
    expect(
      (await ada.ask('POST', '/api/v1/accounts', { email: 'bob@example.org' })).json,
    ).toMatchObject({ account: { role: 'member' } });
    expect(await ada.ask('POST', '/api/v1/accounts', { email: 'BOB@example.org' })).toMatchObject({
      status: 409,
      json: { message: 'email: already has an account' },
    });
    expect(await ada.ask('POST', '/api/v1/accounts', { email: 'bob' })).toMatchObject({
      status: 422,
      json: { message: 'email: must be a mail address' },
    });
    await fresh.close();
  });

  it('gives out links for a new password, which work once', async () => {
    const { id } = await member('forgot@example.org');
    const given = await admin.ask('POST', `/api/v1/accounts/${id}/reset-link`);
    expect(given).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
    expectConforms('reset-link.response', given.json);
    const token = textAt(given.json, 'token');
    expect(textAt(given.json, 'url')).toBe(`${gateway.url}/reset-password#token=${token}`);
    expect((await complete(token, 'a new password')).status).toBe(204);
    expect((await complete(token, 'another password')).status).toBe(422);
    expect((await visitor().signIn('forgot@example.org', 'a new password')).status).toBe(200);
  });

  it('makes others administrators, and ordinary again, at once', async () => {
    const { id, browser } = await member('promoted@example.org');
    const made = await browser.ask('POST', '/api/v1/keys', { name: 'k', scopes: ['admin'] });
    const auth = { authorization: `Bearer ${textAt(made.json, 'key')}` };
    expect((await browser.ask('GET', '/api/v1/accounts')).status).toBe(403);
    expect((await ask('GET', `${gateway.url}/api/v1/accounts`, auth)).status).toBe(403);
    expect(await change(id, { role: 'admin' })).toMatchObject({
      status: 200,
      json: { id, role: 'admin' },
    });
    expect((await browser.ask('GET', '/api/v1/accounts')).status).toBe(200);
    await expect
      .poll(async () => (await ask('GET', `${gateway.url}/api/v1/accounts`, auth)).status)
      .toBe(200);
    expect(await change(id, { role: 'member' })).toMatchObject({
      status: 200,
      json: { id, role: 'member' },
    });
    expect((await browser.ask('GET', '/api/v1/accounts')).status).toBe(403);
    await expect
      .poll(async () => (await ask('GET', `${gateway.url}/api/v1/accounts`, auth)).status)
      .toBe(403);
  });

  it('is named by a key only where that is for administration', async () => {
    const made = await admin.ask('POST', '/api/v1/keys', {
      name: 'k',
      scopes: ['completions', 'model-select'],
    });
    expect(
      (
        await ask('GET', `${gateway.url}/api/v1/accounts`, {
          authorization: `Bearer ${textAt(made.json, 'key')}`,
        })
      ).status,
    ).toBe(403);
    expect(await ask('GET', `${gateway.url}/api/v1/accounts`, gateway.auth)).toMatchObject({
      status: 403,
      json: { message: 'this route needs an administrator' },
    });
  });
});

describe('the last administrator', () => {
  it('can neither be made ordinary nor disabled', async () => {
    for (const changes of [
      { role: 'member' },
      { disabled: true },
      { role: 'member', disabled: true },
    ]) {
      expect(await change(firstAccountId, changes)).toMatchObject({
        status: 409,
        json: { error: 'Conflict', message: 'this is the last administrator' },
      });
    }
    expect(await change(firstAccountId, { role: 'admin', disabled: false })).toMatchObject({
      status: 200,
    });
  });

  it("is left where two take each other's rights at the same time", async () => {
    const { fresh } = await withFirstKey();
    const [ada, bob] = [
      await administratorOf(fresh, 'ada@example.org'),
      await signedUp(fresh.url, 'bob@example.org'),
    ];
    const bobId = textAt((await bob.account()).json, 'account', 'id');
    await change(bobId, { role: 'admin' }, ada);
    const replies = await Promise.all([
      change(bobId, { role: 'member' }, ada),
      change(firstAccountId, { disabled: true }, bob),
    ]);
    expect(replies.every(({ status }) => [200, 401, 403, 409].includes(status))).toBe(true);
    const working = await Promise.all(
      [ada, bob].map((browser) => browser.ask('GET', '/api/v1/accounts')),
    );
    expect(working.some(({ status }) => status === 200)).toBe(true);
    await fresh.close();
  });
});

describe('a disabled account', () => {
  it('loses its browsers at once and its keys within a second', async () => {
    const { id, browser } = await member('fired@example.org');
    const made = await browser.ask('POST', '/api/v1/keys', { name: 'k', scopes: ['admin'] });
    const auth = { authorization: `Bearer ${textAt(made.json, 'key')}` };
    expect((await ask('GET', `${gateway.url}/api/v1/keys`, auth)).status).toBe(200);
    const disabled = await change(id, { disabled: true });
    expect(disabled).toMatchObject({ status: 200, json: { id, role: 'member' } });
    expect(Date.parse(textAt(disabled.json, 'disabledAt'))).toBeGreaterThan(Date.now() - 60_000);
    expect((await browser.account()).status).toBe(401);
    await expect
      .poll(async () => (await ask('GET', `${gateway.url}/api/v1/keys`, auth)).status)
      .toBe(401);
  });

  it('can neither sign in, as if its password were wrong, nor have a new one', async () => {
    const { id } = await member('locked@example.org');
    const token = textAt(
      (await admin.ask('POST', `/api/v1/accounts/${id}/reset-link`)).json,
      'token',
    );
    await change(id, { disabled: true });
    expect(await visitor().signIn('locked@example.org', goodPassword)).toMatchObject({
      status: 401,
      json: { message: 'the mail address or the password is wrong' },
    });
    expect((await complete(token, 'a new password')).status).toBe(422);
    expect(await admin.ask('POST', `/api/v1/accounts/${id}/reset-link`)).toMatchObject({
      status: 409,
      json: { message: 'this account is disabled' },
    });
  });

  it('can sign in again once it is enabled; what had signed in before stays out, and links from before are worthless', async () => {
    const { id, browser } = await member('back@example.org');
    const token = textAt(
      (await admin.ask('POST', `/api/v1/accounts/${id}/reset-link`)).json,
      'token',
    );
    await change(id, { disabled: true });
    expect(await change(id, { disabled: false })).toMatchObject({
      status: 200,
      json: { disabledAt: null },
    });
    expect((await browser.account()).status).toBe(401);
    expect((await complete(token, 'a new password')).status).toBe(422);
    expect((await browser.signIn('back@example.org', goodPassword)).status).toBe(200);
  });
});

describe('what is asked of accounts', () => {
  it.each([
    ['PATCH', '/api/v1/accounts/00000000-0000-4000-8000-00000000ffff', { role: 'admin' }],
    ['PATCH', '/api/v1/accounts/%00', { role: 'admin' }],
    ['PATCH', "/api/v1/accounts/x' or 1=1", { disabled: true }],
    ['POST', '/api/v1/accounts/00000000-0000-4000-8000-00000000ffff/reset-link', undefined],
    ['POST', '/api/v1/accounts/nobody@example.org/reset-link', undefined],
  ])('%s %s is 404', async (method, path, body) => {
    expect(await admin.ask(method, encodeURI(path).replaceAll('%25', '%'), body)).toMatchObject({
      status: 404,
      json: { error: 'Not Found' },
    });
  });

  it.each([
    [{}, 'body: must have at least 1 entry'],
    [{ role: 'owner' }, 'role: must be one of: admin, member'],
    [{ disabled: 'yes' }, 'disabled: must be true or false'],
    [{ email: 'x@example.org' }, 'email: is not a known key'],
  ])('a change of %j is refused: %s', async (changes, message) => {
    expect(await change(firstAccountId, changes)).toMatchObject({ status: 422, json: { message } });
  });

  it('by ordinary accounts is refused, whatever it is', async () => {
    const { browser, id } = await member('ordinary@example.org');
    const asked: [string, string, object?][] = [
      ['GET', ''],
      ['POST', '', { email: 'x@example.org' }],
      ['PATCH', `/${id}`, { role: 'admin' }],
      ['PATCH', `/${firstAccountId}`, { disabled: true }],
      ['POST', `/${firstAccountId}/reset-link`],
      ['POST', `/${id}/reset-link`],
    ];
    for (const [method, path, body] of asked) {
      expect(
        await browser.ask(method, `/api/v1/accounts${path}`, body),
        `${method} ${path}`,
      ).toMatchObject({ status: 403, json: { message: 'this route needs an administrator' } });
    }
  });
});
