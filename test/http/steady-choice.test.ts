import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Candidate } from '../../src/index.js';
import { expressRows, startHost } from '../helpers/host.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt, numberAt, textAt } from '../helpers/json.js';
import { post } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const models = [
  'gpt-4o',
  'gpt-4o-mini',
  'claude-3-5-sonnet-20240620',
  'llama-3.1-70b-instruct',
  'llama-3.1-8b-instruct',
  'nobody-knows',
  'never-heard-of-7b',
].map((model) => `up/${model}`);
const priceOf = (at: number): number => [5, 0.3, 6, 0.9, 0.1, 2, 0.05][at]!;
const questions = [
  'Prove that there are infinitely many primes.',
  '法国的首都是哪里？',
  'Write a function in Rust that reverses a list.',
  '😀 \u202e\ud800',
  'a'.repeat(40_000),
];
const wishes = [{}, { tradeoff: 'cost' }, { tradeoff: 'latency' }];
const rows = questions.flatMap((content) =>
  wishes.map((wish) => [content.slice(0, 20), content, wish] as const),
);
/** Other orders of the same: turned by so many places, and backwards. */
const orders = <T>(all: readonly T[]): T[][] => [
  [...all],
  [...all.slice(3), ...all.slice(0, 3)],
  [...all].reverse(),
];

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    limits: { maxRetries: 0 },
    models: Object.fromEntries(
      models.map((model, at) => [
        model,
        { inputPrice: priceOf(at), outputPrice: 2 * priceOf(at), latency: 1 + at / 10 },
      ]),
    ),
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const explained = async (
  content: string,
  entries: readonly object[],
  wish: object = {},
): Promise<
  {
    label: string;
    quality: number;
    score: number;
    uncertainty: number;
    cost: number | null;
    excluded?: string;
  }[]
> => {
  const { status, json, text } = await post(
    `${gateway.url}/api/v1/model-select?explain=true`,
    { messages: [{ role: 'user', content }], llm_providers: entries, ...wish },
    gateway.auth,
  );
  expect(status, text).toBe(200);
  return (json as { candidates: ReturnType<typeof explained> extends Promise<infer T> ? T : never })
    .candidates;
};

describe.each(rows)('%j, asked by every way', (_what, content, wish) => {
  const messages = [{ role: 'user', content }];

  it('has the same model first however the candidates are ordered, and however often', async () => {
    const chosen: string[] = [];
    const host = await startHost(
      // with the key: what an account's own answers have taught holds for its requests
      expressRows[1][1]().post(
        '/chat',
        gateway.gateway.authenticate,
        gateway.gateway.selectModel,
        gateway.gateway.complete,
      ),
    );
    const chose = (headers: Record<string, unknown>): number =>
      chosen.push(String(headers['x-signalbox-model']));
    for (const order of [...orders(models), models]) {
      const selected = await post(
        `${gateway.url}/api/v1/model-select`,
        { messages, llm_providers: order.map((name) => ({ name })), ...wish },
        gateway.auth,
      );
      expect(listAt(selected.json, 'providers')).toHaveLength(models.length);
      chosen.push(textAt(selected.json, 'llm_label'));
      chose(
        (
          await post(
            `${gateway.url}/api/v1/completions`,
            { messages, models: order, ...wish },
            gateway.auth,
          )
        ).headers,
      );
      chose(
        (
          await post(
            `${gateway.url}/v1/chat/completions`,
            { messages, model: 'auto', models: order, ...wish },
            gateway.auth,
          )
        ).headers,
      );
      chose(
        (await post(`${host.url}/chat`, { messages, models: order, ...wish }, gateway.auth))
          .headers,
      );
    }
    await host.close();
    expect(new Set(chosen).size, chosen.join(' ')).toBe(1);
    expect(models).toContain(chosen[0]);
  });

  it('shows a probability for each candidate, and scores that never rise', async () => {
    const told = await explained(
      content,
      models.map((name) => ({ name })),
      wish,
    );
    expect(told.map(({ label }) => label).sort()).toEqual([...models].sort());
    expect(
      told.every(
        ({ quality, uncertainty, cost }) =>
          quality > 0 && quality < 1 && uncertainty > 0 && cost! > 0,
      ),
    ).toBe(true);
    expect(told.every(({ score }, at) => at === 0 || score <= told[at - 1]!.score)).toBe(true);
  });
});

