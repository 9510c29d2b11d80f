import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import type { Store } from '../../src/store/contracts/store.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { administratorOf, Browser, goodPassword, signedUp } from '../helpers/browser.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { addRow, tablesOfAccounts, tablesWithRows } from '../helpers/account-tables.js';
import { type Place, storeRowsOfRun } from '../helpers/stores.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

/** Node's client sends the body of a DELETE only with its length. */
const lengthOf = (body: object | undefined): Record<string, string> =>
  body ? { 'content-length': String(Buffer.byteLength(JSON.stringify(body))) } : {};
const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });

describe.each(storeRowsOfRun)('an account on $name', (row) => {
  let upstream: Upstream;
  let place: Place;
  let store: Store;
  let gateway: RunningGateway;
  let admin: Browser;
  beforeAll(async () => {
    upstream = await startUpstream();
    place = await row.place();
    store = await place.open();
    gateway = await startGateway(
      {
        providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
        auth: { keys: [{ name: 'fixed', key: 'sk_fixed' }] },
        requestLog: { content: true },
      },
      {
        databases: new LazyDatabases(
          () => Promise.resolve({ store, counters: createMemoryCounters() }),
          false,
        ),
      },
    );
    admin = await administratorOf(gateway, 'admin@example.org');
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
    await place.remove();
  });

  const api = (method: string, path: string, key: string, body?: object): Promise<Reply> =>
    ask(method, `${gateway.url}/api/v1${path}`, bearer(key), body);
  const text = 'the blue whale';

  /** Holds a conversation, rates it, and has a preference and a key, each with `text` in it. */
  async function use(key: string): Promise<string> {
    const own = textAt((await api('POST', '/keys', key, { name: text })).json, 'key');
    await api('POST', '/preferences', key, { name: text });
    const completed = await post(
      `${gateway.url}/api/v1/completions`,
      { messages: [{ role: 'user', content: text }], models: ['up/m'] },
      bearer(key),
    );
    const response_id = textAt(completed.json, 'responseMessageId');
    await api('POST', '/feedback', key, { response_id, score: 1, comment: text });
    await post(
      `${gateway.url}/api/v1/model-select`,
      { messages: [{ role: 'user', content: text }], llm_providers: [{ name: 'up/m' }] },
      bearer(key),
    );
    return own;
  }
  /** A person's account with data: its browser, id and key of all scopes. */
  async function person(email: string): Promise<{ browser: Browser; id: string; key: string }> {
    const browser = await signedUp(gateway.url, email);
    const id = textAt((await browser.account()).json, 'account', 'id');
    const scopes = ['completions', 'model-select', 'admin'];
    const made = await browser.ask('POST', '/api/v1/keys', { name: text, scopes });
    const key = textAt(made.json, 'key');
    await use(key);
    return { browser, id, key };
  }
  /** All that an export has, by what it is. */
  async function exported(reply: Reply): Promise<Map<string, Record<string, unknown>[]>> {
    expect(reply.status).toBe(200);
    const lines = reply.text.trimEnd().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.at(-1)).toEqual({ object: 'end' });
    const byObject = new Map<string, Record<string, unknown>[]>();
    for (const one of rows) {
      const name = String(one['object']);
      byObject.set(name, [...(byObject.get(name) ?? []), one]);
    }
    return byObject;
  }
  const exportOf = (id: string, by: Browser): Promise<Reply> =>
    by.ask('GET', `/api/v1/accounts/${id}/export`);

  it('exports all that it has, without a password and secrets of keys', async () => {
    const { browser, id, key } = await person('export@example.org');
    const reply = await exportOf(id, browser);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/jsonl; charset=utf-8',
      'content-disposition': 'attachment; filename="account.jsonl"',
      'cache-control': 'no-store',
    });
    const rows = await exported(reply);
    expect(rows.get('account')).toMatchObject([
      { id, email: 'export@example.org', createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect(rows.get('key')).toHaveLength(2);
    expect(rows.get('preference')).toMatchObject([{ name: text }]);
    expect(rows.get('conversation')).toMatchObject([{ title: text, messageCount: 2 }]);
    expect(rows.get('message')?.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(
      rows
        .get('request')
        ?.map(({ surface }) => surface)
        .sort(),
    ).toEqual(['completions', 'model_select']);
    expect(JSON.stringify(rows.get('request'))).toContain(text);
    expect(rows.get('feedback')).toMatchObject([{ score: 1, comment: text }]);
    expect(rows.get('decision')).toHaveLength(1);
    expect(rows.get('usage')?.length).toBeGreaterThan(0);
    const record = await store.accounts.find(id);
    for (const secret of [record?.passwordHash ?? '-', key, 'hash'])
      expect(reply.text).not.toContain(secret);
    expect(textAt((await api('GET', '/audit?limit=1', key)).json, 'items', 0, 'act')).toBe(
      'account.export',
    );
  });

  it('exports nothing that was said for an administrator or a key that cannot read it, and nothing for others', async () => {
    const { browser, id } = await person('private@example.org');
    const stranger = await signedUp(gateway.url, 'stranger@example.org');
    expect((await exportOf(id, stranger)).status).toBe(404);
    const narrow = await browser.ask('POST', '/api/v1/keys', { name: 'n', scopes: ['admin'] });
    const replies = [
      await exportOf(id, admin),
      await api('GET', `/accounts/${id}/export`, textAt(narrow.json, 'key')),
    ];
    for (const reply of replies) {
      const rows = await exported(reply);
      expect(rows.get('conversation') ?? rows.get('message')).toBeUndefined();
      for (const own of ['preference', 'decision', 'feedback'])
        expect(rows.get(own), own).toBeUndefined();
      // the log keeps content here, and its rows are there without it
      expect(rows.get('request')).toHaveLength(2);
      expect(rows.get('usage')?.length).toBeGreaterThan(0);
      expect(JSON.stringify(rows.get('request'))).not.toContain(text);
    }
    expect((await exportOf('unknown', admin)).status).toBe(404);
  });

  it('is deleted by an administrator with its keys, sign-ins and data, and its usage stays without it', async () => {
    const { browser, id, key } = await person('gone@example.org');
    const sums = async (): Promise<number> =>
      listAt((await admin.ask('GET', '/api/v1/usage?account=all&by=model')).json, 'items').reduce(
        (sum: number, item) => sum + (item as { requests: number }).requests,
        0,
      );
    const before = await sums();
    expect((await admin.ask('DELETE', `/api/v1/accounts/${id}`)).status).toBe(204);
    expect((await api('GET', '/keys', key)).status).toBe(401);
    expect((await browser.account()).status).toBe(401);
    expect((await browser.signIn('gone@example.org', goodPassword)).status).toBe(401);
    expect((await exportOf(id, admin)).status).toBe(404);
    expect(await sums()).toBe(before);
    const kept = async (path: string): Promise<string> =>
      (await admin.ask('GET', `/api/v1/${path}?account=${id}`)).text;
    for (const path of ['requests', 'usage', 'keys'])
      expect(await kept(path), path).not.toContain(text);
    expect(
      (await store.requests.usage({ accountId: id }, ['day'], { limit: 100, cursor: null })).items,
    ).toEqual([]);
    const act = await admin.ask('GET', '/api/v1/audit?account=all&act=account.delete&limit=1');
    expect(listAt(act.json, 'items')[0]).toMatchObject({ target: id, actor: 'admin@example.org' });
    expect((await admin.ask('DELETE', `/api/v1/accounts/${id}`)).status).toBe(404);
    // the address is free again
    expect((await (await signedUp(gateway.url, 'gone@example.org')).account()).status).toBe(200);
  });

  it('loses its rows in every table, but for the audit log and what says that keys, preferences and learnings are gone', async () => {
    const { id } = await person('everywhere@example.org');
    const database = place.connect();
    const tables = await tablesOfAccounts(database);
    for (const table of tables) await addRow(database, table, id);
    expect(await tablesWithRows(database, tables, id)).toEqual(tables.map(({ name }) => name));
    expect((await admin.ask('DELETE', `/api/v1/accounts/${id}`)).status).toBe(204);
    expect(await tablesWithRows(database, tables, id)).toEqual([
      'api_keys',
      'audit',
      'learnings',
      'preferences',
    ]);
  });

  it('is deleted by its owner with the password only, and by no other account', async () => {
    const { browser, id, key } = await person('owner@example.org');
    const remove = (by: Browser, body?: object): Promise<Reply> =>
      by.ask('DELETE', `/api/v1/accounts/${id}`, body, lengthOf(body));
    const stranger = await signedUp(gateway.url, 'other@example.org');
    expect((await remove(stranger, { password: goodPassword })).status).toBe(404);
    expect(await remove(browser)).toMatchObject({
      status: 403,
      json: { message: "password: the account's password is required" },
    });
    const wrong = { password: 'wrong' };
    const headers = { ...bearer(key), ...lengthOf(wrong) };
    expect(
      await ask('DELETE', `${gateway.url}/api/v1/accounts/${id}`, headers, wrong),
    ).toMatchObject({
      status: 403,
      json: { message: 'password: is wrong' },
    });
    expect((await browser.account()).status).toBe(200);
    expect((await remove(browser, { password: goodPassword })).status).toBe(204);
    expect(browser.cookie).toBe('');
    expect((await api('GET', '/keys', key)).status).toBe(401);
    expect(await store.accounts.find(id)).toBeNull();
  });

  it('of the last administrator stays', async () => {
    const id = textAt((await admin.account()).json, 'account', 'id');
    expect(await admin.ask('DELETE', `/api/v1/accounts/${id}`)).toMatchObject({
      status: 409,
      json: { message: 'this is the last administrator' },
    });
    expect((await admin.account()).status).toBe(200);
  });

  it('of a fixed key loses its data, and its issued keys; the fixed key keeps working', async () => {
    const issued = await use('sk_fixed');
    expect((await api('DELETE', '/accounts/fixed:fixed', 'sk_fixed')).status).toBe(403);
    expect((await admin.ask('DELETE', '/api/v1/accounts/fixed:fixed')).status).toBe(204);
    expect((await api('GET', '/auth/account', issued)).status).toBe(401);
    for (const path of ['/conversations', '/preferences', '/requests', '/feedback'])
      expect(listAt((await api('GET', path, 'sk_fixed')).json, 'items'), path).toEqual([]);
    expect((await api('GET', '/keys', 'sk_fixed')).text).not.toContain(text);
  });

  it('that was the first one cannot be claimed again when it is deleted', async () => {
    const other = await person('second@example.org');
    await admin.ask('PATCH', `/api/v1/accounts/${other.id}`, { role: 'admin' });
    const removed = await other.browser.ask('DELETE', `/api/v1/accounts/${firstAccountId}`);
    expect(removed.status).toBe(204);
    expect((await admin.account()).status).toBe(401);
    await expect(gateway.claimCode()).rejects.toThrow('this gateway has been claimed');
  });
});
