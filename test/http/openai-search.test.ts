import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { articlePage, type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'How tall is the Lindow tower?' }];
const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
};
let upstream: Upstream;
let world: SearchWorld;
let gateway: RunningGateway;
let bare: RunningGateway;

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream(), startSearchWorld()]);
  world.pages = [{ title: 'Lindow tower', url: `${world.url}/tower`, text: 'It is 312 m tall.' }];
  world.web = { '/tower': articlePage('Lindow tower', 'The Lindow tower is 312 metres tall.') };
  const common = {
    limits: { maxRetries: 0 },
    providers: { up: { api: 'openai-compatible' as const, baseUrl: `${upstream.url}/v1` } },
    models: { 'up/caller': { tools: true } },
  };
  gateway = await startGateway({
    ...common,
    search: {
      engines: [{ type: 'searxng', url: world.url }],
      allowPrivateHosts: [world.host],
      cacheMs: 0,
    },
  });
  bare = await startGateway(common);
});
afterAll(async () => {
  await Promise.all([gateway.close(), bare.close()]);
  await Promise.all([upstream.close(), world.close()]);
});
beforeEach(() => {
  upstream.script([]);
  upstream.requests.length = world.queries.length = 0;
});

const chat = (body: object, to = gateway): Promise<Reply> =>
  post(`${to.url}/v1/chat/completions`, { model: 'up/caller', messages, ...body }, to.auth);
const searches = {
  toolCalls: [{ id: 's1', name: 'web_search', arguments: { query: 'Lindow tower' } }],
};
const answer = { text: ['The Lindow tower is 312 metres tall [1].'] };

describe('a chat completion with a switch for web search', () => {
  const switches: [string, object][] = [
    ['web_search_options', { web_search_options: {} }],
    ['the tool web_search', { tools: [{ type: 'web_search' }] }],
    ['the plugin web', { plugins: [{ id: 'web', max_results: 2 }] }],
    ['a model ending in :online', { model: 'up/caller:online' }],
  ];
  it.each(switches)('%s is answered with annotations', async (_name, body) => {
    upstream.script([searches, answer]);
    const { json, status } = await chat(body);
    expect(status).toBe(200);
    expect(world.queries).toEqual(['Lindow tower']);
    expect(at(json, 'choices', 0, 'message', 'annotations')).toMatchObject([
      {
        type: 'url_citation',
        url_citation: { url: `${world.url}/tower`, title: 'Lindow tower', start_index: 0 },
      },
    ]);
    expect(at(json, 'choices', 0, 'finish_reason')).toBe('stop');
    const { plugins, web_search_options: options } = upstream.requests[0]!.body!;
    expect([plugins, options]).toEqual([undefined, undefined]);
  });

  it('streams the same text and annotations, with one id', async () => {
    upstream.script([searches, answer]);
    const { events, frames } = await postStream(
      `${gateway.url}/v1/chat/completions`,
      { model: 'up/caller', messages, stream: true, web_search_options: {} },
      { headers: gateway.auth },
    );
    const deltas = events
      .flatMap((event) => listAt(event, 'choices'))
      .map((one) => at(one, 'delta'));
    const text = deltas.map((delta) => (at(delta, 'content') as string | undefined) ?? '').join('');
    expect(text).toBe('The Lindow tower is 312 metres tall [1].');
    expect(
      deltas.flatMap((delta) => (at(delta, 'annotations') as object[] | undefined) ?? []),
    ).toHaveLength(1);
    expect(new Set(events.map((event) => textAt(event, 'id'))).size).toBe(1);
    expect(frames.at(-1)!.data).toBe('[DONE]');
  });

  it('goes on as it is where the gateway has no engine', async () => {
    await chat({ web_search_options: { search_context_size: 'low' } }, bare);
    expect(upstream.requests[0]!.body).toMatchObject({
      web_search_options: { search_context_size: 'low' },
    });
  });
});

describe('a turn with calls of the gateway and of the client', () => {
  const both = {
    toolCalls: [
      { id: 's1', name: 'web_search', arguments: { query: 'Lindow tower' } },
      { id: 'w1', name: 'weather', arguments: {} },
    ],
  };
  const asked = { tools: [weather, { type: 'web_search' }] };

  it('gives the client its own, and joins the results when it answers', async () => {
    upstream.script([both, answer]);
    const { json } = await chat(asked);
    const message = at(json, 'choices', 0, 'message') as Record<string, unknown>;
    expect(at(json, 'choices', 0, 'finish_reason')).toBe('tool_calls');
    expect(message['tool_calls']).toMatchObject([{ id: 'w1', function: { name: 'weather' } }]);
    const next = await chat({
      ...asked,
      messages: [...messages, message, { role: 'tool', tool_call_id: 'w1', content: 'Rain.' }],
    });
    expect(textAt(next.json, 'choices', 0, 'message', 'content')).toContain('312');
    const sent = upstream.requests[1]!.body!['messages'] as Record<string, unknown>[];
    expect(sent.slice(-3)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 's1' }, { id: 'w1' }] },
      { role: 'tool', tool_call_id: 's1' },
      { role: 'tool', tool_call_id: 'w1', content: 'Rain.' },
    ]);
    expect(sent.at(-2)!['content']).toContain('312 m tall');
  });

  it('refuses results of calls that nobody made', async () => {
    const { status, json } = await chat({
      ...asked,
      messages: [...messages, { role: 'tool', tool_call_id: 'nope', content: 'x' }],
    });
    expect([status, textAt(json, 'error', 'param')]).toEqual([400, 'messages[1].tool_call_id']);
    expect(upstream.requests).toEqual([]);
  });
});

describe('a chat completion with fields of native completions', () => {
  it.each([
    ['research', { research: true }],
    ['research', { research: { effort: 'low' } }],
    ['toolkits', { toolkits: ['local'] }],
  ])('%s is refused, and not passed on to a provider that ignores it: %o', async (field, body) => {
    const { status, json } = await chat(body);
    expect(status).toBe(400);
    expect(at(json, 'error', 'message')).toBe(
      `${field}: is not supported here; send it to POST /api/v1/completions`,
    );
    expect(upstream.requests).toEqual([]);
  });

  it('is answered where they ask for nothing', async () => {
    expect((await chat({ research: false, toolkits: [] })).status).toBe(200);
  });
});
