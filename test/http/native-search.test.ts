import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
import {
  asAsked,
  searchAnswerOf,
  searchingModels,
  searchingProviders,
  wholeAnswer,
} from '../helpers/native-search.js';
import { metricOf } from '../helpers/metrics.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Is Heron 4.0 out?' }];
const heron = 'https://heron.example/releases';
let upstream: Upstream;
let world: SearchWorld;
let gateway: RunningGateway;
let withEngine: RunningGateway;

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream({ hasLists: false }), startSearchWorld()]);
  const common = {
    limits: { maxRetries: 0 },
    providers: searchingProviders(upstream.url),
    models: { 'plain/caller': { tools: true }, 'claude/claude-sonnet-4-5': { tools: true } },
  };
  gateway = await startGateway(common);
  withEngine = await startGateway({
    ...common,
    search: {
      engines: [{ type: 'searxng', url: world.url }],
      allowPrivateHosts: [world.host],
      cacheMs: 0,
    },
  });
});
afterAll(async () => {
  await Promise.all([gateway.close(), withEngine.close()]);
  await Promise.all([upstream.close(), world.close()]);
});
beforeEach(() => {
  upstream.script([]);
  upstream.requests.length = world.queries.length = 0;
  world.pages = [{ title: 'Heron', url: `${world.url}/heron`, text: 'Heron 4.0 is out.' }];
});

const native = (body: object, to = gateway): Promise<Reply> =>
  post(`${to.url}/api/v1/completions`, { messages, search: true, ...body }, to.auth);
const sent = (n: number): Record<string, unknown> => upstream.requests[n]!.body!;

describe('a completion with search, of a model that searches by itself', () => {
  it.each(searchingModels)(
    '%s answers with sources, citations and figures',
    async (label, answer) => {
      upstream.script([asAsked(answer)]);
      const { json, status } = await native({ models: [label] });
      expect(status).toBe(200);
      expectConforms('completions.response', json);
      const { text, search_queries: queries, webSearches } = answer.found;
      expect(textAt(json, 'message', 'content', 0, 'text')).toBe(text);
      const sources = at(json, 'message', 'sources') as Record<string, unknown>[];
      expect(sources.every(({ via }) => via === 'native')).toBe(true);
      const releases = sources.find(({ url }) => url === heron)!;
      expect(releases).toMatchObject({
        title: 'Releases',
        cited: label.startsWith('router') ? false : true,
      });
      expect(at(json, 'grounding')).toMatchObject({
        engine: 'native',
        queries,
        searches: webSearches ?? 1,
        stoppedBy: null,
      });
      const [citation] = at(json, 'message', 'citations') as Record<string, number>[];
      expect(text.slice(citation!['start'], citation!['end'])).toContain('Heron 4.0 is out.');
      expect(world.queries).toEqual([]);
    },
  );

  it.each(searchingModels)('%s streams what it answers as a whole', async (label, answer) => {
    upstream.script([asAsked(answer)]);
    const { json: streamed } = await native({ models: [label] });
    upstream.script([wholeAnswer(answer)]);
    const { json: whole } = await native({ models: [label] });
    expect(at(streamed, 'message')).toEqual(at(whole, 'message'));
    upstream.script([asAsked(answer)]);
    const { events } = await postStream(
      `${gateway.url}/api/v1/completions`,
      { messages, models: [label], search: true, stream: true },
      { headers: gateway.auth },
    );
    for (const event of events) expectConforms('completions.chunk', event);
    const last = events.at(-1);
    for (const field of ['sources', 'citations'])
      expect(at(last, 'message', field)).toEqual(at(whole, 'message', field));
    expect(events.map((event) => (event as { text: string }).text).join('')).toBe(
      answer.found.text,
    );
  });

  it('gets a provider’s word for a quotation that nobody has read', async () => {
    const label = 'claude/claude-sonnet-4-5';
    upstream.script([asAsked(searchAnswerOf(label))]);
    const { json } = await native({ models: [label] });
    expect(json).toMatchObject({
      message: { citations: [{ quote: 'Version 4.0 was released.', verified: 'provider' }] },
    });
  });
});

