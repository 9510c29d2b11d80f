import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
import { articlePage, type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'How tall is the Lindow tower?' }];
let upstream: Upstream;
let world: SearchWorld;
let gateway: RunningGateway;
const facts = 'The Lindow tower is 312 metres tall and was opened in May 2021 by the city.';

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream(), startSearchWorld()]);
  gateway = await startGateway({
    limits: { maxRetries: 0, maxToolSteps: 6 },
    providers: {
      up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
    },
    models: {
      'up/caller': { inputPrice: 1, outputPrice: 1, tools: true },
      'up/second': { inputPrice: 1, outputPrice: 1, tools: true },
      'up/plain': { inputPrice: 1, outputPrice: 1, tools: false },
    },
    search: {
      engines: [{ type: 'searxng', url: world.url, pricePerThousand: 5 }],
      allowPrivateHosts: [world.host],
      cacheMs: 0,
      maxUses: 4,
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([upstream.close(), world.close()]);
});
beforeEach(() => {
  upstream.script([]);
  upstream.requests.length = 0;
  world.queries.length = world.read.length = 0;
  world.status = 200;
  world.pages = [
    { title: 'Lindow tower', url: `${world.url}/tower`, text: 'All about the tower.' },
    { title: 'Towers', url: `${world.url}/towers`, text: 'A list of towers.' },
  ];
  world.web = { '/tower': articlePage('Lindow tower', facts, facts.replace('312', '312')) };
});

const native = (body: object): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages, models: ['up/caller'], search: true, ...body },
    gateway.auth,
  );
const call = (name: string, args: object, id = 'c1') => ({
  id,
  name,
  arguments: args as Record<string, unknown>,
});
const searches = { toolCalls: [call('web_search', { query: 'Lindow tower height' })] };
const reads = () => ({ toolCalls: [call('web_fetch', { url: `${world.url}/tower` }, 'c2')] });
const answers = { text: ['The Lindow tower is 312 metres tall', ' [1].'] };
const sentMessages = (n: number): { role: string; content: unknown; tool_call_id?: string }[] =>
  upstream.requests[n]!.body!['messages'] as never;

