import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: {
      'up/best': { quality: 0.9, inputPrice: 10, outputPrice: 10, latency: 2 },
      'up/near': { quality: 0.86, inputPrice: 1, outputPrice: 1, latency: 1 },
      'up/cheap': { quality: 0.6, inputPrice: 0.1, outputPrice: 0.1, latency: 3 },
      'up/fast': { quality: 0.5, inputPrice: 5, outputPrice: 5, latency: 0.1 },
    },
    auth: {
      keys: [
        { name: 'one', key: 'sk_one' },
        { name: 'two', key: 'sk_two' },
      ],
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const auth = { authorization: 'Bearer sk_one' };
const stranger = { authorization: 'Bearer sk_two' };
const all = ['up/best', 'up/near', 'up/cheap', 'up/fast'];
const preferences = (
  method: string,
  path = '',
  body?: object,
  headers: Record<string, string> = auth,
): Promise<Reply> => ask(method, `${gateway.url}/api/v1/preferences${path}`, headers, body);
const created = async (body: object): Promise<string> =>
  textAt((await preferences('POST', '', body)).json, 'id');
const select = (body: object, headers: Record<string, string> = auth): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/model-select?explain=true`,
    {
      messages: [{ role: 'user', content: 'Hi' }],
      llm_providers: all.map((name) => ({ name })),
      ...body,
    },
    headers,
  );
const ranking = (reply: Reply): string[] =>
  listAt(reply.json, 'providers').map((entry) => textAt(entry, 'model'));

describe('a preference', () => {
  it('is made, read, listed, changed and deleted', async () => {
    const made = await preferences('POST', '', { name: 'Thrifty', tradeoff: 'cost', maxPrice: 5 });
    expect(made.status).toBe(201);
    expectConforms('preference.response', made.json);
    const id = textAt(made.json, 'id');
    expect(made.json).toMatchObject({
      preference_id: id,
      name: 'Thrifty',
      tradeoff: 'cost',
      maxPrice: 5,
      weights: null,
      allow: null,
    });
    expect((await preferences('GET', `/${id}`)).json).toEqual(made.json);
    expect(listAt((await preferences('GET')).json, 'items')).toContainEqual(made.json);
    const changed = await preferences('PATCH', `/${id}`, { tradeoff: null, exclude: ['up/best'] });
    expect(changed).toMatchObject({
      status: 200,
      json: { name: 'Thrifty', tradeoff: null, maxPrice: 5, exclude: ['up/best'] },
    });
    expect((await preferences('DELETE', `/${id}`)).status).toBe(204);
    for (const [method, body] of [
      ['GET', undefined],
      ['DELETE', undefined],
      ['PATCH', {}],
    ] as const)
      expect((await preferences(method, `/${id}`, body)).status).toBe(404);
    expect((await select({ preference_id: id })).status).toBe(404);
  });

  it('has a name without being given one', async () =>
    expect(textAt((await preferences('POST', '', {})).json, 'name')).toBe('Preference'));

  it('of another account does not exist', async () => {
    const id = await created({ tradeoff: 'cost' });
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { tradeoff: null }],
      ['PUT', {}],
      ['DELETE', undefined],
    ] as const)
      expect((await preferences(method, `/${id}`, body, stranger)).status).toBe(404);
    expect(await select({ preference_id: id }, stranger)).toMatchObject({
      status: 404,
      json: { message: 'preference_id: not found' },
    });
    expect(listAt((await preferences('GET', '', undefined, stranger)).json, 'items')).toEqual([]);
    expect((await preferences('GET', `/${id}`)).status).toBe(200);
  });

  it.each([
    [{ weights: { quality: 0, cost: 0, latency: 0 } }, 'weights: must not all be 0'],
    [{ weights: { quality: 1 } }, 'weights[cost]: is required'],
    [
      { weights: { quality: -1, cost: 0, latency: 0 } },
      'weights[quality]: must be between 0 and 1000000',
    ],
    [{ tradeoff: 'speed' }, 'tradeoff: must be one of: cost, latency'],
    [{ maxPrice: '5' }, 'maxPrice: must be a number'],
    [{ allow: [] }, 'allow: must have at least 1 item'],
    [{ model: 'x' }, 'model: is not a known key'],
  ])('%j is refused: %s', async (body, message) =>
    expect(await preferences('POST', '', body)).toMatchObject({ status: 422, json: { message } }),
  );
});

describe('model selection with a preference', () => {
  it('ranks by its tradeoff where the request names none', async () => {
    const preference_id = await created({ tradeoff: 'cost' });
    const messages = [{ role: 'user', content: 'Write an essay of 500 words on signals.' }];
    expect(textAt((await select({ messages })).json, 'llm_label')).toBe('up/best');
    expect(textAt((await select({ messages, preference_id })).json, 'llm_label')).toBe('up/near');
    expect(textAt((await select({ preference_id, tradeoff: 'latency' })).json, 'llm_label')).toBe(
      'up/near',
    );
  });

  it.each([
    [{ quality: 1, cost: 0, latency: 0 }, ['best', 'near', 'cheap', 'fast']],
    [{ quality: 0, cost: 1, latency: 0 }, ['cheap', 'near', 'fast', 'best']],
    [{ quality: 0, cost: 0, latency: 1 }, ['fast', 'near', 'best', 'cheap']],
    [{ quality: 1, cost: 1, latency: 0 }, ['near', 'best', 'cheap', 'fast']],
    [{ quality: 1, cost: 30, latency: 0 }, ['cheap', 'near', 'fast', 'best']],
  ])('ranks by its weights %j', async (weights, expected) => {
    const reply = await select({ preference_id: await created({ weights }) });
    expect(ranking(reply)).toEqual(expected);
    expect(textAt(reply.json, 'reason')).toContain('by the weights of the preference');
  });

  it('leaves out what it excludes, does not allow, or finds too dear or too slow, and says so', async () => {
    const reasons = async (body: object): Promise<Record<string, string>> => {
      const { json } = await select({ preference_id: await created(body) });
      return Object.fromEntries(
        listAt(json, 'candidates')
          .filter((entry) => at(entry, 'excluded') !== undefined)
          .map((entry) => [textAt(entry, 'label'), textAt(entry, 'excluded')]),
      );
    };
    expect(await reasons({ exclude: ['up/b*'] })).toEqual({
      'up/best': 'the preference excludes it',
    });
    expect(Object.keys(await reasons({ allow: ['up/near', 'up/fast'] }))).toEqual([
      'up/best',
      'up/cheap',
    ]);
    expect(await reasons({ maxPrice: 5 })).toEqual({
      'up/best': 'it costs 10 USD per million tokens, but the preference allows 5',
    });
    expect(await reasons({ maxLatency: 1 })).toEqual({
      'up/best': 'it takes 2 s to the first token, but the preference allows 1',
      'up/cheap': 'it takes 3 s to the first token, but the preference allows 1',
    });
  });

  it('that leaves nothing is refused with the reasons', async () => {
    const reply = await select({ preference_id: await created({ allow: ['elsewhere/*'] }) });
    expect(reply).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining('the preference excludes it') as string },
    });
  });

  it('feels a change at once', async () => {
    const preference_id = await created({ exclude: ['up/best'] });
    expect(textAt((await select({ preference_id })).json, 'llm_label')).toBe('up/near');
    await preferences('PATCH', `/${preference_id}`, { exclude: null });
    expect(textAt((await select({ preference_id })).json, 'llm_label')).toBe('up/best');
  });
});

describe('a completion with a preference', () => {
  const messages = [{ role: 'user', content: 'Hi' }];

  it('calls the model that the preference ranks first, on both surfaces', async () => {
    const preference_id = await created({
      weights: { quality: 0, cost: 1, latency: 0 },
      exclude: ['up/near'],
    });
    const native = await post(
      `${gateway.url}/api/v1/completions`,
      { messages, models: all, preference_id },
      auth,
    );
    expect(native).toMatchObject({ status: 200, json: { model: 'cheap' } });
    const openai = await post(
      `${gateway.url}/v1/chat/completions`,
      { messages, model: 'auto', models: all, preference_id },
      auth,
    );
    expect(openai.status).toBe(200);
    expect(openai.headers['x-signalbox-model']).toBe('up/cheap');
  });

  it('that is not there is 404', async () => {
    expect(
      await post(
        `${gateway.url}/api/v1/completions`,
        { messages, models: all, preference_id: 'nope' },
        auth,
      ),
    ).toMatchObject({ status: 404, json: { message: 'preference_id: not found' } });
    expect(
      (
        await post(
          `${gateway.url}/v1/chat/completions`,
          { messages, model: 'up/best', preference_id: '' },
          auth,
        )
      ).status,
    ).toBe(404);
  });
});

describe('the /v2 dialect', () => {
  const v2 = (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = auth,
  ): Promise<Reply> => ask(method, `${gateway.url}/v2/${path}`, headers, body);
  const entries = all.map((label) => ({ provider: 'up', model: label.slice(3) }));

  it('selects a model for a conversation, or for a bare text', async () => {
    for (const messages of ['Hi', [{ role: 'user', content: 'Hi' }]]) {
      const reply = await v2('POST', 'modelRouter/modelSelect', {
        messages,
        llm_providers: entries,
        metric: 'accuracy',
        timeout: 5,
        default: 'x',
        max_model_depth: 2,
      });
      expect(reply).toMatchObject({
        status: 200,
        json: {
          providers: [
            { provider: 'up', model: 'best' },
            { provider: 'up', model: 'near' },
          ],
          session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        },
      });
    }
  });

  it('takes its own prices and latencies, and links sessions', async () => {
    const dear = entries.map((entry) => ({
      ...entry,
      input_price: entry.model === 'cheap' ? 1000 : 1,
      output_price: 1,
      is_custom: false,
      context_length: 100_000,
    }));
    const first = await v2('POST', 'modelRouter/modelSelect', {
      messages: 'Hi',
      llm_providers: dear,
      tradeoff: 'cost',
    });
    const next = await v2('POST', 'modelRouter/modelSelect', {
      messages: 'Hi',
      llm_providers: dear,
      previous_session: textAt(first.json, 'session_id'),
    });
    expect([first.status, next.status]).toEqual([200, 200]);
    expect(
      await v2(
        'POST',
        'modelRouter/modelSelect',
        { messages: 'Hi', llm_providers: dear, previous_session: textAt(first.json, 'session_id') },
        stranger,
      ),
    ).toMatchObject({ status: 404, json: { detail: 'previous_session: not found' } });
  });

  it('makes, changes and deletes a preference that its requests can name', async () => {
    const id = textAt(
      (await v2('POST', 'preferences/userPreferenceCreate', {})).json,
      'preference_id',
    );
    expect(
      (
        await v2('PUT', 'preferences/userPreferenceUpdate', {
          preference_id: id,
          name: 'Mine',
          exclude: ['up/best'],
          whatever: 1,
        })
      ).json,
    ).toEqual({ preference_id: id });
    const reply = await v2('POST', 'modelRouter/modelSelect', {
      messages: 'Hi',
      llm_providers: entries,
      preference_id: id,
    });
    expect(textAt(reply.json, 'providers', 0, 'model')).toBe('near');
    expect((await v2('DELETE', `preferences/userPreferenceDelete/${id}`)).json).toEqual({
      preference_id: id,
    });
    expect((await v2('DELETE', `preferences/userPreferenceDelete/${id}`)).status).toBe(404);
  });

  it("takes a preference's share of exploration, within its bounds", async () => {
    const id = textAt(
      (await v2('POST', 'preferences/userPreferenceCreate', { exploration: 0.1 })).json,
      'preference_id',
    );
    expect((await preferences('GET', `/${id}`)).json).toMatchObject({ exploration: 0.1 });
    expect(
      (await v2('PUT', 'preferences/userPreferenceUpdate', { preference_id: id, exploration: 0 }))
        .status,
    ).toBe(200);
    expect((await preferences('GET', `/${id}`)).json).toMatchObject({ exploration: 0 });
    for (const exploration of [0.21, -1, 'often'])
      expect(
        await v2('PUT', 'preferences/userPreferenceUpdate', { preference_id: id, exploration }),
      ).toMatchObject({ json: { detail: expect.stringMatching(/^exploration: /) as string } });
    expect((await preferences('GET', `/${id}`)).json).toMatchObject({ exploration: 0 });
  });

  it('takes feedback and latencies on a session, tells them back, and keeps them', async () => {
    const session_id = textAt(
      (await v2('POST', 'modelRouter/modelSelect', { messages: 'Hi', llm_providers: entries }))
        .json,
      'session_id',
    );
    const feedback = {
      session_id,
      provider: { provider: 'up', model: 'best' },
      feedback: { accuracy: 1 },
    };
    expect(await v2('POST', 'report/metrics/feedback', feedback)).toMatchObject({
      status: 200,
      json: { session_id, feedback: { accuracy: 1 } },
    });
    const latency = {
      session_id,
      provider: { provider: 'up', model: 'best' },
      feedback: { tokens_per_second: 41.5 },
    };
    expect(await v2('POST', 'report/metrics/latency', latency)).toMatchObject({
      status: 200,
      json: { session_id, feedback: { tokens_per_second: 41.5 } },
    });
    expect((await v2('POST', 'report/metrics/feedback', feedback, stranger)).status).toBe(404);
    expect(
      (await v2('POST', 'report/metrics/feedback', { ...feedback, feedback: { accuracy: 2 } }))
        .status,
    ).toBe(400);
    const kept = listAt((await ask('GET', `${gateway.url}/api/v1/feedback`, auth)).json, 'items');
    expect(kept).toHaveLength(2);
    expect(kept).toContainEqual(
      expect.objectContaining({ score: 1, provider: 'up', model: 'best' }),
    );
  });

  it('says in its own shape what is wrong', async () => {
    expect(await v2('POST', 'modelRouter/modelSelect', { messages: 'Hi' })).toMatchObject({
      status: 400,
      json: { detail: 'llm_providers: is required' },
    });
    expect(await v2('POST', 'modelRouter/modelSelect', {}, {})).toMatchObject({
      status: 401,
      json: { detail: expect.stringContaining('authorization') as string },
    });
    expect(await v2('GET', 'modelRouter/modelSelect')).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
    });
    expect(await v2('POST', 'pzn/trainCustomRouter', {})).toMatchObject({
      status: 422,
      json: { detail: 'body: needs `rows`, or `evaluations: true`' },
    });
  });
});
