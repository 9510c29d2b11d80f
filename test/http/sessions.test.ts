import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';

const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const [one, two, three] = [bearer('sk_one'), bearer('sk_two'), bearer('sk_three')];
const memory = [
  "a guest's memory",
  (): Promise<TestDatabase> =>
    Promise.resolve({
      url: ':memory:',
      text: () => Promise.resolve(''),
      drop: () => Promise.resolve(),
    }),
] as const;

describe.each([...databases, memory])('sessions in %s', (_name, make) => {
  let database: TestDatabase;
  let gateway: RunningGateway;
  beforeAll(async () => {
    database = await make();
    gateway = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' } },
      database: { url: database.url },
      models: {
        'up/known': { inputPrice: 1, outputPrice: 2, quality: 1 },
        'up/other': { inputPrice: 1, outputPrice: 2, quality: 0.5 },
      },
      auth: {
        keys: [
          { name: 'one', key: 'sk_one' },
          { name: 'two', key: 'sk_two' },
          { name: 'three', key: 'sk_three' },
          { name: 'no', key: 'sk_no', scopes: ['completions'] },
        ],
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const select = async (body: object = {}, headers = one): Promise<string> => {
    const { json, status } = await post(
      `${gateway.url}/api/v1/model-select`,
      {
        messages: [{ role: 'user', content: 'Hi' }],
        llm_providers: [{ name: 'up/known' }, { name: 'up/other' }],
        ...body,
      },
      headers,
    );
    expect(status).toBe(200);
    return textAt(json, 'session_id');
  };
  const get = (path: string, headers = one): Promise<Reply> =>
    ask('GET', `${gateway.url}/api/v1/sessions${path}`, headers);
  const idsOf = (json: unknown, list = 'group'): string[] =>
    listAt(json, list).map((decision) => textAt(decision, 'session_id'));

  it('hold what was decided just now, and why', async () => {
    const before = Date.now();
    const id = await select({ tradeoff: 'cost' });
    const after = Date.now();
    const { status, json } = await get(`/${id}`);
    expect(status).toBe(200);
    expectConforms('session.response', json);
    expect(json).toMatchObject({
      object: 'session',
      session_id: id,
      group: [
        {
          session_id: id,
          previous_session: null,
          llm_label: 'up/known',
          tradeoff: 'cost',
          preference_id: null,
          keyId: 'fixed:one',
          candidates: [{ label: 'up/known' }, { label: 'up/other' }],
        },
      ],
    });
    const madeAt = Date.parse(textAt(json, 'group', 0, 'at'));
    expect(madeAt).toBeGreaterThanOrEqual(before);
    expect(madeAt).toBeLessThanOrEqual(after);
  });

  it('group the decisions that are linked, oldest first, whichever of them is asked for', async () => {
    const first = await select();
    const second = await select({ previous_session: first });
    const third = await select({ previous_session: second });
    // two of one millisecond that do not follow each other stand in either order
    await new Promise((resolve) => setTimeout(resolve, 5));
    const branch = await select({ previous_session: first });
    for (const id of [first, second, third, branch])
      expect(idsOf((await get(`/${id}`)).json)).toEqual([first, second, third, branch]);
    expect(at((await get(`/${third}`)).json, 'group', 2, 'previous_session')).toBe(second);
  });

  it('are listed by the decision that began them, newest first, page by page', async () => {
    const begun: string[] = [];
    for (let count = 0; count < 5; count++) {
      begun.unshift(await select({}, three));
      await select({ previous_session: begun[0] }, three);
    }
    const listed: string[] = [];
    let path = '?limit=2';
    for (let page = 0; page < 3; page++) {
      const { json } = await get(path, three);
      for (const item of listAt(json, 'items')) expectConforms('decision.response', item);
      listed.push(...idsOf(json, 'items'));
      path = `?limit=2&cursor=${textAt(json, 'next')}`;
    }
    expect(listed).toEqual(begun);
  });

  it('cannot be read, listed or continued by other accounts, and an unknown id does not exist', async () => {
    const id = await select();
    expect(await get(`/${id}`, two)).toMatchObject({
      status: 404,
      json: { error: 'Not Found', message: 'session_id: not found' },
    });
    expect((await get('', two)).json).toMatchObject({ items: [], next: null });
    const { status } = await post(
      `${gateway.url}/api/v1/model-select`,
      {
        messages: [{ role: 'user', content: 'Hi' }],
        llm_providers: [{ name: 'a' }],
        previous_session: id,
      },
      two,
    );
    expect(status).toBe(404);
    for (const other of [
      'x',
      '6fd8d272-7b32-4f6c-9d3a-0f3c1c1a7b11',
      `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`,
    ])
      expect((await get(`/${other}`)).status).toBe(404);
    expect((await get(`/${id}`, bearer('sk_no'))).status).toBe(403);
    expect((await ask('GET', `${gateway.url}/api/v1/sessions`)).status).toBe(401);
  });

  it('are linked across a hundred calls at once', async () => {
    const first = await select();
    const others = await Promise.all(
      Array.from({ length: 100 }, () => select({ previous_session: first })),
    );
    expect(idsOf((await get(`/${first}`)).json).sort()).toEqual([first, ...others].sort());
  });

  it('are known to a completion that continues one: its request says so', async () => {
    const first = await select();
    const { status, headers } = await post(
      `${gateway.url}/api/v1/completions`,
      {
        models: ['up/known'],
        messages: [{ role: 'user', content: 'Hi' }],
        previous_session: first,
        maxRetries: 0,
      },
      one,
    );
    expect(status).toBe(502);
    const request = (): Promise<Reply> =>
      ask('GET', `${gateway.url}/api/v1/requests/${String(headers['x-request-id'])}`, one);
    await until(async () => (await request()).status === 200);
    expect(textAt((await request()).json, 'plan', 'previousSession')).toBe(first);
  });
});
