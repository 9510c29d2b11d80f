import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const [one, two, plain] = [bearer('sk_one'), bearer('sk_two'), bearer('sk_plain')];
const messages = [{ role: 'user', content: 'Hi' }];

describe.each(databases)('feedback on %s', (_name, make) => {
  let upstream: Upstream;
  let database: TestDatabase;
  let gateway: RunningGateway;
  beforeAll(async () => {
    [upstream, database] = await Promise.all([startUpstream(), make()]);
    gateway = await startGateway({
      providers: {
        up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-up' },
      },
      models: { 'up/known': { inputPrice: 1, outputPrice: 2 } },
      database: { url: database.url },
      auth: {
        keys: [
          { name: 'one', key: 'sk_one' },
          { name: 'two', key: 'sk_two' },
          { name: 'plain', key: 'sk_plain', scopes: ['completions', 'model-select'] },
        ],
      },
    });
  });
  afterAll(async () => {
    await Promise.all([gateway.close(), upstream.close()]);
    await database.drop();
  });
  const give = (body: object, headers = one): Promise<Reply> =>
    post(`${gateway.url}/api/v1/feedback`, body, headers);
  const list = (query = '', headers = one): Promise<Reply> =>
    ask('GET', `${gateway.url}/api/v1/feedback${query}`, headers);
  const select = async (headers = one): Promise<string> =>
    textAt(
      (
        await post(
          `${gateway.url}/api/v1/model-select`,
          { messages, llm_providers: [{ name: 'up/known' }] },
          headers,
        )
      ).json,
      'session_id',
    );
  const complete = (headers = one): Promise<Reply> =>
    post(`${gateway.url}/api/v1/completions`, { messages, models: ['up/known'] }, headers);
  const chat = (headers = one): Promise<Reply> =>
    post(`${gateway.url}/v1/chat/completions`, { messages, model: 'up/known' }, headers);
  /** Its record is taken when its connection has had the whole answer. */
  const isLogged = (id: unknown): Promise<void> =>
    until(
      async () =>
        (await ask('GET', `${gateway.url}/api/v1/requests/${String(id)}`, one)).status === 200,
    );

  it('is given on a decision, and knows which model was chosen', async () => {
    const id = await select();
    const { status, json } = await give({ session_id: id, score: 0.25, comment: 'Too dear.' });
    expect(status).toBe(201);
    expectConforms('feedback.response', json);
    expect(json).toMatchObject({
      object: 'feedback',
      session_id: id,
      response_id: null,
      provider: 'up',
      model: 'known',
      score: 0.25,
      comment: 'Too dear.',
      keyId: 'fixed:one',
    });
    const [listed] = listAt((await list()).json, 'items');
    expectConforms('feedback.response', listed);
    expect(listed).toEqual(json);
  });

  it.each([
    ['an object', 'provider[provider]', { provider: {} }],
    ['a number', 'provider[provider]', { provider: 5 }],
    ['a list', 'provider[model]', { model: ['a'] }],
    ['far too long', 'provider[model]', { model: 'x'.repeat(513) }],
  ])(
    'in the dialect of /v2 is refused where the name of who is meant is %s',
    async (_what, field, provider) => {
      const session_id = await select();
      for (const [path, feedback] of [
        ['feedback', { accuracy: 1 }],
        ['latency', { tokens_per_second: 1 }],
      ] as const) {
        const { status, text } = await post(
          `${gateway.url}/v2/report/metrics/${path}`,
          { session_id, provider, feedback },
          one,
        );
        expect([status, text]).toEqual([400, expect.stringContaining(field)]);
      }
    },
  );

  it('is given on an answer, and knows who answered', async () => {
    const { json: answer, headers } = await complete();
    await isLogged(headers['x-request-id']);
    const id = textAt(answer, 'responseMessageId');
    expect(await give({ response_id: id, score: true })).toMatchObject({
      status: 201,
      json: {
        response_id: id,
        session_id: null,
        provider: 'up',
        model: 'known',
        score: 1,
        comment: null,
      },
    });
  });

  it('is given on any request by its X-Request-Id', async () => {
    const native = await complete();
    const openai = await chat();
    await isLogged(openai.headers['x-request-id']);
    expect(
      (await give({ request_id: native.headers['x-request-id'], score: false })).json,
    ).toMatchObject({
      response_id: textAt(native.json, 'responseMessageId'),
      session_id: null,
      score: 0,
      model: 'known',
    });
    expect(
      (await give({ request_id: openai.headers['x-request-id'], score: 1 })).json,
    ).toMatchObject({
      response_id: null,
      session_id: expect.any(String) as string,
      provider: 'up',
      model: 'known',
    });
  });

  it('may name the model that it means', async () => {
    expect(
      (await give({ session_id: await select(), score: 1, provider: 'mine', model: 'own' })).json,
    ).toMatchObject({ provider: 'mine', model: 'own' });
  });

  it("is refused on what is not the account's own, or does not exist, without a difference", async () => {
    const [session, { json, headers }] = await Promise.all([select(two), complete(two)]);
    await until(
      async () =>
        (await ask('GET', `${gateway.url}/api/v1/requests/${String(headers['x-request-id'])}`, two))
          .status === 200,
    );
    const subjects = [
      { session_id: session },
      { response_id: textAt(json, 'responseMessageId') },
      { request_id: headers['x-request-id'] },
      { session_id: 'x' },
      { response_id: '6fd8d272-7b32-4f6c-9d3a-0f3c1c1a7b11' },
      { request_id: '\0' },
    ];
    for (const subject of subjects)
      expect(await give({ ...subject, score: 1 })).toMatchObject({
        status: 404,
        json: { message: `${Object.keys(subject)[0] ?? ''}: not found` },
      });
  });

  it.each([
    ['session_id: send exactly one', { score: 1 }],
    ['response_id: send exactly one', { session_id: 'a', response_id: 'b', score: 1 }],
    ['score: is required', { session_id: 'a' }],
    ['score: must ', { session_id: 'a', score: 2 }],
    ['score: must ', { session_id: 'a', score: -1 }],
    ['score: must ', { session_id: 'a', score: 'good' }],
    ['comment: must ', { session_id: 'a', score: 1, comment: 'x'.repeat(4_001) }],
  ])('is answered "%s…" where it is %j', async (message, body) => {
    const { status, json } = await give(body);
    expect(status).toBe(422);
    expect(textAt(json, 'message')).toContain(message);
  });

  it('may be given by any key and listed by those of scope admin alone, each account its own, page by page', async () => {
    expect((await give({ session_id: await select(plain), score: 1 }, plain)).status).toBe(201);
    expect((await list('', plain)).status).toBe(403);
    expect((await list('', two)).json).toMatchObject({ items: [], next: null });
    const first = (await list('?limit=2')).json;
    const second = (await list(`?limit=2&cursor=${textAt(first, 'next')}`)).json;
    const ids = [...listAt(first, 'items'), ...listAt(second, 'items')].map((item) =>
      textAt(item, 'id'),
    );
    expect(new Set(ids).size).toBe(4);
  });
});
