import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFirstKey } from '../../src/accounts/first-key.js';
import { quietDatabases } from '../helpers/quiet-databases.js';
import type { LazyDatabases } from '../../src/store/lazy-databases.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

let upstream: Upstream;
let folder: string;
let gateway: RunningGateway;
/** A second process on the same database. */
let other: RunningGateway;
/** The administrator's. */
let admin: { authorization: string };

const backing = (): LazyDatabases => quietDatabases(`file:${join(folder, 'signalbox.db')}`, 2);
const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-keys-'));
  upstream = await startUpstream();
  const config = {
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    auth: {
      keys: [
        { name: 'one', key: 'sk_one' },
        { name: 'two', key: 'sk_two' },
        { name: 'tools', key: 'sk_tools', toolkits: ['files', 'git*'] },
        { name: 'plain', key: 'sk_plain', scopes: ['completions' as const] },
      ],
    },
  };
  const first = backing();
  await makeFirstKey((await first.get()).store, 'sk_first');
  admin = bearer('sk_first');
  gateway = await startGateway(config, { databases: first });
  other = await startGateway(config, { databases: backing() });
});
afterAll(async () => {
  await Promise.all([gateway.close(), other.close(), upstream.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const keys = (
  path = '',
  headers: Record<string, string> = bearer('sk_one'),
  at = gateway,
): Promise<Reply> => ask('GET', `${at.url}/api/v1/keys${path}`, headers);
const make = (body: object, headers: Record<string, string> = bearer('sk_one')): Promise<Reply> =>
  post(`${gateway.url}/api/v1/keys`, body, headers);
const change = (
  id: string,
  body: object,
  headers: Record<string, string> = bearer('sk_one'),
): Promise<Reply> => ask('PATCH', `${gateway.url}/api/v1/keys/${id}`, headers, body);
const revoke = (id: string, headers: Record<string, string> = bearer('sk_one')): Promise<Reply> =>
  ask('DELETE', `${gateway.url}/api/v1/keys/${id}`, headers);
const complete = (key: string, at = gateway, model = 'up/m'): Promise<Reply> =>
  post(
    `${at.url}/v1/chat/completions`,
    { model, messages: [{ role: 'user', content: 'Hi' }] },
    bearer(key),
  );
const select = (key: string): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/model-select`,
    { messages: [{ role: 'user', content: 'Hi' }], llm_providers: [{ name: 'up/m' }] },
    bearer(key),
  );

describe('the toolkits of an API key', () => {
  it('are named, changed and removed by an administrator', async () => {
    const { json } = await make({ name: 'tools', toolkits: ['files', 'git*'] }, admin);
    expect(json).toMatchObject({ toolkits: ['files', 'git*'] });
    const id = textAt(json, 'id');
    const changed = await change(id, { toolkits: ['*'] }, admin);
    expect(changed.json).toMatchObject({ toolkits: ['*'] });
    expectConforms('key.response', changed.json);
    expect((await change(id, { name: 'same' }, admin)).json).toMatchObject({ toolkits: ['*'] });
    expect((await change(id, { toolkits: null }, admin)).json).toMatchObject({ toolkits: [] });
  });

  it.each([
    ['files', 201],
    ['github', 201],
    ['git*', 201],
    ['gi*', 403],
    ['*', 403],
    ['shop', 403],
  ])('are, for %s and others, those that its maker may use (%s)', async (glob, status) => {
    const made = await make({ name: 'some', toolkits: [glob] }, bearer('sk_tools'));
    expect(made.status).toBe(status);
    const { json } = await make({ name: 'plain' }, bearer('sk_tools'));
    const changed = await change(textAt(json, 'id'), { toolkits: [glob] }, bearer('sk_tools'));
    expect(changed.status).toBe(status === 201 ? 200 : 403);
  });

  it('are names or globs', async () => {
    expect((await make({ name: 'odd', toolkits: ['Files/x'] }, admin)).json).toMatchObject({
      message: 'toolkits[0]: must be the name or glob of a toolkit',
    });
  });
});

describe('an API key', () => {
  it('is shown once, with at least 160 random bits, and is good at once', async () => {
    const { status, json, headers } = await make({ name: 'shop' });
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expectConforms('key.response', json);
    const key = textAt(json, 'key');
    expect(key).toMatch(/^sk_[\w-]{27,}$/);
    expect(json).toMatchObject({
      name: 'shop',
      prefix: key.slice(0, 11),
      scopes: ['completions', 'model-select'],
      models: null,
      toolkits: [],
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect((await complete(key)).status).toBe(200);
    const listed = await keys();
    expectConforms('key.response', listAt(listed.json, 'items')[0]);
    expect(listed.text).not.toContain(key);
    expect((await keys(`/${textAt(json, 'id')}`)).text).not.toContain(key);
  });

  it('is good at once on another replica, and soon revoked there', async () => {
    const { json } = await make({ name: 'far' });
    const key = textAt(json, 'key');
    expect((await complete(key, other)).status).toBe(200);
    expect((await revoke(textAt(json, 'id'))).status).toBe(204);
    expect((await complete(key)).status).toBe(401);
    await until(async () => (await complete(key, other)).status === 401);
    expect(at((await keys(`/${textAt(json, 'id')}`)).json, 'revokedAt')).not.toBeNull();
  });

  it('stays revoked', async () => {
    const { json } = await make({ name: 'gone' });
    await revoke(textAt(json, 'id'));
    expect((await revoke(textAt(json, 'id'))).status).toBe(204);
    expect((await change(textAt(json, 'id'), { expiresAt: null, name: 'back' })).status).toBe(200);
    expect((await complete(textAt(json, 'key'))).status).toBe(401);
  });

  it('ends when it expires', async () => {
    const soon = await make({
      name: 'short',
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    expect((await complete(textAt(soon.json, 'key'))).status).toBe(200);
    await change(textAt(soon.json, 'id'), { expiresAt: new Date(Date.now() - 1).toISOString() });
    expect((await complete(textAt(soon.json, 'key'))).status).toBe(401);
    const past = await make({ name: 'past', expiresAt: '2020-01-01T00:00:00Z' });
    expect((await complete(textAt(past.json, 'key'))).status).toBe(401);
  });

  it('does not expire at a time that cannot be read', async () => {
    const refused = { status: 422, json: { message: 'expiresAt: must be a valid date-time' } };
    expect(await make({ name: 'leap', expiresAt: '2099-12-31T23:59:60Z' })).toMatchObject(refused);
    const id = textAt((await make({ name: 'whole' })).json, 'id');
    expect(await change(id, { expiresAt: '2099-12-31T23:59:60Z' })).toMatchObject(refused);
    expect((await keys(`/${id}`)).json).toMatchObject({ expiresAt: null });
  });

  it('may be used for its scopes only', async () => {
    const chooser = textAt((await make({ name: 'chooser', scopes: ['model-select'] })).json, 'key');
    expect((await select(chooser)).status).toBe(200);
    expect(await complete(chooser)).toMatchObject({
      status: 403,
      json: { error: { type: 'permission_error' } },
    });
    expect((await keys('', bearer(chooser))).status).toBe(403);
    const completer = textAt(
      (await make({ name: 'completer', scopes: ['completions'] })).json,
      'key',
    );
    expect((await select(completer)).status).toBe(403);
    expect((await make({ name: 'more' }, bearer(completer))).status).toBe(403);
    expect((await make({ name: 'more' }, bearer('sk_plain'))).status).toBe(403);
  });

  it('reaches its models alone, as changed while it is in use', async () => {
    const { json } = await make({ name: 'bound', models: ['up/good*'] });
    const key = textAt(json, 'key');
    expect((await complete(key, gateway, 'up/good-1')).status).toBe(200);
    expect((await complete(key)).status).toBe(400);
    await change(textAt(json, 'id'), { models: null });
    expect((await complete(key)).status).toBe(200);
  });

  it('keeps what a change does not name, and loses what it names as null', async () => {
    const { json } = await make({
      name: 'limited',
      limits: { requestsPerMinute: 5, dayBudgetUsd: 2.5 },
    });
    const id = textAt(json, 'id');
    expect(
      at(
        (await change(id, { limits: { tokensPerMinute: 100, dayBudgetUsd: null } })).json,
        'limits',
      ),
    ).toEqual({
      requestsPerMinute: 5,
      tokensPerMinute: 100,
      dayBudgetUsd: null,
      monthBudgetUsd: null,
    });
    expect(at((await change(id, { limits: null })).json, 'limits')).toEqual({
      requestsPerMinute: null,
      tokensPerMinute: null,
      dayBudgetUsd: null,
      monthBudgetUsd: null,
    });
    expect(at((await change(id, { name: 'renamed' })).json, 'name')).toBe('renamed');
  });

  it.each([
    [{}, 'name: is required'],
    [{ name: '' }, 'name: must not be empty'],
    [{ name: 'a\u0000b' }, 'name: must be a name without control characters'],
    [
      { name: 'x', scopes: ['everything'] },
      'scopes[0]: must be one of: completions, model-select, admin',
    ],
    [{ name: 'x', scopes: [] }, 'scopes: must have at least 1 item'],
    [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt: must be a valid date-time'],
    [
      { name: 'x', limits: { requestsPerMinute: 0 } },
      'limits[requestsPerMinute]: must be between 1 and 1000000000',
    ],
    [
      { name: 'x', limits: { dayBudgetUsd: -1 } },
      'limits[dayBudgetUsd]: must be between 0 and 1000000',
    ],
    [{ name: 'x', budget: 5 }, 'budget: is not a known key'],
  ])('%j is refused: %s', async (body, message) => {
    expect(await make(body)).toMatchObject({
      status: 422,
      json: { error: 'Validation Error', message },
    });
  });

  it('of another account does not exist', async () => {
    const id = textAt((await make({ name: 'mine' })).json, 'id');
    const two = bearer('sk_two');
    for (const reply of [
      await keys(`/${id}`, two),
      await change(id, { name: 'yours' }, two),
      await revoke(id, two),
      await keys('/nothing', two),
    ])
      expect(reply).toMatchObject({ status: 404, json: { error: 'Not Found' } });
    expect(listAt((await keys('', two)).json, 'items')).toEqual([]);
    expect((await keys('?account=all', two)).status).toBe(403);
    expect(textAt((await keys(`/${id}`)).json, 'name')).toBe('mine');
  });

  it("of any account is in an administrator's reach", async () => {
    const { json } = await make({ name: 'watched' });
    expect(textAt((await keys(`/${textAt(json, 'id')}`, admin)).json, 'name')).toBe('watched');
    expect((await keys('?account=all&limit=100', admin)).text).toContain('watched');
    expect((await keys('', admin)).text).not.toContain('watched');
    expect((await revoke(textAt(json, 'id'), admin)).status).toBe(204);
    expect((await complete(textAt(json, 'key'))).status).toBe(401);
  });

  it('is listed page by page, newest first', async () => {
    for (const name of ['p1', 'p2', 'p3']) await make({ name }, bearer('sk_two'));
    const names: string[] = [];
    let cursor = '';
    do {
      const { json } = await keys(
        `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
        bearer('sk_two'),
      );
      names.push(...listAt(json, 'items').map((item) => textAt(item, 'name')));
      cursor = textAt(json, 'next');
    } while (cursor !== '');
    expect(names.sort()).toEqual(['p1', 'p2', 'p3']);
    expect((await keys('?limit=0')).status).toBe(422);
    expect((await keys('?limit=101')).status).toBe(422);
    expect((await keys('?cursor=nonsense')).status).toBe(400);
  });
});

describe('checking a key', () => {
  it('that is known goes on while the database is away', async () => {
    const own = backing();
    const third = await startGateway(
      { providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } } },
      { databases: own },
    );
    const key = textAt((await make({ name: 'cached' })).json, 'key');
    expect((await complete(key, third)).status).toBe(200);
    await (await own.get()).store.close();
    expect((await complete(key, third)).status).toBe(200);
    await third.close();
  });
});
