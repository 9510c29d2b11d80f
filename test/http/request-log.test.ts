import { createHmac, hash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/config.js';
import { openStore } from '../../src/store/open-store.js';
import { expectConforms } from '../helpers/conforms.js';
import { administratorOf } from '../helpers/browser.js';
import { databasesOfRun, type TestDatabase } from '../helpers/databases.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const marker = 'xylophone-quartz';
const messages = [{ role: 'user', content: `What is a ${marker}?` }];
const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const [one, two] = [bearer('sk_one'), bearer('sk_two')];

let upstream: Upstream;
let database: TestDatabase;
let gateway: RunningGateway;
let log: ReturnType<typeof keepingLogger>;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => upstream.script([]));
afterEach(() => gateway.close());

async function start(config: ConfigInput = {}): Promise<void> {
  log = keepingLogger();
  gateway = await startGateway(
    {
      providers: {
        up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-up' },
      },
      models: {
        'up/known': { inputPrice: 1, outputPrice: 2, quality: 1 },
        'up/other': { inputPrice: 1, outputPrice: 2, quality: 0.5 },
      },
      database: { url: database.url },
      conversations: { store: false },
      auth: {
        keys: [
          { name: 'one', key: 'sk_one' },
          { name: 'two', key: 'sk_two' },
          { name: 'plain', key: 'sk_plain', scopes: ['completions', 'model-select'] },
          {
            name: 'poor',
            key: 'sk_poor',
            scopes: ['completions', 'admin'],
            limits: { dayBudgetUsd: 10 },
          },
        ],
      },
      ...config,
    },
    { logger: log.logger },
  );
}

const get = (path: string, headers = one): Promise<Reply> =>
  ask('GET', `${gateway.url}/api/v1/${path}`, headers);
const native = (body: object = {}, headers = one): Promise<Reply> =>
  post(`${gateway.url}/api/v1/completions`, { messages, models: ['up/known'], ...body }, headers);
const chat = (body: object = {}, headers = one): Promise<Reply> =>
  post(`${gateway.url}/v1/chat/completions`, { messages, model: 'up/known', ...body }, headers);