describe('searches that models make by themselves', () => {
  const searches = (): Promise<number> =>
    metricOf(gateway, 'signalbox_searches_total', 'engine="native"', 'outcome="ok"');
  const costUsd = (): Promise<number> => metricOf(gateway, 'signalbox_grounding_cost_usd_total');
  const durations = (): Promise<number> =>
    metricOf(gateway, 'signalbox_search_duration_seconds_count');

  it.each(searchingModels)('are counted once with their cost: %s', async (label, answer) => {
    const before = [await searches(), await costUsd(), await durations()] as const;
    upstream.script([asAsked(answer)]);
    const { json } = await native({ models: [label] });
    expect((await searches()) - before[0]).toBe(at(json, 'grounding', 'searches'));
    const cost = at(json, 'usage', 'costs', 'web_search_cost') ?? 0;
    expect((await costUsd()) - before[1]).toBeCloseTo(Number(cost), 9);
    expect(await durations()).toBe(before[2]);
  });

  it('are counted too where a client of OpenAI’s API asks the provider for them', async () => {
    const label = 'claude/claude-sonnet-4-5';
    const before = [await searches(), await costUsd()] as const;
    upstream.script([asAsked(searchAnswerOf(label))]);
    const { status } = await post(
      `${gateway.url}/v1/chat/completions`,
      { messages, model: label, web_search_options: {} },
      gateway.auth,
    );
    expect(status).toBe(200);
    expect((await searches()) - before[0]).toBe(searchAnswerOf(label).found.webSearches);
    expect(await costUsd()).toBeGreaterThan(before[1]);
  });
});

describe('a completion with search, where an engine is configured too', () => {
  const claude = 'claude/claude-sonnet-4-5';
  const searches = {
    toolCalls: [{ id: 's1', name: 'web_search', arguments: { query: 'Heron' } }],
  };

  it('prefers the model’s own search, with the wishes of the request', async () => {
    upstream.script([asAsked(searchAnswerOf(claude))]);
    await native(
      { models: [claude], search: { maxUses: 2, allowedDomains: ['heron.example'] } },
      withEngine,
    );
    expect(sent(0)['tools']).toMatchObject([
      { name: 'web_search', max_uses: 2, allowed_domains: ['heron.example'] },
    ]);
    expect(world.queries).toEqual([]);
  });

  it('goes on with the gateway’s tools where the model that searched by itself failed', async () => {
    upstream.script([{ status: 500 }, searches, { text: ['Heron 4.0 is out [1].'] }]);
    const { json } = await native(
      { models: [claude], fallback_models: ['plain/caller'] },
      withEngine,
    );
    expect(json).toMatchObject({
      provider: 'plain',
      grounding: { engine: 'searxng', searches: 1 },
      message: { sources: [{ via: 'searxng', cited: true }] },
    });
    expect(JSON.stringify(sent(1)['tools'])).toContain('"web_search"');
    expect(sent(1)['web_search_options']).toBeUndefined();
  });

  it('searches by itself where a model with the gateway’s tools failed', async () => {
    upstream.script([{ status: 500 }, asAsked(searchAnswerOf(claude))]);
    const { json } = await native(
      { models: ['plain/caller'], fallback_models: [claude], order: 'given' },
      withEngine,
    );
    expect(json).toMatchObject({ provider: 'claude', grounding: { engine: 'native' } });
  });

  it('gives a model that takes over what was found, and no second tool of the name', async () => {
    upstream.script([searches, { status: 500 }, { text: ['Heron 4.0 is out [1].'] }]);
    const { json } = await native(
      { models: ['plain/caller'], fallback_models: [claude], order: 'given' },
      withEngine,
    );
    expect(json).toMatchObject({
      provider: 'claude',
      message: { citations: [{ source: 1, verified: 'text' }] },
    });
    const tools = sent(2)['tools'] as { name: string; type?: string }[];
    expect(tools.map(({ name }) => name)).toEqual(['web_search', 'web_fetch']);
    expect(tools.every(({ type }) => type === undefined || type === 'custom')).toBe(true);
  });

  it('requires a search of the gateway where the model cannot be made to search', async () => {
    upstream.script([searches, { text: ['Heron 4.0 is out [1].'] }]);
    const { json } = await native({ models: [claude], search: { required: true } }, withEngine);
    expect(json).toMatchObject({ grounding: { engine: 'searxng' } });
    expect(sent(0)['tool_choice']).toMatchObject({ name: 'web_search' });
    expect((json as { warnings?: unknown }).warnings).toBeUndefined();
  });

  it('has a model search that can be made to', async () => {
    const label = 'responses/gpt-5.2';
    upstream.script([asAsked(searchAnswerOf(label))]);
    const { json } = await native({ models: [label], search: { required: true } }, withEngine);
    expect(json).toMatchObject({ grounding: { engine: 'native' } });
    expect(sent(0)['tool_choice']).toMatchObject({ type: 'web_search' });
  });

  it('warns where only the model’s own search is wanted, which it may leave out', async () => {
    upstream.script([asAsked(searchAnswerOf(claude))]);
    const { json } = await native(
      { models: [claude], search: { mode: 'native', required: true } },
      withEngine,
    );
    expect(json).toMatchObject({
      grounding: { engine: 'native' },
      warnings: [{ field: 'search[required]', message: expect.stringContaining(claude) as string }],
    });
  });

  it('is the gateway’s where the model’s own takes no tools and the client has some', async () => {
    upstream.script([{}]);
    const weather = { type: 'function', function: { name: 'weather', parameters: {} } };
    const model = 'google/gemini-3.5-flash';
    await post(
      `${withEngine.url}/v1/chat/completions`,
      { model, messages, web_search_options: {}, tools: [weather] },
      withEngine.auth,
    );
    const [tools] = sent(0)['tools'] as { functionDeclarations: { name: string }[] }[];
    expect(tools!.functionDeclarations.map(({ name }) => name)).toEqual([
      'weather',
      'web_search',
      'web_fetch',
    ]);
  });
});

