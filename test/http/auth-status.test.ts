import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway.js';
import { administratorOf, Browser, goodPassword, signedUp } from '../helpers/browser.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { textAt } from '../helpers/json.js';
import { ask } from '../helpers/sse.js';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const path = '/api/v1/auth/status';
const statusOf = async (url: string, headers = {}): Promise<unknown> => {
  const { status, json } = await ask('GET', url + path, headers);
  expect(status).toBe(200);
  expectConforms('auth-status.response', json);
  return json;
};

describe('how people sign in', () => {
  it('is told to a stranger: unclaimed, then claimed', async () => {
    expect(await statusOf(gateway.url)).toEqual({
      object: 'auth_status',
      webAccounts: true,
      claimed: false,
      signUp: 'open',
      mail: false,
      signedIn: false,
      keyRequired: true,
    });
    const admin = await administratorOf(gateway, 'admin@example.org');
    expect(await statusOf(gateway.url)).toMatchObject({ claimed: true, signedIn: false });
    expect((await admin.ask('GET', path)).json).toMatchObject({ signedIn: true });
  });

  it('names closed sign-up, mail, and a gateway that needs no key', async () => {
    const other = await startGateway({
      auth: { signUp: 'closed', required: false },
      mail: { url: 'smtp://127.0.0.1:1', from: 'a@example.org' },
    });
    expect(await statusOf(other.url)).toMatchObject({
      signUp: 'closed',
      mail: true,
      keyRequired: false,
    });
    await other.close();
  });

  it('is told only under the gateway’s own names', async () => {
    expect((await ask('GET', gateway.url + path, { host: 'evil.example' })).status).toBe(421);
  });

  it('in a host app: nobody signs in here, and the host knows its user', async () => {
    const mounted = createGateway(
      {},
      { env: {}, identify: ({ headers }) => (headers['x-user'] ? { account: 'ann' } : null) },
    );
    const host = await startHost(express().use('/ai', mounted.router));
    const url = `${host.url}/ai`;
    expect(await statusOf(url)).toMatchObject({
      webAccounts: false,
      claimed: null,
      signUp: 'closed',
      signedIn: false,
    });
    expect(await statusOf(url, { 'x-user': 'ann' })).toMatchObject({ signedIn: true });
    await Promise.all([host.close(), mounted.close()]);
  });
});

describe('signing out everywhere', () => {
  it('ends the sign-ins of all browsers of the account, and of no other', async () => {
    const [ada, other] = await Promise.all([
      signedUp(gateway.url, 'ada@example.org'),
      signedUp(gateway.url, 'bob@example.org'),
    ]);
    const { cookie } = ada;
    const elsewhere = new Browser(gateway.url);
    await elsewhere.signIn('ada@example.org', goodPassword);
    const reply = await ada.ask('POST', '/api/v1/auth/sign-out', { everywhere: true });
    expect(reply.status).toBe(204);
    ada.cookie = cookie;
    for (const browser of [ada, elsewhere]) expect((await browser.account()).status).toBe(401);
    expect((await other.account()).status).toBe(200);
  });

  it('is refused to a key without the scope admin', async () => {
    const ada = new Browser(gateway.url);
    await ada.signIn('ada@example.org', goodPassword);
    const { json } = await ada.ask('POST', '/api/v1/keys', {
      name: 'app',
      scopes: ['completions'],
    });
    const reply = await ask(
      'POST',
      `${gateway.url}/api/v1/auth/sign-out`,
      { authorization: `Bearer ${textAt(json, 'key')}` },
      { everywhere: true },
    );
    expect(reply.status).toBe(403);
    expect((await ada.account()).status).toBe(200);
  });

  it('takes nothing but everywhere', async () => {
    const ada = await signedUp(gateway.url, 'carol@example.org');
    expect(await ada.ask('POST', '/api/v1/auth/sign-out', { all: true })).toMatchObject({
      status: 422,
      json: { message: 'all: is not a known key' },
    });
  });
});
