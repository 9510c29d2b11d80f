import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { issueClaimCode } from '../../src/accounts/claim.js';
import { keyFor, makeFirstKey } from '../../src/accounts/first-key.js';
import { newKey } from '../../src/accounts/static-keys.js';
import type { ConfigInput } from '../../src/config/config.js';
import { createGateway, type Gateway } from '../../src/gateway.js';
import { firstAccountId, noLimits } from '../../src/store/contracts/accounts.js';
import type { Store } from '../../src/store/contracts/store.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { Browser, goodPassword } from '../helpers/browser.js';
import { expectConforms } from '../helpers/conforms.js';
import { startGateway } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { openFreshStore } from '../helpers/stores.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Fresh {
  url: string;
  store: Store;
  key: string;
}

const databasesOf = (store: Store): LazyDatabases =>
  new LazyDatabases(() => Promise.resolve({ store, counters: createMemoryCounters() }), false);

/** A gateway as after its first start, which nobody has claimed. */
async function fresh(auth: ConfigInput['auth'] = {}): Promise<Fresh> {
  const store = await openFreshStore();
  const key = newKey();
  await makeFirstKey(store, key);
  const gateway = await startGateway(
    // the default is what counts here, not the one of the other tests
    { auth: { keys: [], signUp: 'closed', trustedProxies: 1, ...auth } },
    { databases: databasesOf(store) },
  );
  closing.push(() => gateway.close());
  return { url: gateway.url, store, key };
}

const person = { email: 'Ada@example.org', password: goodPassword };
const claim = (url: string, body: object, headers: Record<string, string> = {}): Promise<Reply> =>
  post(`${url}/api/v1/auth/claim`, { ...person, ...body }, headers);
const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });

describe('the claim of a gateway', () => {
  it('with the first key makes its owner the administrator, who has what the key has made', async () => {
    const { url, key } = await fresh();
    await post(`${url}/api/v1/preferences`, { name: 'made by key' }, bearer(key));
    const claimed = await claim(url, { code: key });
    expect(claimed).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      json: { id: firstAccountId, email: 'ada@example.org', role: 'admin', limits: noLimits },
    });
    expectConforms('account.response', claimed.json);
    const ada = new Browser(url);
    expect((await ada.signIn(person.email, goodPassword)).status).toBe(200);
    expect((await ada.ask('GET', '/api/v1/preferences')).json).toMatchObject({
      items: [{ name: 'made by key' }],
    });
    expect((await ada.ask('GET', '/api/v1/accounts')).status).toBe(200);
    expect((await ask('GET', `${url}/api/v1/accounts`, bearer(key))).status).toBe(200);
  });

  it('works with the first key as the API key of the request too', async () => {
    const { url, key } = await fresh();
    expect((await claim(url, {}, bearer(key))).status).toBe(201);
  });

  it('works with the claim code, of which only the hash is stored, and only with the last one', async () => {
    const { url, store } = await fresh();
    const [first, second] = [await issueClaimCode(store), await issueClaimCode(store)];
    expect(await store.claims.codeHash()).not.toContain(second);
    expect((await claim(url, { code: first })).status).toBe(401);
    expect((await claim(url, { code: second })).status).toBe(201);
    expect(await store.claims.codeHash()).toBeNull();
  });

  it('is refused with a wrong code, a key without the scope, and a key of another account', async () => {
    const { url, store } = await fresh();
    await issueClaimCode(store);
    const other = await store.accounts.create({
      id: 'b0b',
      email: 'bob@example.org',
      passwordHash: null,
      at: 1,
      role: 'admin',
    });
    const [weak, foreign, revoked] = [newKey(), newKey(), newKey()];
    await store.keys.add(keyFor(firstAccountId, 'weak', weak, { scopes: ['completions'] }));
    await store.keys.add(keyFor(other!.id, 'foreign', foreign));
    const { id } = await store.keys.add(keyFor(firstAccountId, 'revoked', revoked));
    await store.keys.update(null, id, { revokedAt: 1 });
    let address = 0;
    for (const code of ['wrong', 'sk_wrong', weak, foreign, revoked])
      expect(
        await claim(url, { code }, { 'x-forwarded-for': `192.0.2.${++address}` }),
      ).toMatchObject({
        status: 401,
        json: {
          message:
            'this is neither the first API key nor the claim code; "node dist/cli/main.js accounts claim-code" prints a new code, with npm "npx signalbox accounts claim-code"',
        },
      });
    expect(await claim(url, {}, { 'x-forwarded-for': '192.0.2.99' })).toMatchObject({
      status: 401,
      json: { message: 'code: the first API key or the claim code is required' },
    });
    expect(await store.claims.hasOwner()).toBe(false);
  });

  it('makes an address wait after wrong codes, and nobody else', async () => {
    const { url, key } = await fresh();
    const from = (address: string, code: string): Promise<Reply> =>
      claim(url, { code }, { 'x-forwarded-for': address });
    for (let guess = 0; guess < 5; guess++) await from('192.0.2.1', `guess ${guess}`);
    expect(await from('192.0.2.1', key)).toMatchObject({ status: 429 });
    expect(await from('192.0.2.2', key)).toMatchObject({ status: 201 });
  });

  it('succeeds once: afterwards it is a conflict, whatever the code', async () => {
    const { url, store, key } = await fresh();
    const code = await issueClaimCode(store);
    expect((await claim(url, { code })).status).toBe(201);
    for (const again of [code, key, 'wrong'])
      expect(await claim(url, { code: again, email: 'eve@example.org' })).toMatchObject({
        status: 409,
        json: {
          message:
            'this gateway has been claimed: sign in, or ask an administrator for an invitation',
        },
      });
    await expect(issueClaimCode(store)).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.accounts.findByEmail('eve@example.org')).toBeNull();
  });

  it('is won by one of twenty at the same time', async () => {
    const { url, store, key } = await fresh();
    const code = await issueClaimCode(store);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        claim(
          url,
          { code: index % 2 === 0 ? code : key, email: `p${index}@example.org` },
          { 'x-forwarded-for': `192.0.2.${index}` },
        ),
      ),
    );
    expect(claims.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const winner = claims.find(({ status }) => status === 201);
    expect((await store.accounts.find(firstAccountId))?.email).toBe(textAt(winner?.json, 'email'));
  });

  it('checks the mail address and the password before it uses the code up', async () => {
    const { url, key } = await fresh();
    expect((await claim(url, { code: key, email: 'nobody' })).status).toBe(422);
    expect((await claim(url, { code: key, password: 'short' })).status).toBe(422);
    expect((await claim(url, { code: key })).status).toBe(201);
  });

  it('is refused to pages of other sites', async () => {
    const { url, key } = await fresh();
    const page = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await claim(url, { code: key }, page)).status).toBe(403);
  });
});

