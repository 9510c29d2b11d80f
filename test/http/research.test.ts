import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import { articlePage, type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';
import { towerFact, towerResearcher } from '../helpers/research-upstream.js';
import type { Step } from '../helpers/steps.js';

const messages = [{ role: 'user', content: 'How tall is the Lindow tower?' }];
let upstream: Upstream;
let world: SearchWorld;
let gateway: RunningGateway;

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream(), startSearchWorld()]);
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    auth: {
      keys: [
        { name: 'test', key: 'sk_test_research_1234567890' },
        {
          name: 'poor',
          key: 'sk_test_research_poor_12345',
          limits: { dayBudgetUsd: 0.004 },
        },
        {
          name: 'shared',
          key: 'sk_test_research_shared_123',
          // for three runs at their most
          limits: { dayBudgetUsd: 1.575 },
        },
      ],
    },
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: {
      'up/large': { inputPrice: 1, outputPrice: 1 },
      'up/small': { inputPrice: 0.1, outputPrice: 0.1 },
      'up/gpt-unpriced': {},
      ...Object.fromEntries(
        ['gpt-5-mini', 'o4-mini', 'qwen3-235b-a22b', 'ours'].map((name) => [
          `up/${name}`,
          { inputPrice: 1, outputPrice: 1 },
        ]),
      ),
      'up/stated': { inputPrice: 1, outputPrice: 1, reasoningEffort: 'high' },
    },
    search: {
      engines: [{ type: 'searxng', url: world.url, pricePerThousand: 1 }],
      allowPrivateHosts: [world.host],
      cacheMs: 0,
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([upstream.close(), world.close()]);
});
beforeEach(() => {
  upstream.script([towerResearcher]);
  upstream.requests.length = world.queries.length = world.read.length = 0;
  world.pages = [{ title: 'Lindow tower', url: `${world.url}/tower`, text: 'The tower.' }];
  world.web = { '/tower': articlePage('Lindow tower', towerFact, towerFact) };
});

const body = { messages, models: ['up/large', 'up/small'], order: 'given', research: true };
const complete = (more: object = {}, key = 'sk_test_research_1234567890'): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { ...body, ...more },
    { authorization: `Bearer ${key}` },
  );
const models = (): unknown[] => upstream.requests.map((call) => call.body?.['model']);

describe('a completion with research', () => {
  it('plans, searches, reads with the cheap model and writes with the requested one', async () => {
    const { json: answer, status } = await complete();
    expect(status).toBe(200);
    expectConforms('completions.response', answer);
    expect(textAt(answer, 'message', 'content', 0, 'text')).toBe(
      'The Lindow tower is 312 metres tall [1].',
    );
    expect(at(answer, 'message', 'sources')).toMatchObject([
      { id: 1, url: `${world.url}/tower`, cited: true },
    ]);
    expect(at(answer, 'message', 'citations')).toMatchObject([{ source: 1, verified: 'text' }]);
    expect(at(answer, 'grounding')).toMatchObject({
      engine: 'searxng',
      queries: ['Lindow tower height'],
      searches: 1,
      pagesRead: 1,
      costUsd: 0.001,
      stoppedBy: null,
    });
    expect(models()).toContain('small');
    expect(models().at(-1)).toBe('large');
    expect(answer).toMatchObject({ model: 'large', provider: 'up' });
    const calls = upstream.requests.length;
    expect(at(answer, 'usage')).toMatchObject({
      promptTokens: 10 * calls,
      completionTokens: 5 * calls,
    });
  });

  it('streams what it does, then the answer', async () => {
    const { events, frames } = await postStream(
      `${gateway.url}/api/v1/completions`,
      { ...body, stream: true },
      { headers: { authorization: 'Bearer sk_test_research_1234567890' } },
    );
    for (const event of events) expectConforms('completions.chunk', event);
    const phases = events.map((event) => at(event, 'phase')).filter(Boolean);
    expect(new Set(phases)).toEqual(new Set(['plan', 'gather', 'search', 'read', 'write', 'done']));
    expect(events.map((event) => textAt(event, 'text')).join('')).toBe(
      'The Lindow tower is 312 metres tall [1].',
    );
    expect(at(events.at(-1), 'message', 'citations')).toMatchObject([{ source: 1 }]);
    expect(frames.at(-1)!.data).toBe('[DONE]');
  });

  it('never takes more steps than it may, and says what ended it', async () => {
    const { json: answer } = await complete({ research: { maxSteps: 2 } });
    expect(at(answer, 'grounding', 'stoppedBy')).toBe('steps');
    expect(upstream.requests.length + world.queries.length).toBeLessThanOrEqual(3);
  });

  it('goes on from its notes where it ended early', async () => {
    upstream.script([
      (call) => {
        const [system] = call.body!['messages'] as { content: string }[];
        return /plan research|take notes|how far/.test(system!.content)
          ? towerResearcher(call)
          : { status: 500 };
      },
    ]);
    const { events } = await postStream(
      `${gateway.url}/api/v1/completions`,
      { ...body, stream: true },
      { headers: { authorization: 'Bearer sk_test_research_1234567890' } },
    );
    const id = textAt(events[0], 'responseMessageId');
    upstream.script([towerResearcher]);
    world.read.length = 0;
    const { json: answer, status } = await complete({ research: { resume: id } });
    expect(status).toBe(200);
    expect(world.read).toEqual([]);
    expect(listAt(answer, 'message', 'citations')).toHaveLength(1);
  });

  it('refuses notes that the account does not have', async () => {
    const { status, json: answer } = await complete({ research: { resume: 'none' } });
    expect([status, textAt(answer, 'message')]).toEqual([404, 'research[resume]: not found']);
  });

  it('is refused where its cost is bounded and a price is not known', async () => {
    const asked = { models: ['up/gpt-unpriced'], research: { maxCostUsd: 0.1 } };
    expect((await complete(asked)).status).toBe(422);
    const { json: answer, status } = await complete({ models: ['up/gpt-unpriced'] });
    expect(status).toBe(200);
    expect(at(answer, 'warnings')).toMatchObject([{ field: 'research' }]);
  });

  it('is charged once for each call, and never more than the key may spend', async () => {
    const before = await costs();
    const { json: answer } = await complete();
    const tokens = numberAt(answer, 'usage', 'costs', 'total_tokens_cost');
    expect((await costs()) - before).toBeCloseTo(tokens + 0.001, 9);
    const { status } = await complete({}, 'sk_test_research_poor_12345');
    // a quarter of what a run may cost at most is more than the key may spend
    expect(status).toBe(402);
  });
});

