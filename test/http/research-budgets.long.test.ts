import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { askedFor, fillWorld, promptTokensOf, researcher } from '../helpers/research-upstream.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { post, type Reply } from '../helpers/sse.js';
import type { Answer, Step } from '../helpers/steps.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';

const searchUsd = 0.001;
const tokenUsd = 2e-6;
let upstream: Upstream;
let world: SearchWorld;
let gateway: RunningGateway;
/** What the provider charges for, as it counts itself. */
let used: { tokens: number; calls: number };

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream({ hasLists: false }), startSearchWorld()]);
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: {
      'up/large': { inputPrice: 2, outputPrice: 2, contextLength: 64_000 },
      'up/small': { inputPrice: 2, outputPrice: 2, contextLength: 64_000 },
      'up/narrow': { inputPrice: 2, outputPrice: 2, contextLength: 8_000 },
    },
    search: {
      engines: [{ type: 'searxng', url: world.url, pricePerThousand: searchUsd * 1_000 }],
      allowPrivateHosts: [world.host],
      maxResults: 50,
      cacheMs: 0,
    },
    research: { maxCostUsd: 100, maxSeconds: 600 },
  });
}, 60_000);
afterAll(async () => {
  await gateway.close();
  await Promise.all([upstream.close(), world.close()]);
});
beforeEach(() => {
  used = { tokens: 0, calls: 0 };
  upstream.requests.length = world.queries.length = world.read.length = 0;
  world.web = {};
  world.status = 200;
  fillWorld(world, 4);
});

/** Plays a model, and counts what its provider would charge for. */
function play(model: (call: UpstreamCall) => Answer, fails: (nth: number) => boolean): void {
  upstream.script([
    (call): Step => {
      const answer = model(call);
      used.calls++;
      if (fails(used.calls)) {
        used.tokens += promptTokensOf(call);
        return { status: 500 };
      }
      used.tokens += answer.usage!.prompt + answer.usage!.completion;
      return answer;
    },
  ]);
}

/** Never content, and it uses each answer to the last token. */
const wasteful = () => researcher({ questions: 5, isAnswered: () => false, wasted: 1 });

const complete = (research: object, models = ['up/large', 'up/small']): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    {
      messages: [{ role: 'user', content: 'How is the tower?' }],
      models,
      order: 'given',
      research,
    },
    gateway.auth,
  );

const plenty = { effort: 'high', maxSteps: 200, maxSeconds: 600, maxCostUsd: 100 };
const ample = { ...plenty, maxTokens: 50_000_000 };
/** A failed page is a step without a call. */
const steps = (): number => used.calls + world.queries.length;
const costUsd = (): number => used.tokens * tokenUsd + world.queries.length * searchUsd;