describe('a choice over HTTP', () => {
  it('never moves a known model down because it costs less', async () => {
    const place = async (price: number): Promise<number> =>
      (
        await explained(
          'Why is the sky blue?',
          [
            { name: 'azure/gpt-4o', price: 5 },
            ...models.map((name, at) => ({ name, price: at === 0 ? price : priceOf(at) })),
          ],
          { tradeoff: 'cost' },
        )
      ).findIndex(({ label }) => label === models[0]);
    const places = await Promise.all([100, 6, 1, 0.2, 0.01, 0].map(place));
    expect(places).toEqual([...places].sort((a, b) => b - a));
    expect(places.at(-1)).toBeLessThan(places[0]!);
  });

  it('takes a model by any name that it goes by for the same, and one of another size or kind for another', async () => {
    const aliases = [
      'openai/gpt-4o-2024-08-06',
      'gpt-4o',
      'azure/gpt-4o',
      'GPT-4o',
      'openrouter/openai/gpt-4o:extended',
    ];
    const others = ['gpt-4o-mini', 'gpt-4', 'o1', 'gpt-4o-audio-preview'];
    const told = await explained(
      'Why is the sky blue?',
      [...aliases, ...others].map((name) => ({ name, price: 1 })),
    );
    const qualities = (names: string[]): number[] =>
      names.map((name) => told.find(({ label }) => label === name)!.quality);
    const [same] = new Set(qualities(aliases));
    expect(new Set(qualities(aliases)).size).toBe(1);
    expect(qualities(others)).not.toContain(same);
  });

  it('of one candidate is that one, of equals the one given first', async () => {
    expect((await explained('Hi', [{ name: 'only' }])).map(({ label }) => label)).toEqual(['only']);
    const twice = [
      { name: 'same', provider: 'up', model: 'gpt-4o' },
      { name: 'same', provider: 'up', model: 'gpt-4o' },
    ];
    expect(await explained('Hi', twice)).toHaveLength(2);
  });

  it('shows a stated quality unchanged, and shortens the list at max_model_depth alone', async () => {
    const entries = [
      { name: 'up/gpt-4o' },
      { name: 'mine', attributes: { quality: 1 } },
      { name: 'worst', attributes: { quality: 0 } },
    ];
    const reply = await post(
      `${gateway.url}/api/v1/model-select?explain=true`,
      { messages: [{ role: 'user', content: 'Hi' }], llm_providers: entries, max_model_depth: 1 },
      gateway.auth,
    );
    expect(textAt(reply.json, 'llm_label')).toBe('mine');
    expect(listAt(reply.json, 'providers')).toHaveLength(1);
    expect(
      listAt(reply.json, 'candidates').map((one) => [
        textAt(one, 'label'),
        numberAt(one, 'quality'),
      ]),
    ).toMatchObject([
      ['mine', 1],
      ['up/gpt-4o', expect.any(Number)],
      ['worst', 0],
    ]);
  });
});

describe.each(expressRows)("a host's own candidates, in %s,", (_version, express) => {
  it('with figures that are none are weighed as if those were not known', async () => {
    const absurd = [NaN, Infinity, -Infinity, -1, 1e300];
    const candidates: Candidate[] = [
      { label: 'plain', provider: 'up', model: 'mine' },
      ...absurd.map((figure, at) => ({
        label: `absurd ${at}\r\nx-evil: é\ud800`,
        provider: 'up',
        model: 'mine',
        price: { input: figure, output: figure },
        latency: figure,
        attributes: { quality: figure, context_length: figure },
      })),
    ];
    const app = express().post(
      '/chat',
      gateway.gateway.selectModelWith({
        candidates,
        from: () => ({ messages: [{ role: 'user', content: 'Hi' }], tradeoff: 'cost' }),
      }),
      gateway.gateway.complete,
    );
    const host = await startHost(app);
    const { status, headers, text } = await post(`${host.url}/chat`, {
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(status, text).toBe(200);
    expect(headers).not.toHaveProperty('x-evil');
    const told = JSON.parse(String(headers['x-signalbox-routing'])) as {
      candidates: { label: string; quality: number; cost: null }[];
      omitted?: number;
    };
    expect(told.candidates.length + (told.omitted ?? 0)).toBe(candidates.length);
    expect(told.candidates[0]!.label).toBe('plain');
    expect(new Set(told.candidates.map(({ quality }) => quality)).size).toBe(1);
    await host.close();
  });
});