/** What a stranger tries who finds a gateway. */
async function strangerAt(url: string): Promise<Record<string, number>> {
  const stranger = new Browser(url);
  const { email } = person;
  const tried = {
    signUp: await stranger.signUp(email, goodPassword),
    claim: await claim(url, { code: 'sk_guess' }),
    claimWithoutCode: await claim(url, {}),
    signIn: await stranger.signIn(email, goodPassword),
    key: await stranger.ask('POST', '/api/v1/keys', { name: 'mine' }),
    invitation: await stranger.ask('POST', '/api/v1/accounts', { email }),
    completion: await stranger.ask('POST', '/v1/chat/completions', { model: 'a/b', messages: [] }),
    log: await stranger.ask('GET', '/api/v1/requests'),
  };
  return Object.fromEntries(Object.entries(tried).map(([what, { status }]) => [what, status]));
}

describe('a stranger who reaches a fresh gateway can neither sign up, claim, nor make a key', () => {
  const shut = { key: 401, invitation: 401, completion: 401, log: 401 };

  it.each([
    ['with the first key', []],
    ['with fixed keys', [{ name: 'app', key: 'sk_app_of_the_owner' }]],
  ])('standalone, %s', async (_how, keys) => {
    const { url, store } = await fresh({ keys });
    expect(await strangerAt(url)).toEqual({
      signUp: 403,
      claim: 401,
      claimWithoutCode: 401,
      signIn: 401,
      ...shut,
    });
    expect((await store.accounts.list({ limit: 9, cursor: null })).items).toHaveLength(1);
    const { json } = await new Browser(url).signUp(person.email, goodPassword);
    expect(textAt(json, 'message')).toContain('auth.signUp');
  });

  /** A gateway in a host's app below /ai. */
  async function mounted(config: ConfigInput): Promise<{ url: string; gateway: Gateway }> {
    const gateway = createGateway(config, {
      env: {},
      databases: databasesOf(await openFreshStore()),
    });
    const host = await startHost(express().use('/ai', gateway.router));
    closing.push(
      () => host.close(),
      () => gateway.close(),
    );
    return { url: `${host.url}/ai`, gateway };
  }

  it('mounted: its routes for web accounts do not exist', async () => {
    const { url } = await mounted({ auth: { keys: [{ name: 'app', key: 'sk_app' }] } });
    expect(await strangerAt(url)).toEqual({
      signUp: 404,
      claim: 404,
      claimWithoutCode: 404,
      signIn: 404,
      ...shut,
    });
    for (const path of ['password-reset', 'password-reset/complete', 'sign-out', 'password'])
      expect((await post(`${url}/api/v1/auth/${path}`, {}, bearer('sk_app'))).status).toBe(404);
    expect((await ask('GET', `${url}/reset-password`)).status).toBe(404);
    expect((await ask('GET', `${url}/api/v1/auth/account`, bearer('sk_app'))).status).toBe(200);
  });

  it('mounted with web accounts: sign-up is closed, as in its own process', async () => {
    const { url } = await mounted({
      auth: { keys: [{ name: 'app', key: 'sk_app' }], webAccounts: true },
    });
    expect(await strangerAt(url)).toMatchObject({ signUp: 403, claim: 401, signIn: 401, ...shut });
    expect((await ask('GET', `${url}/reset-password`)).status).toBe(200);
  });

  it('standalone without web accounts: the cookie of an earlier sign-in is worth nothing either', async () => {
    const { url, store, key } = await fresh();
    await claim(url, { code: key });
    const ada = new Browser(url);
    await ada.signIn(person.email, goodPassword);
    const closed = await startGateway(
      { auth: { webAccounts: false } },
      { databases: databasesOf(store) },
    );
    const again = new Browser(closed.url);
    again.cookie = ada.cookie;
    expect((await ada.account()).status).toBe(200);
    expect((await again.account()).status).toBe(401);
    expect((await post(`${closed.url}/api/v1/auth/sign-in`, person, closed.auth)).status).toBe(404);
    closing.unshift(() => closed.close());
  });
});