const select = (body: object = {}, headers = one): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/model-select`,
    { messages, llm_providers: [{ name: 'up/known' }, { name: 'up/other' }], ...body },
    headers,
  );
/** The requests of an account, newest first, once there are so many. */
async function logged(
  count: number,
  query = '',
  headers = one,
): Promise<Record<string, unknown>[]> {
  let items: unknown[] = [];
  await until(
    async () =>
      (items = listAt((await get(`requests?limit=100&${query}`, headers)).json, 'items')).length >=
      count,
  );
  expect(items).toHaveLength(count);
  return items as Record<string, unknown>[];
}
const detail = async (id: unknown, headers = one): Promise<unknown> =>
  (await get(`requests/${String(id)}`, headers)).json;

describe.each(databasesOfRun)('the request log on %s', (_name, make) => {
  beforeEach(async () => {
    database = await make();
  });
  afterEach(() => database.drop());

  it('has each request with who asked, who answered, what it took and what it cost', async () => {
    await start();
    const startedAt = Date.now();
    const { headers } = await native();
    const [row] = await logged(1);
    expectConforms('request.response', row);
    expect(row).toMatchObject({
      object: 'request',
      id: headers['x-request-id'],
      requestId: headers['x-request-id'],
      accountId: 'fixed:one',
      keyId: 'fixed:one',
      surface: 'completions',
      status: 200,
      code: null,
      provider: 'up',
      model: 'known',
      conversationId: null,
      responseId: headers['responsemessageid'],
      stream: false,
      promptTokens: 10,
      completionTokens: 5,
      costUsd: 2e-5,
    });
    expect(Date.parse(textAt(row, 'at'))).toBeGreaterThanOrEqual(startedAt - 5);
    const whole = await detail(row?.['id']);
    expectConforms('request.response', whole);
    expect(whole).toMatchObject({
      ...row,
      content: null,
      plan: {
        reason: expect.any(String) as string,
        candidates: [{ label: 'up/known', provider: 'up', model: 'known', quality: 1 }],
      },
      attempts: [{ provider: 'up', model: 'known', number: 1, outcome: 'ok', status: 200 }],
    });
  });

  it('has requests of every surface, and no others', async () => {
    await start();
    await native();
    await postStream(
      `${gateway.url}/api/v1/completions`,
      { messages, models: ['up/known'], stream: true },
      { headers: one },
    );
    await chat();
    await select();
    await post(`${gateway.url}/v1/embeddings`, { model: 'up/known', input: 'x' }, one);
    await post(`${gateway.url}/proxy/up/chat/completions`, { model: 'known', messages }, one);
    await ask('GET', `${gateway.url}/v1/models`, one);
    await chat({}, bearer('sk_nobody'));
    const rows = await logged(6);
    expect(
      rows.map(({ surface, stream }) => `${String(surface)}${stream ? ' stream' : ''}`).sort(),
    ).toEqual([
      'completions',
      'completions stream',
      'embeddings',
      'model_select',
      'openai',
      'proxy',
    ]);
    expect(rows.find(({ surface }) => surface === 'proxy')).toMatchObject({
      provider: 'up',
      model: null,
      planId: null,
      costUsd: null,
    });
  });

  it('tells of failures: every attempt, who was asked, and how it ended', async () => {
    await start();
    upstream.script([{ status: 404 }, {}]);
    await native({ models: ['up/known', 'up/other'] });
    upstream.script([{ status: 404 }]);
    await native();
    await native({ models: 'nonsense' });
    upstream.script([{ hang: 'afterContent' }]);
    await postStream(
      `${gateway.url}/api/v1/completions`,
      { messages, models: ['up/known'], stream: true },
      { headers: one, abortAfterFrames: 1 },
    );
    const rows = await logged(4);
    // two of one millisecond stand in either order
    const [left, invalid, failed, fallback] = [
      'client_closed',
      'validation_failed',
      'model_not_found',
      null,
    ].map((code) => rows.find((row) => row['code'] === code));
    expect(left).toMatchObject({
      status: 499,
      code: 'client_closed',
      provider: 'up',
      model: 'known',
      stream: true,
    });
    expect(invalid).toMatchObject({
      status: 422,
      code: 'validation_failed',
      error: expect.stringMatching(/^models/) as string,
      field: 'models',
      provider: null,
      planId: null,
      costUsd: null,
    });
    expect(failed).toMatchObject({
      status: 422,
      code: 'model_not_found',
      error: expect.stringContaining('up answered 404: scripted 404') as string,
      provider: 'up',
      model: 'known',
    });
    expect(at(await detail(fallback?.['id']), 'attempts')).toMatchObject([
      {
        model: 'known',
        outcome: 'model_not_found',
        status: 404,
        error: 'up answered 404: scripted 404',
      },
      { model: 'other', outcome: 'ok', status: 200 },
    ]);
  });

  it('tells of each attempt how long it waited, and when it began, was sent and was answered', async () => {
    await start();
    upstream.script([{ status: 503 }, {}]);
    await native();
    const [row] = await logged(1);
    const attempts = listAt(await detail(row?.['id']), 'attempts') as Record<string, number>[];
    const [failed, answered] = attempts;
    expect(attempts).toMatchObject([
      { outcome: 'upstream_overloaded', waitMs: 0, keyIndex: null, firstContentMs: null },
      { outcome: 'ok', number: 2, keyIndex: null },
    ]);
    for (const one of attempts) {
      const times = [one['sentMs'], one['headersMs'], one['latencyMs']].map(Number);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(one['startedAt']).toBeUndefined();
    }
    // each time is rounded by itself
    expect(answered!['startMs']).toBeGreaterThanOrEqual(
      failed!['startMs']! + failed!['latencyMs']! + answered!['waitMs']! - 3,
    );
    expect(answered!['startMs']! + answered!['latencyMs']!).toBeLessThanOrEqual(
      Number(row?.['latencyMs']) + 2,
    );
  });

  it('is asked by key, model, provider, status and time, page by page', async () => {
    await start();
    await chat();
    await chat({ model: 'up/other' });
    await chat({ model: 'up/' });
    await logged(3);
    expect(await logged(1, 'model=up/other')).toMatchObject([{ model: 'other' }]);
    expect(await logged(1, 'model=other&provider=up')).toMatchObject([{ model: 'other' }]);
    await logged(2, 'provider=up');
    await logged(3, 'key=fixed:one');
    await logged(3, 'key=one');
    expect(await logged(1, 'failed=true')).toMatchObject([{ code: 'model_not_found' }]);
    expect(await logged(1, 'code=model_not_found')).toMatchObject([{ status: 404 }]);
    await logged(2, 'failed=false&minLatency=0&maxLatency=600000&minCost=0.00001&maxCost=1');
    expect(await logged(1, 'status=4xx')).toMatchObject([{ status: 404 }]);
    await logged(2, 'status=200');
    const since = new Date(Date.now() - 60_000).toISOString();
    await logged(3, `from=${since}&to=${Date.now() + 60_000}`);
    const nothing = async (query: string): Promise<void> =>
      expect((await get(`requests?${query}`)).json).toMatchObject({ items: [], next: null });
    for (const query of [
      'key=fixed:other',
      'conversation=none',
      'code=rate_limited',
      'minLatency=600000',
      'minCost=1000',
      'model=up/none',
      'status=500',
      `to=${since}`,
      `from=${Date.now() + 1_000}`,
    ])
      await nothing(query);
    const first = await get('requests?limit=2');
    expect(listAt(first.json, 'items')).toHaveLength(2);
    const second = await get(`requests?limit=2&cursor=${textAt(first.json, 'next')}`);
    expect(second.json).toMatchObject({ items: [{ model: 'known' }], next: null });
  });

  it.each([
    ['from', 'from=yesterday'],
    ['to', 'to=2026-02-30T25:00:00Z'],
    ['from', 'from=2026-01-02&to=2026-01-01'],
    ['status', 'status=abc'],
    ['status', 'status=6xx'],
    ['limit', 'limit=0'],
    ['key', 'key=a&key=b'],
    ['failed', 'failed=perhaps'],
    ['minLatency', 'minLatency=fast'],
    ['maxCost', 'maxCost=-1'],
    ['format', 'format=xml'],
  ])('names %s where ?%s cannot be read', async (field, query) => {
    await start();
    const { status, json } = await get(`requests?${query}`);
    expect(status).toBe(422);
    expect(textAt(json, 'message')).toMatch(new RegExp(`^${field}: must `));
  });

  it.each([
    ['requests', 'stauts', 'status'],
    ['requests', 'minlatency', 'minLatency'],
    ['keys', 'limt', 'limit'],
    ['conversations', 'cursr', 'cursor'],
    ['preferences', 'limits', 'limit'],
    ['sessions', 'curser', 'cursor'],
    ['feedback', 'limitt', 'limit'],
  ])(
    'refuses, as every list, a parameter of %s that is not known: %s',
    async (list, name, meant) => {
      await start();
      const { status, json } = await get(`${list}?${name}=1`);
      expect(status).toBe(400);
      expect(textAt(json, 'message')).toBe(
        `${name}: is not a known parameter; did you mean ${meant}?`,
      );
      const unlike = await get(`${list}?${encodeURIComponent('<script>')}=1`);
      expect(textAt(unlike.json, 'message')).toMatch(/^query: is not a known parameter; the known/);
    },
  );

  it('says that a key is not known by its id or name', async () => {
    await start();
    const { status, json } = await get('requests?key=nobody');
    expect(status).toBe(422);
    expect(textAt(json, 'message')).toBe('key: no key of this account has this id or name');
  });

  it('shows no requests of other accounts, and nothing to keys without the scope', async () => {
    await start();
    const { headers } = await chat();
    await logged(1);
    expect((await get('requests', two)).json).toMatchObject({ items: [] });
    expect((await get(`requests/${String(headers['x-request-id'])}`, two)).status).toBe(404);
    for (const account of ['all', 'fixed:one'])
      expect((await get(`requests?account=${account}`, two)).status).toBe(403);
    expect((await get('requests?account=fixed:two', two)).status).toBe(200);
    for (const path of ['requests', 'requests/x', 'usage'])
      expect((await get(path, bearer('sk_plain'))).status).toBe(403);
  });

  it('names a request by its own id where the client chose the request id', async () => {
    await start();
    for (let time = 0; time < 2; time++)
      await chat({}, { ...one, 'x-request-id': 'mine' } as typeof one);
    const rows = await logged(2);
    expect(rows.map(({ requestId }) => requestId)).toEqual(['mine', 'mine']);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
    expect((await get('requests/mine')).status).toBe(404);
  });

  it('holds no messages and answers by default, and neither does the log', async () => {
    await start();
    upstream.script([{ text: [marker] }]);
    await everySurface();
    upstream.script([{ status: 400, body: { error: { message: `I will not say ${marker}` } } }]);
    await native();
    await post(`${gateway.url}/proxy/up/chat/completions`, { model: 'known', messages }, one);
    await logged(9);
    expect(await database.text()).toContain('fixed:one');
    expect(await database.text()).not.toContain(marker);
    expect(log.text()).not.toContain(marker);
    await gateway.close();
    expect(await database.text()).not.toContain(marker);
  });

  it('holds messages and answers if configured so, streamed or not', async () => {
    await start({ requestLog: { content: true } });
    upstream.script([{ text: ['A ', 'fine answer'] }]);
    await everySurface();
    const rows = await logged(7);
    const content = async (surface: string, stream: boolean): Promise<unknown> =>
      at(
        await detail(
          rows.find((row) => row['surface'] === surface && row['stream'] === stream)?.['id'],
        ),
        'content',
      );
    for (const surface of ['completions', 'openai']) {
      for (const stream of [false, true])
        expect(await content(surface, stream), `${surface} ${String(stream)}`).toMatchObject({
          messages,
          answer: [{ role: 'assistant', content: 'A fine answer' }],
        });
    }
    expect(await content('model_select', false)).toEqual({ messages });
    expect(await content('embeddings', false)).toEqual({ messages: marker });
    expect(await content('proxy', false)).toBeNull();
    upstream.script([{ status: 400, body: { error: { message: `I will not say ${marker}` } } }]);
    const { headers } = await native();
    await logged(8);
    expect(at(await detail(headers['x-request-id']), 'attempts', 0, 'error')).toContain(marker);
  });

  it('shows administrators the requests of other accounts, without messages and answers', async () => {
    await start({ requestLog: { content: true } });
    const { headers } = await native();
    await logged(1);
    const administrator = await administratorOf(gateway, 'ada@example.org');
    const { json } = await administrator.ask(
      'GET',
      `/api/v1/requests/${String(headers['x-request-id'])}`,
    );
    expect(json).toMatchObject({ accountId: 'fixed:one', provider: 'up', content: null });
    expect(JSON.stringify(json)).not.toContain(marker);
  });

  it('stores what a conversation repeats on every turn once, and shows each turn whole', async () => {
    await start({ requestLog: { content: true } });
    const turns = [{ role: 'system', content: 'once only '.repeat(30_000) }];
    for (let turn = 1; turn <= 6; turn++) {
      turns.push({ role: 'user', content: `question ${turn}` });
      upstream.script([{ text: [`answer ${turn}`] }]);
      const { headers } = await chat({ messages: turns });
      await logged(turn);
      expect(at(await detail(headers['x-request-id']), 'content')).toMatchObject({
        messages: turns,
        answer: [{ content: `answer ${turn}` }],
      });
      turns.push({ role: 'assistant', content: `answer ${turn}` });
    }
    // with the database's own log of what was written, all of it is there twice
    expect((await database.text()).length).toBeLessThan(4 * 300_000);
  });

  it('cuts long texts and keeps the rest', async () => {
    await start({ requestLog: { content: true } });
    const long = 'long '.repeat(300_000);
    await chat({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: long },
      ],
    });
    const [row] = await logged(1);
    const kept = at(await detail(row?.['id']), 'content', 'messages');
    expect(at(kept, 0, 'content')).toBe('Be brief.');
    expect(textAt(kept, 1, 'content')).toBe(`${long.slice(0, 65_536)}…`);
  });

  it('holds no content of a completion that says store: false', async () => {
    await start({ requestLog: { content: true } });
    await native({ store: false });
    await chat({ store: false });
    for (const { id } of await logged(2)) expect(at(await detail(id), 'content')).toBeNull();
    expect(await database.text()).not.toContain(marker);
  });

  it.each([false, true])(
    'holds a salted hash alone where hash_content asks for it, content kept or not (%s)',
    async (content) => {
      await start({ requestLog: { content } });
      for (const text of ['same', 'same', 'other'])
        await select({
          messages: [{ role: 'user', content: `${marker} ${text}` }],
          hash_content: true,
        });
      const rows = await logged(3);
      const hashes = await Promise.all(
        rows.map(async ({ id }) => textAt(await detail(id), 'content', 'hash')),
      );
      expect(hashes[1]).toBe(hashes[2]);
      expect(hashes[0]).not.toBe(hashes[1]);
      await gateway.close();
      const text = await database.text();
      expect(text).not.toContain(marker);
      const sent = JSON.stringify([{ role: 'user', content: `${marker} same` }]);
      expect(text).not.toContain(hash('sha256', sent));
      const store = await openStore(database.url);
      expect(hashes[1]).toBe(
        createHmac('sha256', await store.secret('content-hash'))
          .update(hash('sha256', sent))
          .digest('hex'),
      );
      await store.close();
      expect(log.text()).not.toContain(marker);
    },
  );

  it.each([false, true])(
    'holds a salted hash alone of a completion that asks for it, streamed or not (%s), and no conversation does more',
    async (stream) => {
      await start({ requestLog: { content: true } });
      const body = {
        messages: [{ role: 'user', content: `${marker} hashed` }],
        models: ['up/known'],
        hash_content: true,
        stream,
      };
      const url = `${gateway.url}/api/v1/completions`;
      const reply = await (stream ? postStream(url, body, { headers: one }) : post(url, body, one));
      expect(reply.status).toBe(200);
      expect(JSON.stringify(reply)).not.toContain('warnings');
      const [row] = await logged(1);
      expect(textAt(await detail(at(row, 'id')), 'content', 'hash')).toMatch(/^[0-9a-f]{64}$/);
      const { json } = await ask('GET', `${gateway.url}/api/v1/conversations`, one);
      expect(listAt(json, 'items')).toEqual([]);
      await gateway.close();
      expect(await database.text()).not.toContain(marker);
      expect(log.text()).not.toContain(marker);
    },
  );

  it('is not kept if it is turned off, except for the sums of keys that have a budget', async () => {
    await start({ requestLog: { enabled: false, content: true } });
    await chat();
    const { json } = await select();
    await chat({}, bearer('sk_poor'));
    const [row] = await logged(1, '', bearer('sk_poor'));
    expect(row).toMatchObject({ keyId: 'fixed:poor', costUsd: 2e-5, promptTokens: 10 });
    expect(await detail(row?.['id'], bearer('sk_poor'))).toMatchObject({
      plan: null,
      attempts: null,
      content: null,
    });
    expect((await get('requests')).json).toMatchObject({ items: [] });
    expect((await get('sessions')).json).toMatchObject({ items: [] });
    expect((await get(`sessions/${textAt(json, 'session_id')}`)).status).toBe(404);
    expect(await database.text()).not.toContain(marker);
  });
});

async function everySurface(): Promise<void> {
  await native();
  await postStream(
    `${gateway.url}/api/v1/completions`,
    { messages, models: ['up/known'], stream: true },
    { headers: one },
  );
  await chat();
  await postStream(
    `${gateway.url}/v1/chat/completions`,
    { messages, model: 'up/known', stream: true },
    { headers: one },
  );
  await select();
  await post(`${gateway.url}/v1/embeddings`, { model: 'up/known', input: marker }, one);
  await post(`${gateway.url}/proxy/up/chat/completions`, { model: 'known', messages }, one);
}
