import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import { post } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import type { Upstream } from '../helpers/upstream.js';
import { ask, type Heard, wayRows, ways } from '../helpers/ways.js';

const [streamed, whole, openaiStreamed] = ways as [
  (typeof ways)[0],
  (typeof ways)[0],
  (typeof ways)[0],
];
// no wait between attempts
const busy: Step = { status: 503, headers: { 'retry-after-ms': '0' } };

let upstream: Upstream;
let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays, upstream } = await startScripted((up) => ({ providers: { up, other: up } })));
});
afterAll(() => gateway.close());

/** Names for models that are scripted. */
const scripted = (...steps: Step[][]): string[] =>
  steps.map((each) => {
    const model = plays.newModel();
    plays.set(model, ...each);
    return model;
  });
const askFor = (
  models: readonly (string | undefined)[],
  more: Record<string, unknown> = {},
  way = whole,
): Promise<Heard> =>
  ask(gateway, way, { models: models.map((model) => `up/${model ?? ''}`), more });

describe('maxRetries', () => {
  it.each([
    [0, 1],
    [1, 2],
    [3, 4],
    [10, 11],
    [11, 11],
    [1_000_000, 11],
  ])('of %i makes %i calls of a model that goes on failing', async (maxRetries, calls) => {
    const [model] = scripted([busy]);
    const heard = await askFor([model], { maxRetries });
    expect(heard.status).toBe(503);
    expect(plays.of(model ?? '')).toHaveLength(calls);
    expect(heard.errorTrace.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: calls }, (_, n) => n + 1),
    );
  });

  it.each(wayRows)('is 2 where nobody says, asked %s', async (_name, way) => {
    const [model] = scripted([busy]);
    expect((await askFor([model], {}, way)).errorTrace).toHaveLength(3);
    expect(plays.of(model ?? '')).toHaveLength(3);
  });

  it('comes from the configuration where the request has none', async () => {
    const patient = await startGateway({
      limits: { maxRetries: 4 },
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    });
    const [model] = scripted([busy]);
    for (const way of [streamed, openaiStreamed])
      expect((await ask(patient, way, { models: [`up/${model ?? ''}`] })).errorTrace).toHaveLength(
        5,
      );
    await patient.close();
  });

  it('is counted separately for each model', async () => {
    const [one, two, three] = scripted([busy], [busy], [busy, {}]);
    const heard = await askFor([one, two, three], { maxRetries: 1 }, streamed);
    expect(heard).toMatchObject({ ended: 'whole', model: three });
    expect(heard.errorTrace.map(({ model, attempt }) => [model, attempt])).toEqual([
      [one, 1],
      [one, 2],
      [two, 1],
      [two, 2],
      [three, 1],
    ]);
  });

  it('counts retries after different failures together', async () => {
    const [model] = scripted([
      busy,
      { status: 429, headers: { 'retry-after-ms': '1' } },
      { status: 500, headers: { 'retry-after-ms': '1' } },
      {},
    ]);
    expect(await askFor([model], { maxRetries: 2 })).toMatchObject({ status: 502 });
    expect(plays.of(model ?? '')).toHaveLength(3);
  });

  it.each([-1, 0.5, '2'])('is refused as %j', async (maxRetries) => {
    const [model] = scripted([{}]);
    expect(await askFor([model], { maxRetries })).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^maxRetries: /) as string,
    });
    expect(plays.of(model ?? '')).toHaveLength(0);
  });
});

