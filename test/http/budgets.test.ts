import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { openStore } from '../../src/store/open-store.js';
import { isWholeRun } from '../helpers/runs.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const budget = (
  name: string,
  dayBudgetUsd: number,
  more: object = {},
): { name: string; key: string; limits: object } => ({
  name,
  key: `sk_${name}`,
  limits: { dayBudgetUsd, ...more },
});
const keys = [
  { name: 'test', key: 'sk_free' },
  // an answer of ten tokens costs 0.01 USD
  budget('quarter', 0.25),
  budget('tight', 0.15),
  budget('nothing', 0),
  budget('month', 100, { monthBudgetUsd: 0.05 }),
  budget('rich', 1000),
  { name: 'requests', key: 'sk_requests', limits: { requestsPerMinute: 2 } },
];

let upstream: Upstream;
let gateway: RunningGateway;
type Config = NonNullable<Parameters<typeof startGateway>[0]>;
const configured = (more: Partial<Config> = {}): Config => ({
  auth: { keys },
  providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, allowProxy: true } },
  models: {
    'up/m': { inputPrice: 0, outputPrice: 1000 },
    'up/dear': { inputPrice: 0, outputPrice: 100_000 },
    'up/prompt': { inputPrice: 1000, outputPrice: 0, contextLength: 200_000 },
  },
  limits: { maxRetries: 0 },
  ...more,
});
beforeEach(async () => {
  upstream = await startUpstream();
  gateway = await startGateway(configured());
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** Another gateway in place of this one. */
async function restart(
  config: Config,
  options: Parameters<typeof startGateway>[1] = {},
): Promise<void> {
  await gateway.close();
  gateway = await startGateway(config, options);
}

const as = (name: string): { authorization: string } => ({ authorization: `Bearer sk_${name}` });
const native = (name: string, more: object = {}): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages, models: ['up/m'], maxTokens: 10, ...more },
    as(name),
  );
const openai = (name: string, more: object = {}): Promise<Reply> =>
  post(
    `${gateway.url}/v1/chat/completions`,
    { messages, model: 'up/m', max_tokens: 10, ...more },
    as(name),
  );
const embed = (name: string, model: string): Promise<Reply> =>
  post(`${gateway.url}/v1/embeddings`, { model, input: 'a' }, as(name));
const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status);
const passed = (replies: readonly Reply[]): number =>
  statuses(replies).filter((status) => status === 200).length;
const times = (count: number, call: () => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, call));
/** A text of which the twelve samples that its size is estimated by hold nothing. */
function blankWhereSampled(length: number): string {
  const text = Array.from('word '.repeat(length / 5));
  for (let n = 0; n < 12; n++)
    text.fill(
      ' ',
      Math.floor((n * (length - 1024)) / 11),
      Math.floor((n * (length - 1024)) / 11) + 1024,
    );
  return text.join('');
}
/** What budgets count: the spend and what is held. */
const charged = async (): Promise<number> =>
  (await metricOf(gateway, 'signalbox_cost_usd_total')) +
  (await metricOf(gateway, 'signalbox_held_usd_total'));
/** Whole seconds to midnight, UTC. */
const untilMidnight = (): number => Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000);