describe('twenty runs at once with a budget that pays for some', () => {
  it('are served as far as it goes, and each that began ends with its answer', async () => {
    upstream.script([(call) => ({ ...towerResearcher(call), delayMs: 20 })]);
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => complete({}, 'sk_test_research_shared_123')),
    );
    const served = replies.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThanOrEqual(3);
    for (const { json } of served)
      expect(textAt(json, 'message', 'content', 0, 'text')).toContain('312 metres tall [1].');
    // others hold it: worth another try soon
    const others = replies.filter(({ status }) => status !== 200);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([429]));
    for (const { headers } of others) expect(Number(headers['retry-after'])).toBeLessThan(60);
    expect((await complete({}, 'sk_test_research_shared_123')).status).toBe(200);
  });
});

describe('a model that thinks before it takes notes', () => {
  /** As long as its effort makes it think, out of the tokens of its answer. */
  const thinking = (call: UpstreamCall): Step => {
    const { reasoning_effort: effort, max_tokens: max } = call.body!;
    const thought = { none: 0, minimal: 300, low: 700 }[String(effort)] ?? 950;
    if (!isReading(call)) return towerResearcher(call);
    const isUsedUp = Number(max) < thought + 60;
    return {
      reasoning: ['Well.'],
      ...(isUsedUp ? { text: [], finish: 'length' } : towerResearcher(call)),
      usage: { prompt: 10, completion: Math.min(Number(max), thought + 60), reasoning: thought },
    };
  };
  const isReading = ({ body }: UpstreamCall): boolean =>
    (body!['messages'] as { content: string }[])[0]!.content.includes('take notes');

  it('has room to think before it plans and writes, too', async () => {
    const limits: number[] = [];
    upstream.script([
      (call) => {
        limits.push(Number(call.body!['max_tokens']));
        const isUsedUp = limits.at(-1)! < 3_700;
        return isReading(call) || !isUsedUp
          ? towerResearcher(call)
          : { reasoning: ['Well.'], text: [], finish: 'length' };
      },
    ]);
    // answers of 3,000 tokens
    const { json: answer } = await complete({
      models: ['up/gpt-5-mini'],
      research: { effort: 'low' },
    });
    expect(textAt(answer, 'message', 'content', 0, 'text')).toContain('312 metres tall [1].');
    expect(world.queries).toEqual(['Lindow tower height']);
  });

  it.each([
    ['gpt-5-mini', 'minimal', undefined],
    ['o4-mini', 'low', undefined],
    ['qwen3-235b-a22b', undefined, undefined],
    ['ours', undefined, undefined],
    ['stated', 'low', 'high'],
  ])('thinks little and has room for it: %s', async (name, reading, otherwise) => {
    upstream.script([thinking]);
    // so small a budget allows notes of about 800 tokens
    const { status, json: answer } = await complete({
      models: [`up/${name}`],
      research: { maxTokens: 40_000 },
    });
    expect(status).toBe(200);
    const [read] = upstream.requests.filter(isReading);
    const [plan] = upstream.requests;
    expect(read!.body!['reasoning_effort']).toBe(reading);
    expect(plan!.body!['reasoning_effort']).toBe(otherwise);
    expect(at(answer, 'message', 'citations')).toMatchObject([{ source: 1, verified: 'text' }]);
    const writing = upstream.requests.at(-1)!.body!['messages'] as { content: string }[];
    expect(writing.at(-1)!.content).toContain(`- ${towerFact}`);
  });
});

/** USD of all requests so far, by the metrics. */
async function costs(): Promise<number> {
  const { text } = await ask('GET', `${gateway.url}/metrics`, {});
  const values = [...text.matchAll(/^signalbox_cost_usd_total\{.*\} (\S+)$/gm)];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}
