import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFirstKey } from '../../src/accounts/first-key.js';
import { quietDatabases } from '../helpers/quiet-databases.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt, textAt } from '../helpers/json.js';
import { ask, type Reply } from '../helpers/sse.js';

let gateway: RunningGateway;
/** The administrator's. */
let admin: { authorization: string };
const member = { authorization: 'Bearer sk_member' };

beforeAll(async () => {
  const databases = quietDatabases();
  await makeFirstKey((await databases.get()).store, 'sk_first');
  admin = { authorization: 'Bearer sk_first' };
  gateway = await startGateway(
    { auth: { keys: [{ name: 'member', key: 'sk_member', scopes: ['admin'] }] } },
    { databases },
  );
});
afterAll(() => gateway.close());

const call = (method: string, path: string, headers: object, body?: object): Promise<Reply> =>
  ask(
    method,
    `${gateway.url}/api/v1${path}`,
    { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body && JSON.stringify(body),
  );
async function acts(headers: object, query = ''): Promise<Record<string, unknown>[]> {
  const reply = await call('GET', `/audit${query}`, headers);
  expect(reply.status).toBe(200);
  const items = listAt(reply.json, 'items') as Record<string, unknown>[];
  for (const item of items) expectConforms('audit.response', item);
  return items;
}

describe('the audit log', () => {
  it('says who created, changed and revoked a key, when, and from where, without the key', async () => {
    const created = await call('POST', '/keys', member, {
      name: 'ci',
      limits: { dayBudgetUsd: 5 },
    });
    const id = textAt(created.json, 'id');
    await call('PATCH', `/keys/${id}`, member, { name: 'build' });
    await call('PATCH', `/keys/${id}`, member, { name: 7 });
    await call('DELETE', `/keys/${id}`, member);
    await call('DELETE', `/keys/${id}`, member);
    const rows = (await acts(member)).filter(({ target }) => target === id);
    expect(rows.map(({ act, details }) => [act, details])).toEqual([
      ['key.revoke', null],
      ['key.change', { name: 'build' }],
      ['key.create', expect.objectContaining({ name: 'ci', scopes: expect.any(Array) })],
    ]);
    expect(rows[0]).toMatchObject({
      accountId: 'fixed:member',
      actor: 'member',
      actorAccountId: 'fixed:member',
      actorKeyId: 'fixed:member',
      address: '127.0.0.1',
    });
    expect(JSON.stringify(rows)).not.toContain(textAt(created.json, 'key'));
  });

  it('shows an account its own acts and those on its keys, an administrator those of all', async () => {
    const created = await call('POST', '/keys', member, { name: 'seen' });
    const id = textAt(created.json, 'id');
    await call('DELETE', `/keys/${id}`, admin);
    expect((await acts(member)).filter(({ target }) => target === id)).toMatchObject([
      { act: 'key.revoke', actor: 'first' },
      { act: 'key.create', actor: 'member' },
    ]);
    expect((await acts(admin, '?account=all&act=key.revoke'))[0]).toMatchObject({ target: id });
    await call('POST', '/keys', admin, { name: 'hidden' });
    expect(JSON.stringify(await acts(member))).not.toContain('hidden');
    expect((await call('GET', '/audit?account=all', member)).status).toBe(403);
  });

  it("says what an administrator changed of an account's rights", async () => {
    const { json } = await call('POST', '/accounts', admin, { email: 'ann@example.org' });
    const id = textAt(json, 'account', 'id');
    await call('PATCH', `/accounts/${id}`, admin, { disabled: true });
    expect((await call('PATCH', `/accounts/${id}`, admin, { role: 'owner' })).status).toBe(422);
    expect(await acts(admin, `?account=${id}&act=account.change`)).toMatchObject([
      { act: 'account.change', accountId: id, target: id, details: { disabled: true } },
    ]);
  });

  it('refuses acts that there are not, and keys without the scope', async () => {
    expect(await call('GET', '/audit?act=key.steal', admin)).toMatchObject({
      status: 422,
      json: { message: expect.stringMatching(/^act: must be one of: account\.claim, /) },
    });
    expect((await call('GET', '/audit', {})).status).toBe(401);
  });
});