describe('a budget', () => {
  it('is not overspent by two hundred requests at the same time, and not wasted either', async () => {
    upstream.script([{ usage: { prompt: 10, completion: 10 }, delayMs: 50 }]);
    const replies = await times(200, () => native('quarter'));
    expect(passed(replies)).toBe(25);
    expect(statuses(replies).filter((status) => status === 429)).toHaveLength(175);
    expect(upstream.requests).toHaveLength(25);
    expect(await metricOf(gateway, 'signalbox_cost_usd_total')).toBeCloseTo(0.25, 9);
    expect(await metricOf(gateway, 'signalbox_limited_total', 'limit="usd_day"')).toBe(175);
  });

  it('is not overspent by answers of any length, however they are mixed', async () => {
    let n = 0;
    upstream.script([() => ({ usage: { prompt: 10, completion: ++n % 11 }, delayMs: n % 20 })]);
    await times(100, () => native('quarter'));
    while ((await native('quarter')).status === 200);
    const spent = await metricOf(gateway, 'signalbox_cost_usd_total');
    expect(spent).toBeLessThanOrEqual(0.25);
    // less than one more answer is left
    expect(spent).toBeGreaterThan(0.25 - 0.01 - 1e-9);
  });

  it('that is spent is 429 until midnight, in words that official clients do not try again on', async () => {
    upstream.script([{ usage: { prompt: 10, completion: 10 } }]);
    for (let n = 0; n < 25; n++) expect((await native('quarter')).status).toBe(200);
    const longest = untilMidnight();
    const refused = await native('quarter');
    const shortest = untilMidnight();
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'x-should-retry': 'false' },
      json: {
        message: expect.stringMatching(
          /^limits: this key may spend 0\.25 USD a day \(UTC\), 0\.25 USD are spent, held or reserved .* may cost up to 0\.01 USD/,
        ) as string,
      },
    });
    expect(textAt(refused.json, 'message')).toMatch(
      /; a smaller `max_tokens` \(`maxTokens`\) lowers that$/,
    );
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(longest);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(shortest);
    expect(await openai('quarter')).toMatchObject({
      status: 429,
      headers: { 'x-should-retry': 'false' },
      json: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
    });
  });

  it('holds more than is used only while a request is under way', async () => {
    upstream.script([{ usage: { prompt: 10, completion: 1 } }]);
    for (let n = 0; n < 10; n++)
      expect((await native('tight', { maxTokens: 100 })).status).toBe(200);
    upstream.script([{ usage: { prompt: 10, completion: 1 }, delayMs: 100 }]);
    const replies = await times(2, () => openai('tight', { max_tokens: 100 }));
    expect(statuses(replies).sort()).toEqual([200, 429]);
    const refused = replies.find(({ status }) => status === 429);
    // others hold it: worth another try soon
    expect(refused).toMatchObject({
      json: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
    });
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(refused?.headers['x-should-retry']).toBeUndefined();
  });

  it('of a month holds beside that of a day', async () => {
    upstream.script([{ usage: { prompt: 10, completion: 10 } }]);
    expect(passed(await times(10, () => native('month')))).toBe(5);
    expect(textAt((await native('month')).json, 'message')).toContain('0.05 USD a month (UTC)');
    expect(await metricOf(gateway, 'signalbox_limited_total', 'limit="usd_month"')).toBe(6);
  });

  it('of 0 refuses every request', async () => {
    expect(
      statuses([
        await native('nothing'),
        await openai('nothing'),
        await embed('nothing', 'up/prompt'),
      ]),
    ).toEqual([402, 402, 402]);
    expect(upstream.requests).toEqual([]);
  });

  it('must cover the dearest of all candidates, which a fallback may be', async () => {
    expect((await native('quarter', { fallback_models: ['up/dear'] })).status).toBe(402);
    expect((await native('rich', { fallback_models: ['up/dear'] })).status).toBe(200);
  });

  it('must cover every byte of the prompt', async () => {
    // 1,000 USD for a million tokens, a token for each byte at most
    expect(
      (
        await native('rich', {
          models: ['up/prompt'],
          messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }],
        })
      ).status,
    ).toBe(402);
    expect(
      (
        await native('rich', {
          models: ['up/prompt'],
          messages: [{ role: 'user', content: 'x'.repeat(900_000) }],
        })
      ).status,
    ).toBe(200);
  });

  it('must cover each of several answers', async () => {
    expect((await openai('tight', { n: 20 })).status).toBe(402);
    expect((await openai('tight', { n: 2 })).status).toBe(200);
  });

  it.each(['/v1/chat/completions', '/v1/completions', '/proxy/up/v1/chat/completions'])(
    'must cover the answer that the provider is asked for at %s, not a length that only a prototype states',
    async (path) => {
      const asked = path.startsWith('/proxy') ? 'm' : 'up/m';
      const prompt = path === '/v1/completions' ? { prompt: 'Say hello' } : { messages };
      const hidden: unknown = JSON.parse(
        '{"__proto__":{"max_tokens":1,"max_completion_tokens":1}}',
      );
      const body = { ...(hidden as object), model: asked, ...prompt };
      const replies = await times(10, () => post(gateway.url + path, body, as('quarter')));
      expect(statuses(replies)).toEqual(replies.map(() => 402));
      expect(upstream.requests).toEqual([]);
    },
  );

  it('is charged for the longest answer if no usage is reported for an embedding, or the client has left', async () => {
    const vectors = {
      object: 'list',
      model: 'prompt',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
    };
    const input = 'one word after another '.repeat(20);
    upstream.script([
      { raw: Buffer.from(JSON.stringify(vectors)), contentType: 'application/json' },
    ]);
    const embedAll = (): Promise<Reply> =>
      post(`${gateway.url}/v1/embeddings`, { model: 'up/prompt', input }, as('rich'));
    expect((await embedAll()).status).toBe(200);
    const once = await charged();
    // a token for each of 460 bytes, for 1,000 USD a million
    expect(once).toBeGreaterThan(0.46);
    expect(
      (
        await post(
          `${gateway.url}/v1/embeddings`,
          { model: 'up/prompt', input: blankWhereSampled(200_000) },
          as('rich'),
        )
      ).status,
    ).toBe(200);
    const before = await charged();
    expect(before - once).toBeGreaterThanOrEqual(200);
    upstream.script([{ hang: 'beforeHeaders' }]);
    const leaving = new AbortController();
    const left = fetch(`${gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { ...as('rich'), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'up/prompt', input }),
      signal: leaving.signal,
    }).catch(() => null);
    await upstream.received(2);
    leaving.abort();
    await left;
    await until(async () => (await charged()) > before);
    expect(await charged()).toBeCloseTo(before + once, 9);
  });

  it.each<[string, () => unknown]>([
    ['text that is blank wherever samples are taken of it', () => blankWhereSampled(400_000)],
    ['a file that is only named', () => [{ type: 'file', file: { file_id: 'file-1' } }]],
    [
      'a picture by its address',
      () => [{ type: 'image_url', image_url: { url: 'https://x.test/a.mp4' } }],
    ],
    [
      'a file that it holds',
      () => [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }],
    ],
  ])(
    'is charged for the whole prompt where the client has left before anybody counted it: %s',
    async (_what, contentOf) => {
      upstream.script([{ hang: 'afterContent', text: ['x'] }]);
      const body = {
        messages: [{ role: 'user', content: contentOf() }],
        model: 'up/prompt',
        max_tokens: 10,
        stream: true,
      };
      await postStream(`${gateway.url}/v1/chat/completions`, body, {
        headers: as('rich'),
        abortAfterFrames: 1,
      });
      // a hundred thousand tokens for 1,000 USD a million
      await until(async () => (await charged()) >= 90);
    },
  );

  it('is free again after a request that the provider refused', async () => {
    upstream.script([{ status: 500 }, { status: 503 }, { status: 400 }, { status: 429 }, {}]);
    const replies: Reply[] = [];
    for (let n = 0; n < 5; n++) replies.push(await native('tight', { maxTokens: 100 }));
    expect(statuses(replies)).toEqual([502, 503, 422, 429, 200]);
  });
});

describe('a request that does not say how long its answer may be', () => {
  it('is held to the configured length where its key has a budget', async () => {
    await restart(configured({ budgets: { maxOutputTokens: 12 } }));
    expect((await native('tight', { maxTokens: null })).status).toBe(200);
    expect((await openai('tight', { max_tokens: undefined })).status).toBe(200);
    const zeros = { max_tokens: 0, max_completion_tokens: 0 };
    expect((await openai('tight', zeros)).status).toBe(200);
    expect((await native('tight', { maxTokens: 7 })).status).toBe(200);
    expect((await native('free', { maxTokens: null })).status).toBe(200);
    expect(upstream.requests.map(({ body }) => body?.['max_tokens'])).toEqual([
      12,
      12,
      12,
      7,
      undefined,
    ]);
  });

  it('holds the longest that the model can write where nothing is configured', async () => {
    await restart(
      configured({
        models: {
          'up/short': { inputPrice: 0, outputPrice: 1000, maxOutput: 150 },
          'up/long': { inputPrice: 0, outputPrice: 1000, contextLength: 200 },
        },
      }),
    );
    expect((await native('tight', { models: ['up/short'], maxTokens: null })).status).toBe(200);
    expect((await native('tight', { models: ['up/long'], maxTokens: null })).status).toBe(402);
    expect(upstream.requests.map(({ body }) => body?.['max_tokens'])).toEqual([undefined]);
  });
});

describe('a model without a known price', () => {
  const reason =
    'its price is not known, and this key has a budget: set `models.up/gpt-unknown.inputPrice` and `outputPrice`, or `budgets.allowUnpriced`';

  it('is passed over for a key with a budget', async () => {
    const reply = await native('rich', { models: ['up/gpt-unknown', 'up/m'], order: 'given' });
    expect(reply).toMatchObject({
      status: 200,
      json: { errorTrace: [{ provider: 'up', model: 'gpt-unknown', error: reason, attempt: 0 }] },
    });
    expect(upstream.requests.map(({ body }) => body?.['model'])).toEqual(['m']);
  });

  it('is refused where there is no other', async () => {
    expect(await native('rich', { models: ['up/gpt-unknown'] })).toMatchObject({
      status: 422,
      json: { message: `models[0]: ${reason}` },
    });
    expect(await openai('rich', { model: 'up/gpt-unknown' })).toMatchObject({
      status: 400,
      json: { error: { message: `model: ${reason}`, param: 'model' } },
    });
    expect(await embed('rich', 'up/gpt-unknown')).toMatchObject({
      status: 400,
      json: { error: { message: `model: ${reason}` } },
    });
    expect(await embed('rich', 'up/prompt')).toMatchObject({ status: 200 });
  });

  it("costs nothing at a server of one's own, and a key with a budget may use it", async () => {
    for (const request of [{}, { tradeoff: 'cost' }])
      expect(await native('rich', { models: ['up/of-our-own', 'up/m'], ...request })).toMatchObject(
        { status: 200, json: { model: 'of-our-own' } },
      );
    expect(await embed('rich', 'up/of-our-own')).toMatchObject({ status: 200 });
  });

  it('may be used by keys without a budget', async () => {
    expect(
      statuses([
        await native('free', { models: ['up/gpt-unknown'] }),
        await native('requests', { models: ['up/gpt-unknown'] }),
        await embed('free', 'up/gpt-unknown'),
      ]),
    ).toEqual([200, 200, 200]);
  });

  it('may be used where the configuration says so, as may what passes through', async () => {
    await restart(configured({ budgets: { allowUnpriced: true } }));
    expect(
      statuses([
        await native('rich', { models: ['up/gpt-unknown'] }),
        await embed('rich', 'up/gpt-unknown'),
      ]),
    ).toEqual([200, 200]);
    expect((await ask('GET', `${gateway.url}/proxy/up/models`, as('rich'))).status).not.toBe(403);
    expect((await ask('GET', `${gateway.url}/proxy/up/models`, as('nothing'))).status).toBe(402);
  });

  it('is why a key with a budget may not pass through to a provider', async () => {
    expect(await ask('GET', `${gateway.url}/proxy/up/models`, as('rich'))).toMatchObject({
      status: 403,
      json: {
        message:
          'proxy: this API key has a budget, but the usage of requests passed through to up is not counted',
      },
    });
    expect(upstream.requests).toEqual([]);
  });
});

describe('a request for what costs more than its tokens', () => {
  const extras: [string, object][] = [
    ['service_tier', { service_tier: 'priority' }],
    ['plugins', { plugins: [{ id: 'web' }] }],
    ['modalities', { modalities: ['text', 'image'] }],
    ['audio', { audio: { voice: 'alloy', format: 'wav' } }],
    ['search_parameters', { search_parameters: { mode: 'on' } }],
    ['enable_search', { enable_search: true }],
    ['background', { background: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['generationConfig', { generationConfig: { maxOutputTokens: 65_536, candidateCount: 8 } }],
    ['serviceTier', { serviceTier: { type: 'priority' } }],
    ['performanceConfig', { performanceConfig: { latency: 'optimized' } }],
    ['additionalModelRequestFields', { additionalModelRequestFields: { max_tokens: 64_000 } }],
    ['provider', { provider: { only: ['the dearest'] } }],
    ['cachedContent', { cachedContent: 'cachedContents/long' }],
    ['extra_body', { extra_body: { google: { cached_content: 'cachedContents/long' } } }],
    ['best_of', { best_of: 8 }],
    ['a_field_of_next_year', { a_field_of_next_year: { deep: true } }],
    [
      'tools[0]',
      {
        tools: [
          { type: 'function', function: { name: 'f' }, systemTool: { name: 'nova_grounding' } },
        ],
      },
    ],
    [
      'tools[1]',
      { tools: [{ type: 'function', function: { name: 'f' } }, { type: 'web_search' }] },
    ],
  ];

  it.each(extras)('is refused to a key with a budget where it names %s', async (field, extra) => {
    expect(await openai('rich', extra)).toMatchObject({
      status: 400,
      json: {
        error: {
          param: field,
          message: `${field}: it may cost more than tokens, and this key has a budget; \`budgets.allowUnpriced\` allows it without charging for that`,
        },
      },
    });
    expect(upstream.requests).toEqual([]);
    expect((await openai('requests', extra)).status).toBe(200);
  });

  it.each([
    'm:online',
    'gpt-4o-search-preview',
    'gpt-5-search-api',
    'o3-deep-research',
    'gpt-4o-audio-preview',
    'gpt-realtime',
    'computer-use-preview',
    'gemini-2.5-flash-image',
    'gemini-2.5-pro-preview-tts',
    'sonar-deep-research',
    'perplexity/sonar-pro',
    'groq/compound-mini',
    'grok-2-image',
    'amazon.nova-2-sonic-v1:0',
  ])('is refused to a key with a budget where its model is %s', async (model) => {
    await restart(
      configured({ models: { [`up/${model}`]: { inputPrice: 0, outputPrice: 1000 } } }),
    );
    expect(await openai('rich', { model: `up/${model}` })).toMatchObject({
      status: 400,
      json: {
        error: {
          message: expect.stringMatching(
            /charges for more than text.*`budgets\.allowUnpriced`/,
          ) as string,
        },
      },
    });
    expect(upstream.requests).toEqual([]);
    expect((await openai('requests', { model: `up/${model}` })).status).toBe(200);
  });

  it('is refused in an embedding that is not of text', async () => {
    const embedding = (more: object): Promise<Reply> =>
      post(`${gateway.url}/v1/embeddings`, { model: 'up/prompt', input: 'a', ...more }, as('rich'));
    expect((await embedding({ images: ['data:image/png;base64,AAAA'] })).status).toBe(400);
    expect((await embedding({ input: [{ image: 'https://x.test/a.png' }] })).status).toBe(400);
    expect((await embedding({ input: [[1, 2], [3]], dimensions: 8 })).status).toBe(200);
  });

  it('is served where it names what costs nothing', async () => {
    for (const extra of [
      { service_tier: 'flex' },
      { service_tier: null },
      { plugins: [] },
      { modalities: ['text'] },
      { prompt_cache_options: { mode: 'explicit' } },
      { tools: [{ type: 'function', function: { name: 'f' } }] },
    ]) {
      expect((await openai('rich', extra)).status).toBe(200);
    }
  });

  it('is served where the configuration says so', async () => {
    await restart(configured({ budgets: { allowUnpriced: true } }));
    for (const [, extra] of extras) expect((await openai('rich', extra)).status).toBe(200);
  });
});