describe('fallback models', () => {
  it.each(wayRows)(
    'are tried in the order given, whatever the ranking would say, asked %s',
    async (_name, way) => {
      const models = scripted([{ status: 404 }], [{ status: 404 }], [{ status: 404 }], [{}], [{}]);
      const heard = await askFor(models, {}, way);
      expect(heard).toMatchObject({ ended: 'whole', model: models[3] });
      expect(models.map((model) => plays.of(model).length)).toEqual([1, 1, 1, 1, 0]);
      const times = models.slice(0, 4).map((model) => plays.of(model)[0]?.at ?? 0);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    },
  );

  it('are tried after all of the models', async () => {
    const [first, second, fallback] = scripted([{ status: 404 }], [{ status: 404 }], [{}]);
    const body = {
      messages: [{ role: 'user', content: 'Hi' }],
      order: 'given',
      models: [`up/${first ?? ''}`, `up/${second ?? ''}`],
      fallback_models: [`other/${fallback ?? ''}`],
    };
    const { json } = await post(`${gateway.url}/api/v1/completions`, body, gateway.auth);
    expect(json).toMatchObject({
      provider: 'other',
      model: fallback,
      errorTrace: [{ model: first }, { model: second }],
    });
  });

  it('are not called where the first model answers', async () => {
    const [first, fallback] = scripted([{}], [{}]);
    const heard = await askFor([first, fallback]);
    expect(heard).toMatchObject({ model: first, errorTrace: [] });
    expect(heard.last).not.toHaveProperty('errorTrace');
    expect(plays.of(fallback ?? '')).toHaveLength(0);
  });
});

describe('a model that cannot be called', () => {
  it.each(wayRows)('is passed over, and the answer says why, asked %s', async (_name, way) => {
    const [good] = scripted([{}]);
    const heard = await ask(gateway, way, { models: ['nobody/x', `up/${good ?? ''}`] });
    expect(heard).toMatchObject({ ended: 'whole', model: good });
    if (way.surface === 'native')
      expect(heard.errorTrace).toEqual([
        {
          provider: 'nobody',
          model: 'x',
          error: expect.stringMatching(/^provider "nobody" is not configured/) as string,
          status: null,
          attempt: 0,
          latency: 0,
        },
      ]);
  });

  it('is in the error trace beside those that were called, where all fail', async () => {
    const [gone] = scripted([{ status: 404 }]);
    const heard = await ask(gateway, whole, { models: ['nobody/x', `up/${gone ?? ''}`] });
    expect(heard).toMatchObject({
      status: 422,
      errorTrace: [
        { provider: 'nobody', status: null },
        { provider: 'up', model: gone, status: 404 },
      ],
    });
  });

  it.each([...wayRows])(
    'is an error of the request where nothing else is left, asked %s',
    async (_name, way) => {
      const heard = await ask(gateway, way, { models: ['nobody/x', 'noone/y'] });
      expect(heard.status).toBe(way.surface === 'native' ? 422 : 404);
      expect(heard.message).toMatch(
        way.surface === 'native'
          ? /^models\[0\]: provider "nobody" is not configured/
          : /^model: provider "nobody" is not configured/,
      );
    },
  );

  it('may be one that the key may not use', async () => {
    const [first, good] = scripted([{}], [{}]);
    const limited = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      auth: { keys: [{ name: 'few', key: 'sk_few', models: [`up/${good ?? ''}`] }] },
    });
    const heard = await ask(limited, streamed, {
      models: [`up/${first ?? ''}`, `up/${good ?? ''}`],
    });
    expect(heard).toMatchObject({
      ended: 'whole',
      model: good,
      errorTrace: [{ provider: 'up', model: first, status: null, attempt: 0 }],
    });
    expect(plays.of(first ?? '')).toHaveLength(0);
    await limited.close();
  });
});

describe('a failed attempt', () => {
  it('leaves none of its citations in the answer of the next attempt', async () => {
    const delta = {
      content: 'Wrong',
      annotations: [
        { type: 'url_citation', url_citation: { url: 'https://wrong.test/', title: 'Wrong' } },
      ],
    };
    const cut: Step = {
      raw: Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`),
      contentType: 'text/event-stream',
    };
    const [model] = scripted([cut, {}]);
    const heard = await askFor([model], { maxRetries: 1 });
    expect(heard).toMatchObject({ status: 200, text: 'Hello', errorTrace: [{ attempt: 1 }] });
    expect(heard.last).toMatchObject({ message: { content: [{ type: 'text', text: 'Hello' }] } });
    expect(JSON.stringify(heard.last)).not.toContain('wrong.test');
  });
});
