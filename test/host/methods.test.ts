import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, GatewayError } from '../../src/index.js';
import { expectConforms } from '../helpers/conforms.js';
import { expressRows, type RunningHost, startHost } from '../helpers/host.js';
import { listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user' as const, content: 'Say hello' }];
const asked = { models: ['local/m'], messages };
const alice = { 'x-user': 'alice' };
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

let upstream: Upstream;
let gateway: Gateway;
let host: RunningHost;
beforeEach(async () => {
  upstream = await startUpstream();
  gateway = createGateway(
    {
      auth: { keys: [{ name: 'test', key: 'sk_mounted', scopes: ['admin'] }] },
      providers: { local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: { 'local/m': { inputPrice: 1, outputPrice: 2 }, 'local/other': {} },
    },
    {
      env: {},
      identify: ({ headers }) =>
        typeof headers['x-user'] === 'string'
          ? { account: headers['x-user'], scopes: ['completions', 'model-select', 'admin'] }
          : null,
    },
  );
  host = await startHost(expressRows[1][1]().use(gateway.router));
});
afterEach(async () => {
  await host.close();
  await gateway.close();
  await upstream.close();
});

const complete = (headers: Record<string, string>, body: object = asked): Promise<Reply> =>
  post(`${host.url}/api/v1/completions`, body, headers);
const read = async (path: string, headers: Record<string, string>): Promise<unknown> =>
  (await ask('GET', `${host.url}/api/v1${path}`, headers)).json;

/** Fields as a host in JavaScript may give them: no compiler compares them with a type. */
const untyped = (fields: object): never => fields as never;

/** What a method fails with; fails the test if it does not. */
async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
  const failure: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof GatewayError)) throw new Error(`not refused: ${String(failure)}`);
  return failure;
}

