import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/config.js';
import { expectConforms } from '../helpers/conforms.js';
import { databasesOfRun, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { metricOf } from '../helpers/metrics.js';
import { isWholeRun } from '../helpers/runs.js';
import { until } from '../helpers/until.js';
import { type Step, startUpstream, type Upstream } from '../helpers/upstream.js';

const strong = 'up/gpt-4o',
  near = 'up/gpt-4o-mini';
const messages = [{ role: 'user', content: 'Why is the sky blue? Explain it in two sentences.' }];
type Headers = { authorization: string };
const bearer = (name: string): Headers => ({ authorization: `Bearer sk_${name}` });
const [one, two] = [bearer('one'), bearer('two')];

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const configured = (
  url: string,
  routing: ConfigInput['routing'] = { exploration: 0 },
): ConfigInput => ({
  providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
  routing,
  database: { url },
  limits: { maxRetries: 0 },
  // a model falls behind here by what is learned alone
  breaker: { enabled: false },
  auth: {
    keys: [
      { name: 'one', key: 'sk_one' },
      { name: 'two', key: 'sk_two' },
    ],
  },
});

/** The ways in which a client asks a gateway and tells it what came of it. */
const clientOf = ({ url }: { url: string }) => {
  const select = (headers = one, body: object = {}): Promise<Reply> =>
    post(
      `${url}/api/v1/model-select?explain=true`,
      { messages, llm_providers: [{ name: strong }, { name: near }], ...body },
      headers,
    );
  const complete = (headers = one, body: object = {}): Promise<Reply> =>
    post(`${url}/api/v1/completions`, { messages, models: [strong, near], ...body }, headers);
  const rate = async (
    subject: object,
    score: number,
    headers = one,
    more: object = {},
  ): Promise<void> => {
    expect(
      (await post(`${url}/api/v1/feedback`, { ...subject, score, ...more }, headers)).status,
    ).toBe(201);
  };
  return {
    select,
    complete,
    rate,
    chosen: async (headers = one, body: object = {}) =>
      textAt((await select(headers, body)).json, 'llm_label'),
    completed: async (headers = one, body: object = {}) =>
      `up/${textAt((await complete(headers, body)).json, 'model')}`,
    /** Rates what is chosen badly until something else is. */
    async turn(headers = one, body: object = {}): Promise<number> {
      const first = textAt((await select(headers, body)).json, 'llm_label');
      for (let ratings = 0; ratings < 60; ratings++) {
        const { json } = await select(headers, body);
        if (textAt(json, 'llm_label') !== first) return ratings;
        await rate({ session_id: textAt(json, 'session_id') }, 0, headers);
      }
      throw new Error('feedback does not turn the choice');
    },
    learning: async (headers = one, path = '/api/v1/learning') =>
      (await ask('GET', `${url}${path}`, headers)).json,
    forget: async (headers = one, path = '/api/v1/learning') =>
      (await ask('DELETE', `${url}${path}`, headers)).status,
    preference: async (headers = one) =>
      textAt((await post(`${url}/api/v1/preferences`, { name: 'Mine' }, headers)).json, 'id'),
  };
};

describe.each(databasesOfRun)('online learning on %s', (_name, make) => {
  let database: TestDatabase;
  let gateway: RunningGateway;
  let other: RunningGateway;
  beforeAll(async () => {
    database = await make();
    gateway = await startGateway(configured(database.url));
    other = await startGateway(configured(database.url));
  });
  afterAll(async () => {
    await Promise.all([gateway.close(), other.close()]);
    await database.drop();
  });

  it('turns the choice by feedback alone, for that account, wherever it asks', async () => {
    const client = clientOf(gateway);
    const first = await client.chosen();
    const ratings = await client.turn();
    expect(ratings).toBeGreaterThan(1);
    const turned = await client.chosen();
    expect(turned).not.toBe(first);
    expect(await client.completed()).toBe(turned);
    expect([await client.chosen(two), await client.completed(two)]).toEqual([first, first]);
  });

  it('says what has moved, and from where', async () => {
    const client = clientOf(gateway);
    const { json } = await client.select();
    expectConforms('model-select.response', json);
    const moved = listAt(json, 'candidates').filter(
      (candidate) => 'quality_before' in (candidate as object),
    );
    expect(moved).toHaveLength(1);
    expect(moved[0]).toMatchObject({ learned: [expect.stringMatching(/^moved by \d+ ratings$/)] });
    const learning = await client.learning();
    expectConforms('learning.response', learning);
    expect(learning).toMatchObject({
      preference_id: null,
      enabled: true,
      exploration: 0,
      models: [{ score: 0 }],
    });
    expectConforms('learning.response', await client.learning(two));
    expect(await client.learning(two)).toMatchObject({ models: [], outcomes: [], updatedAt: null });
  });

  it('is known to another replica, and after a restart', async () => {
    const turned = await clientOf(gateway).chosen();
    await until(async () => (await clientOf(other).chosen()) === turned);
    const again = await startGateway(configured(database.url));
    await until(async () => (await clientOf(again).chosen()) === turned);
    await again.close();
  });

  it('of a preference moves requests with that preference alone, and goes with it', async () => {
    const client = clientOf(gateway);
    const preference_id = await client.preference(two);
    const first = await client.chosen(two);
    await client.turn(two, { preference_id });
    expect(await client.chosen(two)).toBe(first);
    expect(await client.completed(two, { preference_id })).not.toBe(first);
    expect(
      await client.learning(two, `/api/v1/preferences/${preference_id}/learning`),
    ).toMatchObject({ preference_id });
    expect(await client.forget(two, `/api/v1/preferences/${preference_id}/learning`)).toBe(204);
    expect(await client.chosen(two, { preference_id })).toBe(first);
  });

  it("takes feedback on an answer, by its id or its request's", async () => {
    const client = clientOf(gateway);
    const preference_id = await client.preference();
    const first = await client.completed(one, { preference_id });
    let ratings = 0;
    for (; ratings < 60; ratings++) {
      const { json, headers } = await client.complete(one, { preference_id });
      if (`up/${textAt(json, 'model')}` !== first) break;
      const request_id = String(headers['x-request-id']);
      await until(
        async () =>
          (await ask('GET', `${gateway.url}/api/v1/requests/${request_id}`, one)).status === 200,
      );
      await client.rate(
        ratings % 2 === 0 ? { response_id: textAt(json, 'responseMessageId') } : { request_id },
        0,
      );
    }
    expect(ratings).toBeGreaterThan(1);
    expect(ratings).toBeLessThan(60);
  });

  it('counts what is said of the same decision once, the last word', async () => {
    const client = clientOf(gateway);
    const preference_id = await client.preference();
    const path = `/api/v1/preferences/${preference_id}/learning`;
    const session_id = textAt((await client.select(one, { preference_id })).json, 'session_id');
    for (let times = 0; times < 8; times++) await client.rate({ session_id }, 0);
    const once = await client.learning(one, path);
    expect(once).toMatchObject({ models: [{ ratings: 1, score: 0 }] });
    await client.rate({ session_id }, 1);
    expect(await client.learning(one, path)).toMatchObject({ models: [{ ratings: 1, score: 1 }] });
  });

  it('knows a model by the label that was answered, and by its name: twice the same is one rating', async () => {
    const client = clientOf(gateway),
      key = bearer('two');
    await client.forget(key);
    const session_id = textAt((await client.select(key)).json, 'session_id');
    await client.rate({ session_id }, 0, key, { model: strong });
    await client.rate({ session_id }, 0, key, { model: 'gpt-4o' });
    expect(await client.learning(key)).toMatchObject({
      models: [{ model: 'gpt-4o', ratings: 1, score: 0 }],
    });
    await client.forget(key);
  });

  it('learns nothing of a model that was no candidate', async () => {
    const client = clientOf(gateway);
    const preference_id = await client.preference();
    const session_id = textAt((await client.select(one, { preference_id })).json, 'session_id');
    await client.rate({ session_id }, 0, one, { provider: 'mine', model: 'own' });
    expect(
      await client.learning(one, `/api/v1/preferences/${preference_id}/learning`),
    ).toMatchObject({ models: [] });
  });

  it('learns nothing of a model that was excluded', async () => {
    const client = clientOf(gateway);
    const json = { name: 'Mine', exclude: [near] };
    const preference_id = textAt(
      (await post(`${gateway.url}/api/v1/preferences`, json, one)).json,
      'id',
    );
    const session_id = textAt((await client.select(one, { preference_id })).json, 'session_id');
    await client.rate({ session_id }, 0, one, { provider: 'up', model: 'gpt-4o-mini' });
    expect(
      await client.learning(one, `/api/v1/preferences/${preference_id}/learning`),
    ).toMatchObject({ models: [] });
    await client.rate({ session_id }, 0, one, { model: 'gpt-4o' });
    await client.rate({ session_id }, 0);
    expect(
      await client.learning(one, `/api/v1/preferences/${preference_id}/learning`),
    ).toMatchObject({ models: [{ ratings: 1 }] });
  });

  it('learns nothing of a model whose quality was stated: nothing had been predicted', async () => {
    const client = clientOf(gateway);
    const preference_id = await client.preference();
    const llm_providers = [{ name: strong, attributes: { quality: 0.1 } }, { name: near }];
    const session_id = textAt(
      (await client.select(one, { preference_id, llm_providers })).json,
      'session_id',
    );
    await client.rate({ session_id }, 1, one, { provider: 'up', model: 'gpt-4o' });
    expect(
      await client.learning(one, `/api/v1/preferences/${preference_id}/learning`),
    ).toMatchObject({ models: [] });
  });

  it('says which keys taught what, and takes back what one taught or what came after a time', async () => {
    const client = clientOf(gateway);
    const preference_id = await client.preference();
    const path = `/api/v1/preferences/${preference_id}/learning`;
    const first = await client.chosen(one, { preference_id });
    await client.turn(one, { preference_id });
    const learning = await client.learning(one, path);
    expectConforms('learning.response', learning);
    const { ratings } = listAt(learning, 'keys')[0] as { ratings: number };
    const day = new Date().toISOString().slice(0, 10);
    expect(learning).toMatchObject({
      keys: [{ keyId: 'fixed:one', ratings }],
      days: [{ day: expect.stringMatching(/^\d{4}-/) as string, keyId: 'fixed:one', ratings }],
      models: [
        {
          keys: [{ keyId: 'fixed:one', ratings }],
          kinds: expect.arrayContaining([
            {
              kind: expect.any(Number) as number,
              name: expect.any(String) as string,
              move: expect.any(Number) as number,
            },
          ]) as unknown[],
        },
      ],
    });
    const forgotten = async (query: string): Promise<unknown> => {
      expect(await client.forget(one, `${path}?${query}`)).toBe(204);
      return listAt(await client.learning(one, path), 'models').length;
    };
    expect(await forgotten(`from=${Date.now() + 60_000}`)).toBe(1);
    for (const nothing of ['key=another', `key=fixed:one&model=${near}`, 'model=nosuch'])
      expect(await client.forget(one, `${path}?${nothing}`), nothing).toBe(404);
    for (const empty of ['key=', 'from=', 'model=', `key=&from=${day}`])
      expect(await client.forget(one, `${path}?${empty}`), empty).toBe(422);
    expect(await client.forget(one, `${path}?since=2027-01-31`)).toBe(400);
    expect(listAt(await client.learning(one, path), 'models')).toHaveLength(1);
    expect(await forgotten(`from=${day}&key=fixed:one`)).toBe(0);
    expect(await client.chosen(one, { preference_id })).toBe(first);
  });

  it('is forgotten by keys with the scope admin; any other takes back only what came with itself', async () => {
    const client = clientOf(gateway);
    const issued = async (name: string, scopes: string[]): Promise<[Headers, string]> => {
      const { json } = await post(`${gateway.url}/api/v1/keys`, { name, scopes }, two);
      return [{ authorization: `Bearer ${textAt(json, 'key')}` }, textAt(json, 'id')];
    };
    const [a, id] = await issued('mails', ['completions', 'model-select']);
    const [b, other] = await issued('code', ['completions', 'model-select']);
    await client.forget(two);
    for (const key of [a, b]) {
      const session_id = textAt((await client.select(key)).json, 'session_id');
      await client.rate({ session_id }, 0, key);
    }
    const preference_id = await client.preference(two);
    for (const query of ['', '?model=gpt-4o', '?from=2026-01-01', `?key=${other}`, '?key=code'])
      expect(await client.forget(a, `/api/v1/learning${query}`), query).toBe(403);
    expect(await client.forget(a, `/api/v1/preferences/${preference_id}/learning`)).toBe(403);
    expect(listAt(await client.learning(two), 'keys')).toHaveLength(2);
    expect(await client.forget(a, '/api/v1/learning?key=mails')).toBe(204);
    expect(await client.learning(two)).toMatchObject({ keys: [{ keyId: other }] });
    expect(await client.forget(a, `/api/v1/learning?key=${id}`)).toBe(404);
    expect(await client.forget(two)).toBe(204);
  });

  it('is taken back from a time on, and what comes later is learned again', async () => {
    const client = clientOf(gateway);
    const preference_id = await client.preference();
    const path = `/api/v1/preferences/${preference_id}/learning`;
    const rateOnce = async (score: number): Promise<void> => {
      const { json } = await client.select(one, { preference_id });
      await client.rate({ session_id: textAt(json, 'session_id') }, score);
    };
    await rateOnce(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const from = Date.now();
    await rateOnce(0);
    await client.forget(one, `${path}?from=${from}`);
    expect(await client.learning(one, path)).toMatchObject({ models: [{ ratings: 1, score: 1 }] });
    await rateOnce(0);
    expect(await client.learning(one, path)).toMatchObject({
      models: [{ ratings: 2, score: 0.5 }],
    });
  });

  it('is taken back by DELETE, here and on the other replica', async () => {
    const first = await clientOf(gateway).chosen(two);
    expect(await clientOf(gateway).chosen()).not.toBe(first);
    expect(await clientOf(gateway).forget()).toBe(204);
    expect(await clientOf(gateway).chosen()).toBe(first);
    await until(async () => (await clientOf(other).chosen()) === first);
    expect(await clientOf(gateway).learning()).toMatchObject({ models: [], updatedAt: null });
  });
});

describe.each(databasesOfRun)('outcomes on %s', (_name, make) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await make();
  });
  afterAll(async () => {
    upstream.script([]);
    await database.drop();
  });

  /** Has one model of two called often, and tells which is chosen after a restart. */
  const chosenAfter = async (
    step: Step,
    body: object,
  ): Promise<{ before: string; after: string; elsewhere: string; learning: unknown }> => {
    upstream.script([({ body: sent }): Step => (sent?.['model'] === 'gpt-4o' ? step : {})]);
    const gateway = await startGateway(configured(database.url));
    const client = clientOf(gateway);
    const preference_id = await client.preference();
    const before = await client.chosen(one, { preference_id });
    await Promise.all(
      Array.from({ length: 60 }, () => client.complete(one, { preference_id, ...body })),
    );
    await gateway.close();
    const again = await startGateway(configured(database.url));
    const learning = await clientOf(again).learning(
      one,
      `/api/v1/preferences/${preference_id}/learning`,
    );
    // what is not known yet is looked up by the first request, which waits for a moment only
    await clientOf(again).chosen(one, { preference_id });
    const [after, elsewhere] = [
      await clientOf(again).chosen(one, { preference_id }),
      await clientOf(again).chosen(),
    ];
    await again.close();
    return { before, after, elsewhere, learning };
  };

  const failing: [string, Step, object][] = [
    ['keeps refusing', { finish: 'content_filter' }, {}],
    ['keeps breaking off', { finish: 'length' }, {}],
  ];
  it.each<[string, Step, object]>([
    ['keeps failing', { status: 500 }, {}],
    ...(isWholeRun ? failing : []),
  ])('let a model fall behind that %s, for that preference alone', async (_what, step, body) => {
    const { before, after, elsewhere, learning } = await chosenAfter(step, body);
    expect([before, after, elsewhere]).toEqual([strong, near, strong]);
    expectConforms('learning.response', learning);
    expect(listAt(learning, 'outcomes')).toContainEqual(
      expect.objectContaining({
        provider: 'up',
        model: 'gpt-4o',
        answers: expect.closeTo(60, 1) as number,
        faults: expect.closeTo(60, 1) as number,
      }),
    );
  });

  const faultless: [string, Step, object][] = [
    ['our account there has met its limit', { status: 429 }, {}],
    ['our key there is refused', { status: 401 }, {}],
    ['the provider takes the request for wrong', { status: 400 }, {}],
  ];
  it.each<[string, Step, object]>([
    ['the client has bounded its answers', { finish: 'length' }, { maxTokens: 5 }],
    ...(isWholeRun ? faultless : []),
  ])('say nothing against a model where %s', async (_what, step, body) => {
    const { before, after, learning } = await chosenAfter(step, body);
    expect([before, after]).toEqual([strong, strong]);
    expect(learning).toMatchObject({ models: [], outcomes: [], updatedAt: null });
  });

  it('of one key alone move a model until they are taken back, and not beside what another key has met', async () => {
    let gateway = await startGateway(configured(database.url));
    const { json } = await post(
      `${gateway.url}/api/v1/keys`,
      { name: 'cut', scopes: ['completions'] },
      two,
    );
    const cut = { authorization: `Bearer ${textAt(json, 'key')}` };
    const complete = (headers: Headers, times: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: times }, () =>
          clientOf(gateway).complete(headers, { models: [strong] }),
        ),
      );
    /** What is chosen and known once all that waits is written. */
    const restarted = async (): Promise<[string, unknown]> => {
      await gateway.close();
      gateway = await startGateway(configured(database.url));
      const client = clientOf(gateway);
      const learning = await client.learning(two);
      await client.chosen(two);
      return [await client.chosen(two), listAt(learning, 'outcomes')[0]];
    };
    upstream.script([{ finish: 'length' }]);
    await complete(cut, 30);
    expect(await restarted()).toMatchObject([near, { faults: expect.closeTo(30, 1) as number }]);
    expect(await clientOf(gateway).forget(two, '/api/v1/learning?key=cut')).toBe(204);
    expect(await restarted()).toEqual([strong, undefined]);

    upstream.script([]);
    await complete(two, 20);
    upstream.script([{ finish: 'length' }]);
    await complete(cut, 30);
    const [chosen, outcomes] = await restarted();
    expect(chosen).toBe(strong);
    expect(outcomes).toMatchObject({ faults: expect.closeTo(30, 1) as number, loss: 0 });
    expect(listAt(outcomes, 'days')).toHaveLength(2);
    await gateway.close();
  });

  it('say nothing against a model whose answers the gateway itself has bounded', async () => {
    upstream.script([{ finish: 'length' }]);
    const priced = {
      [strong]: { inputPrice: 1, outputPrice: 2 },
      [near]: { inputPrice: 1, outputPrice: 2 },
    };
    const config = {
      ...configured(database.url),
      auth: { keys: [{ name: 'bounded', key: 'sk_bounded', limits: { dayBudgetUsd: 1_000 } }] },
      budgets: { maxOutputTokens: 5 },
      models: priced,
    };
    const gateway = await startGateway(config);
    expect((await clientOf(gateway).complete(bearer('bounded'))).status).toBe(200);
    expect(upstream.requests.at(-1)?.body?.['max_tokens']).toBe(5);
    await gateway.close();
    const again = await startGateway(config);
    expect(await clientOf(again).learning(bearer('bounded'))).toMatchObject({
      outcomes: [],
      updatedAt: null,
    });
    await again.close();
  });
});