describe('a file, whose tokens its bytes do not tell', () => {
  const part = { type: 'file', file: { file_id: 'file-1' } };
  const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
  const asking = (content: object, more: object = {}): Promise<Reply> =>
    openai('rich', { messages: [{ role: 'user', content: [content] }], ...more });

  it('is refused to a key with a budget where the context length of the model is not known', async () => {
    expect(await asking(part)).toMatchObject({
      status: 400,
      json: {
        error: {
          message:
            'model: the tokens of a file have no known bound, and this key has a budget: set `models.up/m.contextLength`, or `budgets.allowUnpriced`',
        },
      },
    });
    expect((await asking(part, { model: 'up/prompt' })).status).toBe(200);
  });

  it('is refused where it is sound whose price is not known', async () => {
    expect((await asking(sound, { model: 'up/prompt' })).status).toBe(400);
    await restart(
      configured({
        providers: { google: { api: 'gemini', baseUrl: `${upstream.url}/v1beta`, apiKey: 'k' } },
      }),
    );
    const model = 'google/gemini-2.5-flash';
    expect((await asking(sound, { model })).status).toBe(200);
    const left = await metricOf(gateway, 'signalbox_cost_usd_total');
    expect(left).toBeGreaterThan(0);
  });
});

describe('what a budget has spent', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-budgets-'));
  });
  // not after each: a gateway whose file is gone waits for it when it closes
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['with a request log', true],
    ...(isWholeRun ? [['without one', false] as const] : []),
  ] as const)('is remembered over a restart, %s', async (_how, enabled) => {
    const config = configured({
      database: { url: `file:${join(folder, `${enabled}.db`)}` },
      requestLog: { enabled },
    });
    await restart(config);
    upstream.script([{ usage: { prompt: 10, completion: 10 } }]);
    expect(passed(await times(10, () => native('quarter')))).toBe(10);
    await restart(config);
    expect(passed(await times(40, () => native('quarter')))).toBe(15);
  });

  it('is not guessed while the database is away: budgets let nothing pass, other limits go on', async () => {
    const store = await openStore(':memory:', { poolSize: 1, onWarning: () => undefined });
    const spentUsd = (): Promise<number> =>
      Promise.reject(new GatewayError('unavailable', 'the database is away'));
    const requests = Object.create(store.requests, {
      spentUsd: { value: spentUsd },
    }) as typeof store.requests;
    const away = Object.create(store, { requests: { value: requests } }) as typeof store;
    await restart(configured(), {
      databases: new LazyDatabases(
        () => Promise.resolve({ store: away, counters: createMemoryCounters() }),
        true,
      ),
    });
    expect(await native('rich')).toMatchObject({
      status: 503,
      json: { message: 'limits: what has been spent of this budget cannot be read at the moment' },
    });
    expect(upstream.requests).toEqual([]);
    expect(
      statuses([await native('requests'), await native('requests'), await native('requests')]),
    ).toEqual([200, 200, 429]);
  });
});