describe('gateway.keys', () => {
  it("issues a key for a user of the host's, limits, changes, rotates and revokes it", async () => {
    const { key, ...issued } = await gateway.keys.create({
      account: 'host:alice',
      name: 'laptop',
      models: ['local/m'],
      limits: { requestsPerMinute: 5 },
      expiresAt: '2999-01-01T00:00:00Z',
    });
    expectConforms('key.response', { ...issued, key });
    expect(issued).toMatchObject({
      accountId: 'host:alice',
      scopes: ['completions', 'model-select'],
      limits: { requestsPerMinute: 5, dayBudgetUsd: null },
      expiresAt: '2999-01-01T00:00:00.000Z',
    });
    expect((await complete(bearer(key))).status).toBe(200);
    expect((await complete(bearer(key), { ...asked, models: ['local/other'] })).status).toBe(422);
    const { id } = issued;

    const changed = await gateway.keys.update({
      id,
      models: null,
      limits: { tokensPerMinute: 1e9 },
    });
    expect(changed).toMatchObject({
      name: 'laptop',
      models: null,
      limits: { requestsPerMinute: 5, tokensPerMinute: 1e9 },
    });
    expect(await gateway.keys.get({ id })).toEqual({
      ...changed,
      lastUsedAt: expect.toSatisfy((at) => at === null || typeof at === 'string'),
    });
    expect((await complete(bearer(key), { ...asked, models: ['local/other'] })).status).toBe(200);

    const rotated = await gateway.keys.rotate({ id, overlapSeconds: 0 });
    expect((await complete(bearer(key))).status).toBe(401);
    expect((await complete(bearer(rotated.key))).status).toBe(200);

    await gateway.keys.revoke({ id });
    await gateway.keys.revoke({ id });
    expect((await complete(bearer(rotated.key))).status).toBe(401);
    expect((await gateway.keys.list({ account: 'host:alice' })).items).toMatchObject([
      { id, revokedAt: expect.any(String) },
    ]);
  });

  it('reaches the keys of all accounts, or only those of the one that it is given', async () => {
    const mine = await gateway.keys.create({ account: 'host:alice', name: 'a' });
    const other = await gateway.keys.create({ account: 'host:bob', name: 'b' });
    const first = await gateway.keys.list({ limit: 1 });
    const rest = await gateway.keys.list({ limit: 1, cursor: first.next });
    expect([...first.items, ...rest.items].map(({ id }) => id).sort()).toEqual(
      [mine.id, other.id].sort(),
    );
    expect((await gateway.keys.list({ account: 'host:bob' })).items).toMatchObject([{ name: 'b' }]);
    const theirs = { id: other.id, account: 'host:alice' };
    for (const work of [
      gateway.keys.get(theirs),
      gateway.keys.update({ ...theirs, name: 'mine' }),
      gateway.keys.rotate(theirs),
      gateway.keys.revoke(theirs),
    ])
      expect(await failureOf(work)).toMatchObject({ statusCode: 404, code: 'not_found' });
    expect(await gateway.keys.get({ id: other.id })).toMatchObject({ name: 'b', revokedAt: null });
  });

  it('refuses what the HTTP route refuses, and an account that there is not', async () => {
    const account = 'host:alice';
    const named = async (work: Promise<unknown>): Promise<unknown> => {
      const { statusCode, field } = await failureOf(work);
      return [statusCode, field];
    };
    expect(await named(gateway.keys.create({ account, name: '' }))).toEqual([422, 'name']);
    const misspelt = { account, name: 'a', limits: { rpm: 3 } };
    expect(await named(gateway.keys.create(untyped(misspelt)))).toEqual([422, 'limits[rpm]']);
    const leap = { account, name: 'a', expiresAt: '2016-12-31T23:59:60Z' };
    expect(await named(gateway.keys.create(leap))).toEqual([422, 'expiresAt']);
    expect(await named(gateway.keys.create({ account: 'alice', name: 'a' }))).toEqual([
      404,
      'account',
    ]);
    expect(await named(gateway.keys.list({ limit: 101 }))).toEqual([422, 'limit']);
    expect(await named(gateway.keys.list(untyped({ acount: account })))).toEqual([400, 'acount']);
    expect((await gateway.keys.list()).items).toEqual([]);
  });

  it('does not take an account that was lost on the way for all accounts', async () => {
    const { id } = await gateway.keys.create({ account: 'host:bob', name: 'b' });
    const lost: { account?: string } = { account: undefined };
    for (const work of [
      gateway.keys.list(lost),
      gateway.keys.revoke({ id, ...lost }),
      gateway.usage(lost),
    ])
      expect(await failureOf(work)).toMatchObject({ statusCode: 422, field: 'account' });
  });

  it('is in the audit log, as acts of the host', async () => {
    const { id } = await gateway.keys.create({ account: 'fixed:test', name: 'ci' });
    await gateway.keys.update({ id, name: 'build' });
    await gateway.keys.revoke({ id });
    const rows = listAt(await read('/audit', bearer('sk_mounted')), 'items');
    expect(rows).toMatchObject([
      { act: 'key.revoke', target: id, actor: 'host' },
      { act: 'key.change', target: id, actor: 'host', details: { name: 'build' } },
      { act: 'key.create', target: id, actor: 'host', accountId: 'fixed:test', address: null },
    ]);
    for (const row of rows) expectConforms('audit.response', row);
  });
});

describe('gateway.accounts', () => {
  it('lists the accounts that the gateway stores, limits and disables them', async () => {
    const { items } = await gateway.accounts.list();
    expect(items).toMatchObject([{ email: null, role: 'admin', disabledAt: null }]);
    const id = items[0]?.id ?? '';
    expect(await gateway.accounts.get({ id })).toEqual(items[0]);
    const { key } = await gateway.keys.create({ account: id, name: 'first' });
    expect((await complete(bearer(key))).status).toBe(200);
    const limits = { requestsPerMinute: 1 };
    expect(await gateway.accounts.update({ id, limits })).toMatchObject({ limits });
    expect((await complete(bearer(key))).status).toBe(200);
    expect((await complete(bearer(key))).status).toBe(429);
    expect(await failureOf(gateway.accounts.update({ id, disabled: true }))).toMatchObject({
      statusCode: 409,
      message: 'this is the last administrator',
    });
    expect(await failureOf(gateway.accounts.update({ id }))).toMatchObject({ statusCode: 422 });
    expect(await failureOf(gateway.accounts.get({ id: 'host:alice' }))).toMatchObject({
      statusCode: 404,
    });
  });
});