describe('exploration', () => {
  const alike = 'up/gpt-4-turbo';
  const llm_providers = [{ name: strong }, { name: alike }, { name: 'up/llama-3-8b-instruct' }];
  const sameCost = {
    models: {
      [strong]: { inputPrice: 1, outputPrice: 2 },
      [alike]: { inputPrice: 1, outputPrice: 2 },
    },
  };
  /** A hundred decisions, which would hardly all be for the same model. */
  const choices = async (
    gateway: RunningGateway,
    body: object = {},
    batches = 5,
  ): Promise<string[]> => {
    const chosen: string[] = [];
    for (let batch = 0; batch < batches; batch++)
      chosen.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, () =>
            clientOf(gateway).chosen(one, { llm_providers, ...body }),
          ),
        )),
      );
    return chosen;
  };
  const others = (chosen: readonly string[]): number =>
    chosen.filter((label) => label === alike).length;
  const rateOnce = async (gateway: RunningGateway, body: object = {}): Promise<void> => {
    const client = clientOf(gateway);
    const { json } = await client.select(one, { llm_providers, ...body });
    await client.rate({ session_id: textAt(json, 'session_id') }, 1, one, {
      provider: 'up',
      model: 'gpt-4o',
    });
  };

  it('tries another plausible model in as many decisions as it is said, once somebody rates, and never in a conversation that goes on', async () => {
    const gateway = await startGateway({
      ...configured(':memory:', { exploration: 0.2 }),
      ...sameCost,
    });
    expect(others(await choices(gateway))).toBe(0);
    await rateOnce(gateway);
    const chosen = await choices(gateway, {}, 15);
    expect(new Set(chosen)).toEqual(new Set([strong, alike]));
    expect(others(chosen)).toBeGreaterThan(30);
    expect(others(chosen)).toBeLessThan(95);
    expect(await metricOf(gateway, 'signalbox_explored_total')).toBe(others(chosen));
    expect(await metricOf(gateway, 'signalbox_ratings_total')).toBe(1);
    const goingOn = {
      messages: [
        ...messages,
        { role: 'assistant', content: 'It scatters.' },
        { role: 'user', content: 'And at night?' },
      ],
    };
    expect(others(await choices(gateway, goingOn))).toBe(0);
    await gateway.close();
  });

  it('is never made in a session that goes on, though another process began it', async () => {
    const database = await databasesOfRun[0]![1]();
    const config = { ...configured(database.url, { exploration: 0.2 }), ...sameCost };
    const before = await startGateway(config);
    await rateOnce(before);
    const previous_session = textAt(
      (await clientOf(before).select(one, { llm_providers })).json,
      'session_id',
    );
    await before.close();
    const gateway = await startGateway(config);
    await until(async () => (await clientOf(gateway).chosen(one, { llm_providers })) === alike);
    expect(others(await choices(gateway, { previous_session }))).toBe(0);
    await gateway.close();
    await database.drop();
  });

  it('says of the candidate that it is tried', async () => {
    const gateway = await startGateway({
      ...configured(':memory:', { exploration: 0.2 }),
      ...sameCost,
    });
    await rateOnce(gateway);
    await until(async () => {
      const { json } = await clientOf(gateway).select(one, { llm_providers });
      const [first] = listAt(json, 'candidates');
      if (textAt(json, 'llm_label') !== alike) return false;
      expectConforms('model-select.response', json);
      expect(first).toMatchObject({
        explored: true,
        reason: expect.stringMatching(/^explored: /) as string,
      });
      return true;
    });
    await gateway.close();
  });

  it('is never made where its share is 0, by the configuration or by the preference', async () => {
    const none = await startGateway({ ...configured(':memory:', { exploration: 0 }), ...sameCost });
    await rateOnce(none);
    expect(others(await choices(none))).toBe(0);
    await none.close();
    const some = await startGateway({
      ...configured(':memory:', { exploration: 0.2 }),
      ...sameCost,
    });
    const { json } = await post(
      `${some.url}/api/v1/preferences`,
      { name: 'Steady', exploration: 0 },
      one,
    );
    const preference_id = textAt(json, 'id');
    await rateOnce(some, { preference_id });
    expect(others(await choices(some, { preference_id }))).toBe(0);
    expect(
      await clientOf(some).learning(one, `/api/v1/preferences/${preference_id}/learning`),
    ).toMatchObject({ exploration: 0, models: [{ ratings: 1 }] });
    await some.close();
  });
});

describe('with learning switched off', () => {
  it.each([
    ['by itself', { learning: false }],
    ['with the ranker that learns nothing', { ranker: 'prior' as const }],
  ])('%s feedback is stored and moves nothing', async (_what, routing) => {
    const gateway = await startGateway(configured(':memory:', routing));
    const client = clientOf(gateway);
    const first = await client.chosen();
    for (let rating = 0; rating < 20; rating++)
      await client.rate({ session_id: textAt((await client.select()).json, 'session_id') }, 0);
    expect(await client.chosen()).toBe(first);
    expect(await client.learning()).toMatchObject({ enabled: false, models: [], updatedAt: null });
    await gateway.close();
  });
});