describe('a budget of research over HTTP', () => {
  const budgets = [
    ['steps', { maxSteps: 9 }],
    ['tokens', { maxTokens: 60_000 }],
    ['cost', { maxCostUsd: 0.25 }],
  ] as const;
  const all = budgets.flatMap(([limit, budget]) =>
    [false, true].map((fails) => [limit, budget, fails ? 'fails' : 'answers', fails] as const),
  );

  it.each(all)(
    'of %s (%o) ends the run and is not exceeded, where the provider always %s',
    async (limit, budget, _how, fails) => {
      // each call fails first, where it does
      play(wasteful(), (nth) => fails && nth % 2 === 1);
      const { status, json } = await complete({ ...ample, ...budget });
      expect(status, JSON.stringify(json)).toBe(200);
      expect(at(json, 'grounding', 'stoppedBy')).toBe(limit);
      expect(textAt(json, 'message', 'content', 0, 'text')).not.toBe('');
      const { maxSteps, maxTokens, maxCostUsd } = { ...ample, ...budget };
      // an attempt that is repeated belongs to its step
      const repeated = fails ? Math.floor(used.calls / 2) : 0;
      expect(steps() - repeated).toBeLessThanOrEqual(maxSteps);
      expect(used.tokens).toBeLessThanOrEqual(maxTokens);
      expect(costUsd()).toBeLessThanOrEqual(maxCostUsd);
      // not by much less than it could: the budget was used
      expect(world.read.length).toBeGreaterThan(1);
    },
  );

  it('of seconds ends pages and models that never answer', async () => {
    const model = researcher();
    const maxSeconds = 12;
    for (const silent of ['page', 'notes', 'answer'] as const) {
      upstream.script([
        (call) => (askedFor(call) === silent ? { hang: 'beforeHeaders' } : model(call)),
      ]);
      world.arrived = (path) =>
        silent === 'page' && path !== '/search' ? new Promise(() => undefined) : Promise.resolve();
      const startedAt = performance.now();
      const { status, json } = await complete({ ...ample, effort: 'low', maxSeconds });
      world.arrived = null;
      // the machine may be busy, but the run has 600 s without its budget
      expect(performance.now() - startedAt).toBeLessThan(maxSeconds * 1_000 + 15_000);
      expect([silent, status, at(json, 'grounding', 'stoppedBy')]).toEqual([silent, 200, 'time']);
      expect(textAt(json, 'message', 'content', 0, 'text')).not.toBe('');
    }
  });

  it('of seconds ends an answer that is written too slowly', async () => {
    const model = researcher();
    upstream.script([
      (call) =>
        askedFor(call) === 'answer'
          ? { text: Array.from({ length: 600 }, (_, n) => `Word ${n}. `), betweenMs: 200 }
          : model(call),
    ]);
    const { status, json } = await complete({ ...ample, effort: 'low', maxSeconds: 10 });
    expect([status, at(json, 'grounding', 'stoppedBy')]).toEqual([200, 'time']);
    const text = textAt(json, 'message', 'content', 0, 'text');
    expect(text).toMatch(/^Word 0\. Word 1\./);
    expect(text).toMatch(/because the time of this research is over\.$/);
  });

  it('is stated by what the answer reports', async () => {
    play(researcher({ wasted: 0.2 }), () => false);
    const before = await metricOf(gateway, 'signalbox_cost_usd_total');
    const { json } = await complete({ ...ample, effort: 'medium' });
    expect(at(json, 'grounding')).toMatchObject({
      stoppedBy: null,
      searches: world.queries.length,
      pagesRead: world.read.length,
    });
    expect(
      numberAt(json, 'usage', 'promptTokens') + numberAt(json, 'usage', 'completionTokens'),
    ).toBe(used.tokens);
    expect((await metricOf(gateway, 'signalbox_cost_usd_total')) - before).toBeCloseTo(
      costUsd(),
      9,
    );
  });
});

describe('research over HTTP on one topic', () => {
  it('with 310 sources fits into a context of 8,000 tokens', async () => {
    fillWorld(world, 50, 400);
    const tooLong: number[] = [];
    const model = researcher({ questions: 3, isAnswered: () => false });
    const narrow = 8_000;
    upstream.script([
      (call) => {
        const { prompt } = model(call).usage!;
        const tokens = prompt / 1.2 + Number(call.body!['max_tokens']);
        if (tokens > narrow) tooLong.push(tokens);
        return model(call);
      },
    ]);
    let sources = 0;
    let resume: string | null = null;
    const read = new Set<string>();
    // one request may take 200 steps
    for (let run = 0; run < 4 && sources < 310; run++) {
      const { status, json } = await complete({ ...ample, resume }, ['up/narrow']);
      expect(status, JSON.stringify(json)).toBe(200);
      resume = textAt(json, 'responseMessageId');
      for (const path of world.read.splice(0)) {
        expect(read).not.toContain(path);
        read.add(path);
      }
      sources = read.size;
      const cited = listAt(json, 'message', 'citations').length;
      expect(cited).toBeGreaterThan(5);
    }
    expect(sources).toBeGreaterThanOrEqual(310);
    expect(tooLong).toEqual([]);
  });
});