describe('gateway.accounts, of data', () => {
  it("exports and deletes what a user of the host's has stored", async () => {
    await complete(alice);
    const { key } = await gateway.keys.create({ account: 'host:alice', name: 'laptop' });
    const objects: unknown[] = [];
    for await (const line of gateway.accounts.export({ id: 'host:alice' }))
      objects.push((JSON.parse(line) as { object: unknown }).object);
    const found = new Set(objects);
    for (const one of ['account', 'key', 'conversation', 'message', 'request'])
      expect(found, one).toContain(one);
    expect(objects.at(-1)).toBe('end');

    await gateway.accounts.delete({ id: 'host:alice' });
    expect((await complete(bearer(key))).status).toBe(401);
    expect((await gateway.conversations.list({ account: 'host:alice' })).items).toEqual([]);
    expect(await failureOf(gateway.accounts.delete({ id: 'host:alice' }))).toMatchObject({
      statusCode: 404,
      field: 'id',
    });
  });

  it('finds no account to export that there is not', async () => {
    const lines = gateway.accounts.export({ id: 'unknown' });
    await expect(lines[Symbol.asyncIterator]().next()).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('gateway.usage', () => {
  it('sums what was just asked, by what the host names', async () => {
    await complete(alice);
    await complete({ 'x-user': 'bob' });
    await complete({ 'x-user': 'bob' });
    expect((await gateway.usage({ by: ['account'] })).items).toMatchObject([
      { accountId: 'host:alice', requests: 1 },
      { accountId: 'host:bob', requests: 2 },
    ]);
    const dayMs = 86_400_000;
    const today = new Date();
    const bobs = await gateway.usage({
      account: 'host:bob',
      by: ['day', 'model'],
      from: new Date(today.getTime() - dayMs),
      to: today.getTime() + dayMs,
    });
    expectConforms('usage.response', bobs);
    expect(bobs.items).toMatchObject([{ provider: 'local', model: 'm', requests: 2, errors: 0 }]);
    expect(bobs).toEqual(
      await read(`/usage?by=day,model&from=${bobs.from}&to=${today.getTime() + dayMs}`, {
        'x-user': 'bob',
      }),
    );
    expect((await gateway.usage({ model: 'local/other' })).items).toEqual([]);
  });

  it('refuses a grouping, a time or a filter that there is not', async () => {
    const wrong: Record<string, unknown>[] = [
      { by: ['week'] },
      { from: new Date(NaN) },
      { from: '2026-13-01' },
      { key: 'unknown' },
      { limit: 1001 },
    ];
    for (const question of wrong)
      expect(await failureOf(gateway.usage(question))).toMatchObject({
        statusCode: 422,
        field: Object.keys(question)[0],
      });
    expect(await failureOf(gateway.usage(untyped({ modle: 'local/m' })))).toMatchObject({
      statusCode: 400,
    });
  });
});

describe('gateway.conversations', () => {
  it('lists, reads, renames and deletes those of one account', async () => {
    const account = 'host:alice';
    const id = textAt((await complete(alice)).json, 'conversationId');
    expect((await gateway.conversations.list({ account })).items).toMatchObject([
      { id, title: 'Say hello' },
    ]);
    const whole = await gateway.conversations.get({ account, id });
    expect(whole).toEqual(await read(`/conversations/${id}`, alice));
    expect(whole.messages.items.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const start = await gateway.conversations.get({ account, id, limit: 1 });
    expect(start.messages.items).toHaveLength(1);
    expect(await gateway.conversations.rename({ account, id, title: 'Greeting' })).toMatchObject({
      title: 'Greeting',
      titleSource: 'given',
    });
    const asBob = { account: 'host:bob', id };
    for (const work of [
      gateway.conversations.get(asBob),
      gateway.conversations.rename({ ...asBob, title: 'Mine' }),
      gateway.conversations.delete(asBob),
    ])
      expect(await failureOf(work)).toMatchObject({ statusCode: 404 });
    expect(
      await failureOf(gateway.conversations.rename({ account, id, title: 'a\nb' })),
    ).toMatchObject({ statusCode: 422, field: 'title' });
    expect(await read('/conversations', alice)).toMatchObject({ items: [{ title: 'Greeting' }] });
    await gateway.conversations.delete({ account, id });
    expect((await gateway.conversations.list({ account })).items).toEqual([]);
    expect((await complete(alice, { ...asked, conversationId: id })).status).toBe(404);
  });
});

describe('gateway.preferences', () => {
  it("creates, changes and deletes those of an account, which the account's requests use", async () => {
    const account = 'host:alice';
    const made = await gateway.preferences.create({ account, name: 'Other', exclude: ['local/m'] });
    const { id } = made;
    expectConforms('preference.response', made);
    const choose = async (): Promise<unknown> =>
      (
        await post(
          `${host.url}/api/v1/model-select`,
          {
            messages,
            llm_providers: [{ name: 'local/m' }, { name: 'local/other' }],
            preference_id: id,
          },
          alice,
        )
      ).json;
    expect(await choose()).toMatchObject({ llm_label: 'local/other' });
    const exclude = ['local/other'];
    const changed = await gateway.preferences.update({ account, id, exclude });
    expect(changed).toMatchObject({ name: 'Other', exclude });
    expect(await choose()).toMatchObject({ llm_label: 'local/m' });
    expect(await gateway.preferences.get({ account, id })).toEqual(changed);
    expect((await gateway.preferences.list({ account })).items).toEqual([changed]);
    expect((await gateway.preferences.list({ account: 'host:bob' })).items).toEqual([]);
    const asBob = { account: 'host:bob', id };
    for (const work of [
      gateway.preferences.get(asBob),
      gateway.preferences.update({ ...asBob, name: 'Mine' }),
      gateway.preferences.delete(asBob),
    ])
      expect(await failureOf(work)).toMatchObject({ statusCode: 404 });
    expect(
      await failureOf(gateway.preferences.update({ account, id, exploration: 3 })),
    ).toMatchObject({ statusCode: 422, field: 'exploration' });
    await gateway.preferences.delete({ account, id });
    expect((await gateway.preferences.list({ account })).items).toEqual([]);
  });
});

describe('gateway.shadowing', () => {
  it("says and changes whether a user's completions may be sent to a second model", async () => {
    const account = 'host:alice';
    const refused = { object: 'shadowing', allowed: false, share: 0 };
    expect(await gateway.shadowing.get({ account })).toEqual({ ...refused, allowed: true });
    expect(await gateway.shadowing.update({ account, allowed: false })).toEqual(refused);
    expect(await read('/savings/shadowing', alice)).toEqual(refused);
    expect((await gateway.shadowing.get({ account: 'host:bob' })).allowed).toBe(true);

    const lines: string[] = [];
    for await (const line of gateway.accounts.export({ id: account })) lines.push(line);
    expect(lines).toContain('{"object":"shadowing","allowed":false}\n');

    await gateway.shadowing.update({ account, allowed: true });
    expect(await read('/savings/shadowing', alice)).toEqual({ ...refused, allowed: true });
  });

  it('refuses what it does not know', async () => {
    const account = 'host:alice';
    expect(await failureOf(gateway.shadowing.get(untyped({})))).toMatchObject({ field: 'account' });
    expect(
      await failureOf(gateway.shadowing.update(untyped({ account, allowed: 'no' }))),
    ).toMatchObject({ field: 'allowed' });
  });
});