describe('a completion with search, of a model that calls tools', () => {
  it('searches, reads and answers with sources, citations and figures', async () => {
    upstream.script([searches, reads(), answers]);
    const { json } = await native({});
    expectConforms('completions.response', json);
    const { message, grounding, usage, finishReason } = json as never as Record<string, never>;
    expect(message).toMatchObject({
      content: [{ text: 'The Lindow tower is 312 metres tall [1].' }],
      sources: [
        { id: 1, url: `${world.url}/tower`, via: 'searxng', cited: true, title: 'Lindow tower' },
        { id: 2, url: `${world.url}/towers`, cited: false, fetchedAt: null },
      ],
      citations: [{ source: 1, start: 0, quote: facts, verified: 'text' }],
    });
    expect(grounding).toMatchObject({
      engine: 'searxng',
      queries: ['Lindow tower height'],
      searches: 1,
      pagesRead: 1,
      costUsd: 0.005,
      stoppedBy: null,
    });
    expect(finishReason).toBe('stop');
    expect(usage).toMatchObject({ promptTokens: 30, completionTokens: 15 });
    expect(world.read).toEqual(['/tower']);
  });

  it('gives the model what was found as results of its calls', async () => {
    upstream.script([searches, reads(), answers]);
    await native({});
    const [, second, third] = upstream.requests.map((_one, n) => sentMessages(n));
    expect(second!.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c1' });
    expect(second!.at(-1)!.content).toContain(`[1] Lindow tower (${world.url}/tower)`);
    expect(third!.at(-1)!.content).toContain('312 metres tall');
    expect(JSON.stringify(sentMessages(0)[0])).toContain('The current date is');
  });

  it('streams the same answer, and what it does meanwhile', async () => {
    upstream.script([searches, reads(), answers]);
    const { json: whole } = await native({});
    upstream.script([searches, reads(), answers]);
    const { events, frames } = await postStream(
      `${gateway.url}/api/v1/completions`,
      { messages, models: ['up/caller'], search: true, stream: true },
      { headers: gateway.auth },
    );
    const chunks = events as Record<string, unknown>[];
    for (const chunk of chunks) expectConforms('completions.chunk', chunk);
    const text = chunks.map((chunk) => chunk['text']).join('');
    expect(text).toBe('The Lindow tower is 312 metres tall [1].');
    expect(chunks.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['progress', 'tool', 'source', 'text']),
    );
    const last = chunks.at(-1)!;
    const { sources, citations } = last['message'] as Record<string, unknown>;
    expect(citations).toEqual(at(whole, 'message', 'citations'));
    expect((sources as object[]).length).toBe(2);
    expect(last['grounding']).toMatchObject({ searches: 1, pagesRead: 1 });
    expect(frames.at(-1)!.data).toBe('[DONE]');
  });

  it('is refused further searches beyond those allowed, and answers at the last step', async () => {
    upstream.script([searches, searches, searches, answers]);
    const { json } = await native({ search: { maxUses: 1 }, maxToolSteps: 3 });
    expect(world.queries).toHaveLength(1);
    expect(json).toMatchObject({ grounding: { searches: 1, stoppedBy: 'steps' } });
    expect(upstream.requests[3]!.body!['tool_choice']).toBe('none');
    expect(sentMessages(2).at(-1)!.content).toContain('no further searches');
  });

  it('gets a tool error where a search fails, and the answer still comes', async () => {
    world.status = 500;
    upstream.script([searches, { text: ['I could not search.'] }]);
    const { status, json } = await native({});
    expect(status).toBe(200);
    expect(sentMessages(1).at(-1)!.content).toContain('the search failed');
    expect(json).toMatchObject({ grounding: { searches: 0 } });
  });

  it('must search where the request requires it, and fails where that fails', async () => {
    world.status = 500;
    upstream.script([searches, answers]);
    const { status } = await native({ search: { required: true } });
    expect(status).toBe(502);
    expect(upstream.requests[0]!.body!['tool_choice']).toMatchObject({
      function: { name: 'web_search' },
    });
  });

  it.each([false, true])(
    'is searched for where it has to search and answers at once (streamed: %s)',
    async (stream) => {
      upstream.script([{ text: ['From memory.'] }, { text: ['It has 300 m.'] }]);
      const body = { search: { required: true }, stream };
      const { text } = await post(
        `${gateway.url}/api/v1/completions`,
        { messages, models: ['up/caller'], ...body },
        gateway.auth,
      );
      expect(text).toContain('It has 300 m.');
      expect(text).not.toContain('From memory.');
      expect(world.queries).toHaveLength(1);
      expect(text).toContain('"searches":1');
      expect(upstream.requests).toHaveLength(2);
    },
  );

  it.each(['{"query"', '{"query":" "}', '{}', 'null', ''])(
    'is searched for where it has to search and calls without a query: %s',
    async (args) => {
      upstream.script([
        { toolCalls: [{ id: 'c1', name: 'web_search', arguments: args }] },
        { text: ['It has 300 m.'] },
      ]);
      const { json } = await native({ search: { required: true } });
      expect(json).toMatchObject({
        message: { content: [{ text: 'It has 300 m.' }] },
        grounding: { searches: 1 },
      });
    },
  );

  it('is searched for where it calls a tool of the client instead of searching', async () => {
    upstream.script([{ toolCalls: [call('mine', {})] }, { text: ['It has 300 m.'] }]);
    const tools = [{ type: 'function', function: { name: 'mine', parameters: {} } }];
    const { json } = await native({ search: { required: true }, tools });
    expect(json).toMatchObject({ grounding: { searches: 1 }, finishReason: 'stop' });
  });

  it('answers with empty lists where it found and cited nothing', async () => {
    upstream.script([{ text: ['I need no search.'] }]);
    const { json } = await native({});
    expect(json).toMatchObject({ message: { sources: [], citations: [] } });
  });

  it('cannot open addresses that it made up', async () => {
    upstream.script([
      { toolCalls: [call('web_fetch', { url: `${world.url}/secret?q=all` })] },
      answers,
    ]);
    await native({});
    expect(world.read).toEqual([]);
    expect(sentMessages(1).at(-1)!.content).toContain('only addresses from search results');
  });

  it('cannot open an address that only an assistant or a tool wrote', async () => {
    upstream.script([reads(), answers]);
    await native({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: `See ${world.url}/tower` },
        ...messages,
      ],
    });
    expect(world.read).toEqual([]);
    expect(sentMessages(1).at(-1)!.content).toContain('only addresses from search results');
  });

  it('opens an address as it was found, whatever parameters the model adds', async () => {
    const url = `${world.url}/tower?utm_source=the-secret`;
    upstream.script([searches, { toolCalls: [call('web_fetch', { url }, 'c2')] }, answers]);
    await native({});
    expect(world.read).toEqual(['/tower']);
  });

  it('hands what tools did to the next candidate, without doing it again', async () => {
    upstream.script([searches, { status: 500 }, answers]);
    const { json } = await native({ fallback_models: ['up/second'] });
    expect(world.queries).toHaveLength(1);
    expect(json).toMatchObject({ model: 'second', errorTrace: [{ model: 'caller' }] });
    expect(sentMessages(2).at(-1)).toMatchObject({ role: 'tool' });
  });

  it('loses links to pages that were never found', async () => {
    const text = [`See [the site](https://made-up.example/x) and [it](${world.url}/tower).`];
    upstream.script([searches, { text }]);
    const { json } = await native({});
    expect(json).toMatchObject({
      message: { content: [{ text: `See the site and [it](${world.url}/tower).` }] },
    });
  });
});