describe("a model's own web search", () => {
  const searching = (options: object): Config =>
    configured({
      providers: {
        up: { api: 'anthropic', baseUrl: `${upstream.url}/v1`, apiKey: 'k' },
        router: { api: 'openrouter', baseUrl: `${upstream.url}/v1`, apiKey: 'k' },
      },
      models: {
        'up/claude-sonnet-4-5': { inputPrice: 0, outputPrice: 1000, ...options },
        'router/x/y': { inputPrice: 0, outputPrice: 1000, searchPrice: 0.05 },
      },
    });
  const search = (name: string, uses: number | null, model = 'up/claude-sonnet-4-5') =>
    openai(name, { model, web_search_options: { max_uses: uses } });
  const message = (searches: number): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: 'message',
        id: 'msg_1',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'It is out.' }],
        stop_reason: 'end_turn',
        usage: {
          input_tokens: 10,
          output_tokens: 10,
          server_tool_use: { web_search_requests: searches },
        },
      }),
    );

  it('is reserved as often as it may be used, and charged as often as it was', async () => {
    await restart(searching({ searchPrice: 0.05 }));
    upstream.script([{ raw: message(2), contentType: 'application/json' }]);
    // of 0.25 USD; ten tokens are 0.01
    expect((await search('quarter', 5)).status).toBe(402);
    expect((await search('quarter', 4)).status).toBe(200);
    expect((await search('quarter', 3)).status).toBe(429);
    expect((await search('quarter', 2)).status).toBe(200);
    expect(upstream.requests).toHaveLength(2);
  });

  it('is refused to a key with a budget where the price of a search is not known', async () => {
    await restart(
      configured({
        providers: { up: { api: 'anthropic', baseUrl: `${upstream.url}/v1`, apiKey: 'k' } },
        models: { 'up/claude-of-ours': { inputPrice: 0, outputPrice: 1000 } },
      }),
    );
    expect(await search('rich', 3, 'up/claude-of-ours')).toMatchObject({
      status: 400,
      json: {
        error: {
          param: 'model',
          message:
            'model: its price of a web search is not known, and this key has a budget: set `models.up/claude-of-ours.searchPrice`, or `budgets.allowUnpriced`',
        },
      },
    });
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    ['the request sets no number', 'up/claude-sonnet-4-5', null],
    ['the provider keeps to none', 'router/x/y', 3],
  ])('is refused to a key with a budget where %s', async (_why, model, uses) => {
    await restart(searching({ searchPrice: 0.05 }));
    expect(await search('rich', uses, model)).toMatchObject({
      status: 400,
      json: {
        error: {
          message:
            'model: the number of its own web searches has no known bound, and this key has a budget; `budgets.allowUnpriced` allows it without charging for that',
        },
      },
    });
    expect(upstream.requests).toEqual([]);
  });
});