describe('a chat completion with web_search_options', () => {
  const chat = (model: string, body: object = {}): Promise<Reply> =>
    post(
      `${withEngine.url}/v1/chat/completions`,
      { model, messages, web_search_options: {}, ...body },
      withEngine.auth,
    );

  it.each(searchingModels)('%s answers with annotations', async (label, answer) => {
    upstream.script([asAsked(answer)]);
    const { json, status } = await chat(label);
    expect(status).toBe(200);
    const annotations = at(json, 'choices', 0, 'message', 'annotations') as object[];
    const places = annotations.map((one) => at(one, 'url_citation', 'start_index'));
    expect(places).toEqual([expect.any(Number)]);
    expect(textAt(json, 'choices', 0, 'message', 'content')).toBe(answer.found.text);
    expect(world.queries).toEqual([]);
  });

  it.each(searchingModels)('%s streams the same annotations', async (label, answer) => {
    upstream.script([asAsked(answer)]);
    const { json } = await chat(label);
    const { events } = await postStream(
      `${withEngine.url}/v1/chat/completions`,
      { model: label, messages, web_search_options: {}, stream: true },
      { headers: withEngine.auth },
    );
    const deltas = events.map((event) => at(event, 'choices', 0, 'delta'));
    const annotations = deltas.flatMap(
      (delta) => (at(delta, 'annotations') as object[] | undefined) ?? [],
    );
    expect(annotations).toEqual(at(json, 'choices', 0, 'message', 'annotations'));
  });

  it('passes on where the user is, and how much to read', async () => {
    const label = 'responses/gpt-5.2';
    upstream.script([asAsked(searchAnswerOf(label))]);
    const place = { country: 'CH', city: 'Bern', region: 'Bern', timezone: 'Europe/Zurich' };
    await chat(label, {
      web_search_options: {
        search_context_size: 'high',
        user_location: { type: 'approximate', approximate: place },
      },
    });
    expect(sent(0)['tools']).toMatchObject([
      {
        type: 'web_search',
        search_context_size: 'high',
        user_location: { type: 'approximate', ...place },
      },
    ]);
  });

  it('reads the same fields of the tool web_search', async () => {
    const label = 'responses/gpt-5.2';
    upstream.script([asAsked(searchAnswerOf(label))]);
    await chat(label, {
      web_search_options: undefined,
      tools: [
        {
          type: 'web_search',
          search_context_size: 'low',
          user_location: { type: 'approximate', city: 'Bern' },
        },
      ],
    });
    expect(sent(0)['tools']).toMatchObject([
      { search_context_size: 'low', user_location: { type: 'approximate', city: 'Bern' } },
    ]);
  });
});

describe('a completion without search, of a model that always searches', () => {
  it('has the sources and citations of its provider', async () => {
    upstream.script([asAsked(searchAnswerOf('pplx/sonar'))]);
    const { json } = await native({ models: ['pplx/sonar'], search: false });
    expect(json).toMatchObject({
      message: {
        sources: [{ via: 'native' }, { url: heron, via: 'native', cited: true }],
        citations: [{ source: 2, verified: 'provider' }],
      },
    });
  });
});

describe('a completion without search, of a model that searches all the same', () => {
  it('has the dates of its pages in the form of all others', async () => {
    const chunk = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'caller',
      choices: [{ index: 0, delta: { content: 'It is out.' }, finish_reason: 'stop' }],
      search_results: [
        { title: 'Releases', url: heron, date: 'Mar 5, 2024' },
        { title: 'About', url: 'https://heron.example/about', date: 'long ago' },
      ],
    };
    const raw = Buffer.from(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    upstream.script([{ raw, contentType: 'text/event-stream' }]);
    const { json } = await native({ models: ['plain/caller'], search: false });
    expect(at(json, 'message', 'sources')).toMatchObject([
      { url: heron, publishedAt: '2024-03-05' },
      { publishedAt: null },
    ]);
  });
});