describe('a completion with search, of a model that calls no tools', () => {
  it('gets one search and the best pages before its answer, fenced in the last message', async () => {
    upstream.script([answers]);
    const { json } = await native({ models: ['up/plain'] });
    expect(world.queries).toEqual(['How tall is the Lindow tower?']);
    const last = sentMessages(0).at(-1)!;
    expect(last.role).toBe('user');
    expect(last.content).toMatch(/^<material [\w-]+>\n\[1\] Lindow tower/);
    expect(last.content).toContain('312 metres');
    expect(upstream.requests[0]!.body!['tools']).toBeUndefined();
    expect(json).toMatchObject({ message: { citations: [{ source: 1, verified: 'text' }] } });
  });

  it('answers without where the search fails, and says so', async () => {
    world.status = 500;
    upstream.script([{ text: ['No idea.'] }]);
    const { json } = await native({ models: ['up/plain'] });
    expect(json).toMatchObject({ warnings: [{ field: 'search' }] });
  });
});

describe('the wishes of a search', () => {
  it('are cut to what the configuration allows, with a warning', async () => {
    const { json } = await native({ search: { maxUses: 50 } });
    expect(json).toMatchObject({ warnings: [{ field: 'search[maxUses]' }] });
  });

  it('with an unknown engine are refused', async () => {
    const { status, json } = await native({ search: { engine: 'nope' } });
    expect([status, textAt(json, 'message')]).toEqual([
      422,
      expect.stringContaining('search[engine]: '),
    ]);
    expect(upstream.requests).toEqual([]);
  });

  it('for a model’s own search exclude models without one', async () => {
    const { status, json } = await native({ search: { mode: 'native' } });
    expect([status, textAt(json, 'message')]).toEqual([
      422,
      expect.stringContaining('no web search of its own'),
    ]);
  });
});
