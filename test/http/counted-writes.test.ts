import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administratorOf, type Browser } from '../helpers/browser.js';
import { changes, pathOf, rowsOf } from '../helpers/endpoints.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { ask, type Reply } from '../helpers/sse.js';

let gateway: RunningGateway;
let admin: Browser;
beforeAll(async () => {
  gateway = await startGateway();
  admin = await administratorOf(gateway, 'admin@example.org');
});
afterAll(() => gateway.close());

const scopes = ['completions', 'model-select', 'admin'] as const;
let accounts = 0;

/** A key of a new account, which may send so many requests a minute. */
async function keyWith(requestsPerMinute: number): Promise<{ key: string; keyId: string }> {
  const email = `bob${++accounts}@example.org`;
  const { json } = await admin.ask('POST', '/api/v1/accounts', { email });
  const account = textAt(json, 'account', 'id');
  const { id: keyId, key } = await gateway.gateway.keys.create({ account, name: 'bob', scopes });
  const limited = await admin.ask('PATCH', `/api/v1/accounts/${account}`, {
    limits: { requestsPerMinute },
  });
  expect(limited.status).toBe(200);
  return { key, keyId };
}
const call = (key: string, method: string, path: string, body?: object): Promise<Reply> =>
  ask(method, gateway.url + path, { authorization: `Bearer ${key}` }, body);

describe('the requests a minute of an account', () => {
  const counted = changes.filter(({ isUncounted }) => !isUncounted);

  it.each(rowsOf(counted))('bound %s %s', async (method, _path, one) => {
    const [path, body] = [pathOf(one), method === 'DELETE' ? undefined : (one.example ?? {})];
    const { key } = await keyWith(1);
    const first = await call(key, method, path, body);
    expect(first.status).not.toBe(429);
    expect(first.headers['x-ratelimit-remaining-requests']).toBe('0');
    const second = await call(key, method, path, body);
    expect(second.status).toBe(429);
    expect(second.text).toContain('limits: this account may use 1 requests a minute');
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('bound no reads, and no revocation of a key', async () => {
    const { key, keyId } = await keyWith(1);
    expect((await call(key, 'POST', '/api/v1/preferences', { name: 'mine' })).status).toBe(201);
    expect((await call(key, 'POST', '/api/v1/preferences', { name: 'mine' })).status).toBe(429);
    for (const path of ['keys', 'preferences', 'conversations', 'feedback', 'usage', 'audit'])
      expect((await call(key, 'GET', `/api/v1/${path}`)).status, path).toBe(200);
    expect((await call(key, 'DELETE', `/api/v1/keys/${keyId}`)).status).toBe(204);
    expect((await call(key, 'GET', '/api/v1/keys')).status).toBe(401);
  });
});
