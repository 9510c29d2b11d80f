import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { metricOf } from '../helpers/metrics.js';
import { searchingProviders } from '../helpers/native-search.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Step, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Is Heron 4.0 out?' }];
const claude = 'claude/claude-sonnet-4-5';
const grok = 'responses/grok-4';
const key = (name: string, limits: object) => ({
  name,
  key: `sk_${name}`,
  scopes: ['completions' as const, 'admin' as const],
  limits,
});
// tokens are free, and each search costs 1 USD
const free = { inputPrice: 0, outputPrice: 0, tools: true };
let upstream: Upstream;
let world: SearchWorld;
let gateway: RunningGateway;
let bare: RunningGateway;

beforeEach(async () => {
  [upstream, world] = await Promise.all([startUpstream({ hasLists: false }), startSearchWorld()]);
  world.pages = [{ title: 'Heron', url: `${world.url}/heron`, text: 'Heron 4.0 is out.' }];
  const common = {
    auth: {
      keys: [{ name: 'test', key: 'sk_free' }, ...[2, 3, 7].map((usd) => budget(usd))],
    },
    limits: { maxRetries: 0 },
    providers: searchingProviders(upstream.url),
    models: {
      [claude]: { ...free, searchPrice: 1 },
      [grok]: { ...free, searchPrice: 1 },
      'claude/claude-next': free,
      'plain/caller': free,
    },
  };
  bare = await startGateway(common);
  gateway = await startGateway({
    ...common,
    search: {
      engines: [{ type: 'searxng', url: world.url, pricePerThousand: 1_000 }],
      allowPrivateHosts: [world.host],
      cacheMs: 0,
    },
  });
});
afterEach(async () => {
  await Promise.all([gateway.close(), bare.close()]);
  await Promise.all([upstream.close(), world.close()]);
});

const budget = (usd: number) => key(`usd${usd}`, { dayBudgetUsd: usd });
const ask = (usd: number, body: object, to = gateway): Promise<Reply> =>
  post(
    `${to.url}/api/v1/completions`,
    { messages, models: [claude], search: true, maxTokens: 100, ...body },
    { authorization: `Bearer sk_usd${usd}` },
  );
const spent = (to = gateway): Promise<number> => metricOf(to, 'signalbox_cost_usd_total');
const answered = (searches: number, stop = 'end_turn'): Step => ({
  raw: Buffer.from(
    JSON.stringify({
      type: 'message',
      id: 'm',
      role: 'assistant',
      model: 'c',
      content: [
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'heron' } },
        { type: 'text', text: 'It is out.' },
      ],
      stop_reason: stop,
      usage: {
        input_tokens: 9,
        output_tokens: 9,
        server_tool_use: { web_search_requests: searches },
      },
    }),
  ),
  contentType: 'application/json',
});
const statuses = (replies: readonly Reply[]): number[] =>
  replies.map(({ status }) => status).sort((a, b) => a - b);

describe('a model’s own search, of a key with a budget', () => {
  it('is reserved as often as the request allows it', async () => {
    upstream.script([answered(1)]);
    expect((await ask(2, { search: { maxUses: 3 } })).status).toBe(402);
    expect(upstream.requests).toEqual([]);
    expect((await ask(2, { search: { maxUses: 2 } })).status).toBe(200);
    expect(await spent()).toBeCloseTo(1, 9);
  });

  it('is never spent beyond the budget by requests at the same time', async () => {
    upstream.script([answered(3)]);
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => ask(7, {})));
    expect(statuses(replies)).toEqual([200, 200, 429, 429, 429]);
    expect(await spent()).toBeCloseTo(6, 9);
  });

  it('is reserved again where a paused turn goes on', async () => {
    upstream.script([answered(3, 'pause_turn'), answered(1)]);
    expect((await ask(3, {})).status).toBe(429);
    expect(upstream.requests).toHaveLength(1);
    expect(await spent()).toBeCloseTo(3, 9);
  });

  it('goes on after a pause with the searches that are left', async () => {
    upstream.script([answered(2, 'pause_turn'), answered(1)]);
    const { json } = await ask(7, {});
    expect(json).toMatchObject({ grounding: { searches: 3 } });
    expect(upstream.requests[1]!.body!['tools']).toMatchObject([{ max_uses: 1 }]);
    expect(await spent()).toBeCloseTo(3, 9);
  });

  it.each([
    ['has no known bound', grok],
    ['its price of a web search is not known', 'claude/claude-next'],
  ])('gives way to the gateway’s where %s', async (reason, model) => {
    upstream.script([{ text: ['It is out.'] }]);
    const { json, status } = await ask(7, { models: [model] });
    expect(status).toBe(200);
    expect(JSON.stringify(upstream.requests[0]!.body!['tools'])).toContain('web_fetch');
    expect(json).toMatchObject({ grounding: { engine: null } });
    const refused = await ask(7, { models: [model], search: { mode: 'native' } });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(reason);
    const without = await ask(7, { models: [model] }, bare);
    expect(without.status).toBe(422);
    expect(without.json).toMatchObject({ message: expect.stringMatching(/^search: /) as string });
    expect(without.text).toContain(reason);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is free to use for a key without a budget', async () => {
    upstream.script([{ text: ['It is out.'] }]);
    await post(
      `${gateway.url}/api/v1/completions`,
      { messages, models: [grok], search: true },
      gateway.auth,
    );
    expect(upstream.requests[0]!.body!['tools']).toMatchObject([{ type: 'web_search' }]);
  });
});

describe('searches of a paid engine, of a key with a budget', () => {
  // the same words at the same time are searched for once
  let asked = 0;
  const searches = (): Step => ({
    toolCalls: [{ id: 's1', name: 'web_search', arguments: { query: `heron ${asked++}` } }],
  });
  const body = { models: ['plain/caller'], search: { maxUses: 3 } };

  it('are charged round by round, and refused where the budget ends', async () => {
    upstream.script([searches, searches, searches, { text: ['It is out [1].'] }]);
    expect((await ask(2, body)).status).toBe(429);
    expect(world.queries).toHaveLength(2);
    expect(await spent()).toBeCloseTo(2, 9);
  });

  it('are charged to an answer that had room for them', async () => {
    upstream.script([searches, searches, { text: ['It is out [1].'] }]);
    const { json } = await ask(3, body);
    expect(json).toMatchObject({ grounding: { searches: 2, costUsd: 2 } });
    expect(await spent()).toBeCloseTo(2, 9);
  });

  it('are never paid beyond the budget by requests at the same time', async () => {
    upstream.script([
      ({ body: sent }) =>
        (sent!['messages'] as unknown[]).length > 2 ? { text: ['It is out [1].'] } : searches(),
    ]);
    const replies = await Promise.all(Array.from({ length: 10 }, () => ask(7, body)));
    expect(new Set(statuses(replies))).toEqual(new Set([200, 429]));
    expect(world.queries.length).toBeLessThanOrEqual(7);
    expect(await spent()).toBeCloseTo(world.queries.length, 9);
  });

  it('are not paid for where the engine failed', async () => {
    world.status = 500;
    upstream.script([searches, { text: ['I could not search.'] }]);
    expect((await ask(2, body)).status).toBe(200);
    expect(await spent()).toBe(0);
  });
});
