import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toChatMessages } from '../../src/http/surfaces/messages/chat-messages.js';
import {
  blockFates,
  fieldFates,
  onlyMessages,
  toolFates,
  toolFieldFates,
} from '../../src/http/surfaces/messages/only-messages.js';
import type { MessagesRequest } from '../../src/http/surfaces/messages/request.js';
import {
  type DialectGateway,
  dialectModels,
  dialectRows,
  startDialectGateway,
} from '../helpers/dialect-gateway.js';
import { event } from '../helpers/event-stream.js';
import { startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { bodyOf, listRecorded, recordedDir } from '../helpers/recorded.js';
import { runs } from '../helpers/runs.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { post, postStream, type Reply, type StreamReply } from '../helpers/sse.js';

let gateway: DialectGateway;
let world: SearchWorld;
beforeAll(async () => {
  world = await startSearchWorld();
  world.pages = [{ title: 'Lindow tower', url: `${world.url}/tower`, text: 'It is 312 m tall.' }];
  gateway = await startDialectGateway({
    search: {
      engines: [{ type: 'searxng', url: world.url }],
      allowPrivateHosts: [world.host],
      cacheMs: 0,
    },
    models: { 'chat/gpt-test': { tools: true } },
  });
});
afterAll(async () => {
  await gateway.close();
  await world.close();
});
beforeEach(() => {
  gateway.upstream.script([]);
  gateway.upstream.requests.length = world.queries.length = 0;
});

const { Anthropic: claude, 'OpenAI chat': chat, Gemini: gemini, Bedrock: bedrock } = dialectModels;
const question = { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
const ask = (body: object, headers: Record<string, string> = {}, query = ''): Promise<Reply> =>
  post(
    `${gateway.url}/v1/messages${query}`,
    { ...question, ...body },
    { ...gateway.auth, ...headers },
  );
const askStreamed = (body: object): Promise<StreamReply> =>
  postStream(
    `${gateway.url}/v1/messages`,
    { ...question, stream: true, ...body },
    { headers: gateway.auth },
  );
const sentBody = (n = 0): unknown => gateway.upstream.requests[n]?.body;
const sentText = (n = 0): string => gateway.upstream.requests[n]?.raw.toString() ?? '';

interface Block {
  json: string;
  id?: string;
  text?: string;
  citations?: unknown[];
}

/** The content of a message that events make. */
function contentOf(events: readonly unknown[]): Block[] {
  const blocks: Block[] = [];
  for (const event of events) {
    const index = Number(at(event, 'index'));
    if (textAt(event, 'type') === 'content_block_start')
      blocks[index] = { ...(at(event, 'content_block') as object), json: '' };
    const block = blocks[index];
    if (textAt(event, 'type') !== 'content_block_delta' || !block) continue;
    const delta = at(event, 'delta') as { type: string; text?: string; citation?: unknown };
    if (delta.type === 'text_delta') block.text = (block.text ?? '') + textAt(delta, 'text');
    if (delta.type === 'input_json_delta') block.json += textAt(delta, 'partial_json');
    if (delta.type === 'citations_delta')
      block.citations = [...(block.citations ?? []), delta.citation];
  }
  return blocks;
}

describe('a provider that speaks Messages', () => {
  const sent = {
    model: claude,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    metadata: { user_id: 'someone' },
    container: 'container_1',
    tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
    next_month: { is: 'new' },
  };

  it('gets the body as it is, with the headers and the query of the dialect', async () => {
    const betas = { 'anthropic-beta': 'a-2026-01-01,b-2026-02-02' };
    const reply = await ask(sent, { ...betas, 'x-stainless-lang': 'js' }, '?beta=true&key=none');
    expect(reply.status).toBe(200);
    const [call] = gateway.upstream.requests;
    expect(call?.path).toBe('/v1/messages?beta=true');
    expect(call?.headers).toMatchObject(betas);
    expect(call?.body).toEqual({
      ...question,
      ...sent,
      model: 'claude-sonnet-4-5',
      stream: false,
    });
  });

  it('counts tokens for a key as often a minute as that may send requests, and is then not asked', async () => {
    const limits = { requestsPerMinute: 2 };
    const key = 'sk_limited';
    const { upstream } = gateway;
    const limited = await startGateway({
      auth: { keys: [{ name: 'limited', key, limits }] },
      providers: { anthropic: { api: 'anthropic', baseUrl: upstream.url } },
    });
    upstream.script([({ path }) => (path.includes('count') ? counted : {})]);
    const counted = { status: 200, body: { input_tokens: 42 } };
    const auth = { authorization: `Bearer ${key}` };
    const model = 'anthropic/claude-sonnet-4-5';
    const body = { model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
    const counts: unknown[] = [];
    for (let count = 0; count < 4; count++)
      counts.push(
        at(
          (await post(`${limited.url}/v1/messages/count_tokens`, body, auth)).json,
          'input_tokens',
        ),
      );
    expect(counts.slice(0, 2)).toEqual([42, 42]);
    expect(counts[2]).toBeLessThan(42);
    expect(counts[3]).toBe(counts[2]);
    expect(upstream.requests).toHaveLength(2);
    // they take nothing of its requests
    expect((await post(`${limited.url}/v1/messages`, body, auth)).status).toBe(200);
    await limited.close();
  });

  it('has its answer passed on as it is, unknown fields included', async () => {
    const body = Buffer.from(
      `{ "type": "message", "id": "msg_1", "model": "m", "content": [{"type":"text","text":"a"},
      {"type":"novelty","x":1}], "stop_reason": "end_turn", "usage": {"input_tokens": 3,
      "output_tokens": 1, "speed": "fast"}, "context_management": null }`,
    );
    gateway.upstream.script([{ raw: body, contentType: 'application/json' }]);
    expect((await ask({ model: claude })).text).toBe(body.toString());
  });

  it('has its events passed on as they are, unknown ones included', async () => {
    const events = [
      ['message_start', { message: { id: 'msg_1', model: 'm', usage: { input_tokens: 3 } } }],
      ['novelty', { x: 'Grüße 世界' }],
      ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
      ['ping', {}],
      ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Grüße' } }],
      ['content_block_delta', { index: 0, delta: { type: 'novelty_delta', x: 1 } }],
      ['content_block_stop', { index: 0 }],
      ['message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }],
      ['message_stop', {}],
    ] as const;
    const raw = events.map(
      ([type, fields]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
    );
    gateway.upstream.script([
      { raw: Buffer.from(raw.join('')), contentType: 'text/event-stream', writes: 7 },
    ]);
    const reply = await askStreamed({ model: claude });
    expect(reply.frames.map(({ event, data }) => [event, data])).toEqual(
      events.map(([type, fields]) => [type, JSON.stringify({ type, ...fields })]),
    );
  });

  it('gets nothing of other makers that an earlier answer had', async () => {
    gateway.upstream.script([
      { reasoning: ['Hm.'], toolCalls: [{ id: 'c1', name: 'f', arguments: {} }] },
      {},
    ]);
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    const { json } = await ask({ model: chat, tools });
    const content = listAt(json, 'content');
    expect(content.map((block) => textAt(block, 'type'))).toEqual(['thinking', 'tool_use']);
    const messages = [
      ...question.messages,
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }] },
    ];
    await ask({ model: claude, tools, messages });
    expect(at(sentBody(1), 'messages')).toEqual([
      messages[0],
      { role: 'assistant', content: content.slice(1) },
      messages[2],
    ]);
  });

  it('is not asked in the place of one that cannot answer, and takes over from one that fails', async () => {
    gateway.upstream.script([
      ({ path }) => (path.startsWith('/v1/messages') ? { text: ['Claude'] } : { status: 503 }),
    ]);
    const taken = await ask({ model: chat, fallback_models: [claude], next_month: 1 });
    expect(taken.json).toMatchObject({ id: 'msg_test', content: [{ text: 'Claude' }] });
    expect(sentBody(1)).toMatchObject({ next_month: 1 });
    expect(sentBody(1)).not.toHaveProperty('fallback_models');
    const { json } = await ask({ model: chat, container: 'c' });
    expect(json).toMatchObject({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: expect.stringContaining('its provider does not support `container`') as string,
      },
    });
  });
});

it('asks another model for no longer answer than it can write', async () => {
  await ask({ model: 'chat/gpt-4o', max_tokens: 32_000 });
  expect(gateway.upstream.requests.at(-1)?.body).toMatchObject({ max_tokens: 16_384 });
  await ask({ model: 'chat/gpt-4o', max_tokens: 10 });
  expect(gateway.upstream.requests.at(-1)?.body).toMatchObject({ max_tokens: 10 });
});

const traffic = new URL('../fixtures/agent-traffic/', import.meta.url);
const ours = readdirSync(traffic).filter((file) => file.startsWith('claude-code-'));
const recordedRequests = ours.map((file) => {
  const parsed = JSON.parse(readFileSync(new URL(file, traffic), 'utf8')) as {
    path: string;
    headers: Record<string, string>;
    body: MessagesRequest;
  };
  return [file.replace('.json', ''), parsed] as const;
});

describe.each(dialectRows)('what Claude Code sends, to %s:', (name, model) => {
  it.each(recordedRequests)('%s', async (file, { path, headers, body }) => {
    const isCount = path.includes('count_tokens');
    gateway.upstream.script([
      isCount && name === 'Anthropic'
        ? { status: 200, body: { input_tokens: 9 } }
        : { reasoning: ['Hm.'], text: ['Grüß', ' Gott'] },
    ]);
    const { 'anthropic-beta': beta = '', 'anthropic-version': version = '' } = headers;
    const sent = { 'anthropic-beta': beta, 'anthropic-version': version, ...gateway.auth };
    const url = gateway.url + path;
    if (isCount) {
      const { json } = await post(url, { ...body, model }, sent);
      expect(Number(at(json, 'input_tokens'))).toBeGreaterThan(8);
      return;
    }
    const reply = body.stream
      ? await postStream(url, { ...body, model }, { headers: sent })
      : await post(url, { ...body, model }, sent);
    expect(reply.status).toBe(200);
    const content =
      'events' in reply ? contentOf(reply.events as unknown[]) : listAt(reply.json, 'content');
    expect(content).toContainEqual(expect.objectContaining({ type: 'text', text: 'Grüß Gott' }));
    if (name === 'Anthropic') {
      const stream = body.stream ?? false;
      expect(sentBody()).toEqual({ ...body, model: 'claude-sonnet-4-5', stream });
      return;
    }
    for (const secret of ['device_id', 'context_management', 'sbx1.', 'cache_edits'])
      expect(sentText()).not.toContain(secret);
    for (const tool of body.tools ?? [])
      if (tool.type === undefined) expect(sentText()).toContain(`"${tool.name}"`);
    if (file.includes('tool-turn')) expect(sentText()).toContain('signalbox-step');
  });
});

describe('what only Messages has', () => {
  const needsOf = (body: object): ReturnType<typeof onlyMessages> =>
    onlyMessages({ model: 'm', messages: [], ...body });

  // what these hold is looked at by itself
  const structured = ['messages', 'tools'];
  const fields = [...fieldFates.known].filter(([field]) => !structured.includes(field));
  it.each(fields)('the field %s is %s', (field, fate) => {
    const { needs, dropped } = needsOf({ [field]: { x: 1 } });
    expect(needs).toBe(fate === 'needed' ? `\`${field}\`` : null);
    expect([...dropped]).toEqual(fate === 'dropped' ? [field] : []);
    expect(needsOf({ [field]: null })).toEqual({ needs: null, dropped: new Set() });
  });

  it.each([...toolFates.known])('a tool of the type %s… is %s', (start, fate) => {
    const { needs, dropped } = needsOf({ tools: [{ type: `${start}x`, name: 't' }] });
    expect(needs).toBe(fate === 'needed' ? `the tool \`${start}x\`` : null);
    expect([...dropped]).toEqual(fate === 'dropped' ? [`tools.${start}x`] : []);
  });

  it.each([...toolFieldFates.known])('the field %s of a tool is %s', (field, fate) => {
    const { needs, dropped } = needsOf({ tools: [{ name: 't', [field]: true }] });
    expect(needs).toBeNull();
    expect([...dropped]).toEqual(fate === 'dropped' ? [`tools.${field}`] : []);
  });

  it.each([...blockFates.known])('content of the type %s is %s', (type, fate) => {
    const { needs } = needsOf({ messages: [{ role: 'user', content: [{ type }] }] });
    expect(needs).toBe(fate === 'needed' ? `content of type \`${type}\`` : null);
  });

  it('is dropped and named, or needed, where it is not known, and repeats no secret', () => {
    expect([...needsOf({ next_month: 1, 'sk-ant secret': 1 }).dropped]).toEqual([
      'next_month',
      'another kind',
    ]);
    expect(needsOf({ tools: [{ type: 'novelty_20270101' }] }).needs).toBe(
      'the tool `novelty_20270101`',
    );
    const file = { type: 'document', source: { type: 'file', file_id: 'f' } };
    expect(needsOf({ messages: [{ role: 'user', content: [file] }] }).needs).toBe(
      'a file of the provider by its id',
    );
  });

  it('is named in a header where it was left out', async () => {
    const reply = await ask({ model: chat, context_management: {}, speed: 'fast', metadata: {} });
    expect(reply.headers['x-signalbox-dropped']).toBe('context_management, speed');
    const streamed = await askStreamed({ model: chat, service_tier: 'auto' });
    expect(streamed.headers['x-signalbox-dropped']).toBe('service_tier');
    expect(sentText(0) + sentText(1)).not.toMatch(/speed|service_tier|context_management/);
    const forwarded = await ask({ model: claude, speed: 'fast' });
    expect(forwarded.headers['x-signalbox-dropped']).toBeUndefined();
  });

  it('is named by its own name where the model does not take it', async () => {
    const model = `${chat.split('/')[0]}/o3`;
    const reply = await ask({ model, stop_sequences: ['END'], temperature: 0.5 });
    expect(sentText(0)).not.toMatch(/END|temperature/);
    expect(reply.headers['x-signalbox-dropped']).toBe('stop_sequences, temperature');
  });
});

describe('the effort of other models', () => {
  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 8192 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 31999 } }, 'high'],
    [{ thinking: { type: 'adaptive' } }, 'high'],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, 'xhigh'],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'between_tools' } }, 'none'],
    [{ output_config: { effort: 'low' } }, 'low'],
    [{}, undefined],
  ])('of %j is %s', async (fields, effort) => {
    await ask({ model: chat, ...fields });
    expect(at(sentBody(), 'reasoning_effort')).toBe(effort);
  });
});

describe('a translated body', () => {
  it('has a turn with content, or is refused by name', async () => {
    const asked = (content: unknown): Promise<Reply> =>
      ask({ model: chat, messages: [{ role: 'user', content }] });
    for (const content of ['', [{ type: 'text', text: '' }]])
      expect((await asked(content)).status).toBe(200);
    expect(await asked([])).toMatchObject({
      status: 400,
      json: { error: { message: 'messages: have no content' } },
    });
    const upload = [{ type: 'container_upload', file_id: 'f' }];
    const messages = [{ role: 'user', content: upload }];
    expect((await ask({ model: claude, messages })).status).toBe(200);
  });

  it('names citations that results of searches are to get', async () => {
    const found = {
      source: 'https://x.example',
      title: 'X',
      content: [{ type: 'text', text: 'x' }],
    };
    const block = { type: 'search_result', ...found, citations: { enabled: true } };
    const reply = await ask({ model: chat, messages: [{ role: 'user', content: [block] }] });
    expect(reply.headers['x-signalbox-dropped']).toBe('citations');
  });

  it('leaves out what says that another model of Anthropic’s took over', async () => {
    const turn = {
      role: 'assistant',
      content: [{ type: 'fallback' }, { type: 'text', text: 'a' }],
    };
    const user = { role: 'user', content: 'Hi' };
    await ask({ model: chat, messages: [user, turn, user], user_profile_id: 'p' });
    expect(at(sentBody(), 'messages', 1, 'content')).toBe('a');
    expect(sentText()).not.toMatch(/fallback|user_profile/);
  });

  it('keeps the order of turns, the marks of caches and what tools returned', () => {
    const control = { type: 'ephemeral' };
    expect(
      toChatMessages({
        model: 'm',
        system: [{ type: 'text', text: 'S', cache_control: control }],
        messages: [
          { role: 'user', content: 'a' },
          { role: 'system', content: 'now' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 't1', signature: 's1' },
              { type: 'text', text: 'b' },
              { type: 'redacted_thinking', data: 'd' },
              { type: 'tool_use', id: 'c1', name: 'f', input: { x: 1 } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'and' },
              {
                type: 'tool_result',
                tool_use_id: 'c1',
                is_error: true,
                content: [
                  { type: 'text', text: 'r' },
                  { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
                ],
                cache_control: control,
              },
            ],
          },
        ],
      }),
    ).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'S', cache_control: control }] },
      { role: 'user', content: 'a' },
      { role: 'system', content: 'now' },
      {
        role: 'assistant',
        content: 'b',
        reasoning_details: [
          { type: 'reasoning.text', text: 't1', signature: 's1', format: 'anthropic-claude-v1' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_details: [
          { type: 'reasoning.encrypted', data: 'd', format: 'anthropic-claude-v1' },
        ],
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 'c1',
        is_error: true,
        content: [
          { type: 'text', text: 'r' },
          { type: 'image_url', image_url: { url: 'https://x/y.png' } },
        ],
        cache_control: control,
      },
      { role: 'user', content: 'and' },
    ]);
  });

  it('gives a provider of OpenAI’s dialect the pictures of a result in a message after it', async () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AA' },
    };
    await ask({
      model: chat,
      messages: [
        ...question.messages,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c', is_error: true, content: [image] }],
        },
      ],
    });
    expect(listAt(sentBody(), 'messages').slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c', content: 'Error\n(What it returned follows.)' },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }],
      },
    ]);
  });

  it('keeps what is said of a document, and the lines of instructions', async () => {
    const about = { title: 'Terms', context: 'Of 2026', citations: { enabled: true } };
    const sources = [
      { type: 'text', media_type: 'text/plain', data: 'All of it' },
      { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
    ];
    const content = sources.map((source) => ({ type: 'document', ...about, source }));
    const system = ['Be brief.', 'Be kind.'].map((text) => ({ type: 'text', text }));
    await ask({ model: chat, system, messages: [{ role: 'user', content }] });
    expect(listAt(sentBody(), 'messages', 1, 'content')).toEqual([
      ...['Terms', 'Of 2026', 'All of it', 'Of 2026'].map((text) => ({ type: 'text', text })),
      {
        type: 'file',
        file: { filename: 'Terms', file_data: 'data:application/pdf;base64,JVBERi0=' },
      },
    ]);
    await ask({ model: dialectModels.Responses, system, messages: [{ role: 'user', content }] });
    expect(at(sentBody(1), 'instructions')).toBe('Be brief.\nBe kind.');
  });

  it.each([
    [
      'a block of its own',
      (line: string) => [line, 'Be brief.'].map((text) => ({ type: 'text', text })),
    ],
    ['the first line of a block', (line: string) => [{ type: 'text', text: `${line}\nBe brief.` }]],
    ['the first line of a text', (line: string) => `${line}\nBe brief.`],
  ])('leaves out what Claude Code says to its maker alone: %s', async (_where, make) => {
    const line = 'x-anthropic-billing-header: cc_version=2.1.177; cc_entrypoint=cli; cch=eb6c6;';
    const [system, messages] = [make(line), [{ role: 'user', content: 'Hi' }]];
    await ask({ model: chat, system, messages });
    expect(listAt(sentBody(), 'messages')).toEqual([
      { role: 'system', content: 'Be brief.' },
      ...messages,
    ]);
    await ask({ model: claude, system, messages });
    expect(sentBody(1)).toMatchObject({ system });
  });

  it('tells other models the summary that Claude compacted a conversation to', async () => {
    const blocks = [
      { type: 'compaction', content: 'They spoke of rain.' },
      { type: 'compaction', content: null },
      { type: 'text', text: 'And then?' },
    ];
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: blocks },
      { role: 'user', content: 'Go on' },
    ];
    expect((await ask({ model: chat, messages })).status).toBe(200);
    expect(sentText()).toContain('They spoke of rain.');
  });

  it('keeps roles, texts, calls and their order in any conversation', () => {
    const text = fc.string({ minLength: 1 });
    const block = fc.oneof(
      text.map((value) => ({ type: 'text', text: value })),
      fc
        .tuple(fc.uuid(), text)
        .map(([id, name]) => ({ type: 'tool_use', id, name, input: { id } })),
    );
    const order = ({ type }: { type: string }): number => (type === 'text' ? 0 : 1);
    const turn = fc.oneof(
      fc.record({ role: fc.constantFrom('user', 'system'), content: text }),
      fc.record({
        role: fc.constant('assistant'),
        content: fc
          .array(block, { minLength: 1 })
          .map((all) => all.sort((a, b) => order(a) - order(b))),
      }),
    );
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1 }), (messages) => {
        const translated = toChatMessages({ model: 'm', messages });
        const back = translated.flatMap(({ role, content, tool_calls: calls = [] }) => [
          ...(typeof content === 'string'
            ? [[role, content]]
            : (content ?? []).map((part) => [role, part.text])),
          ...calls.map((call) => [role, call.id, call.function.name, call.function.arguments]),
        ]);
        const meant = messages.flatMap(({ role, content }) =>
          typeof content === 'string'
            ? [[role, content]]
            : content.map((one) =>
                'id' in one
                  ? [role, one.id, one.name, JSON.stringify(one.input)]
                  : [role, one.text],
              ),
        );
        expect(back).toEqual(meant);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe.each([
  ['a server', chat, (streamed: boolean) => chatStop(streamed, 'stop_reason')],
  ['another server', chat, (streamed: boolean) => chatStop(streamed, 'matched_stop')],
  ['Bedrock', bedrock, converseStop],
])('a stop sequence that %s names', (_name, model, stopped) => {
  const named = { stop_reason: 'stop_sequence', stop_sequence: 'END' };
  const asked = { model, stop_sequences: ['END'] };

  it('is named in the message', async () => {
    gateway.upstream.script([{ raw: stopped(false), contentType: 'application/json' }]);
    expect((await ask(asked)).json).toMatchObject(named);
  });

  it('is named in the stream', async () => {
    const contentType = model === chat ? 'text/event-stream' : 'application/vnd.amazon.eventstream';
    gateway.upstream.script([{ raw: stopped(true), contentType }]);
    expect((await askStreamed(asked)).events.at(-2)).toMatchObject({ delta: named });
  });
});

it.each([
  [claude, undefined],
  [bedrock, ['/stop_sequence']],
  ['aws/amazon.nova-lite-v1:0', undefined],
])('%s is asked for the stop sequence that ended its answer by %j', async (model, paths) => {
  await ask({ model, stop_sequences: ['END'] });
  expect(at(sentBody(), 'additionalModelResponseFieldPaths')).toEqual(paths);
});

it.each([false, true])("Claude's is named as other servers do it, streamed: %j", async (stream) => {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const ended = { stop_reason: 'stop_sequence', stop_sequence: 'END' };
  const message = { type: 'message', role: 'assistant', model: 'm', usage };
  const text = { type: 'text', text: 'a' };
  const events = [
    { type: 'message_start', message: { ...message, content: [] } },
    { type: 'content_block_start', index: 0, content_block: text },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: ended, usage },
    { type: 'message_stop' },
  ];
  const raw = stream
    ? events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
    : JSON.stringify({ ...message, ...ended, content: [text] });
  const contentType = stream ? 'text/event-stream' : 'application/json';
  gateway.upstream.script([{ raw: Buffer.from(raw), contentType }]);
  const url = `${gateway.url}/v1/chat/completions`;
  const body = { ...question, model: claude, stop: 'END', stream };
  const answer = stream
    ? (await postStream(url, body, { headers: gateway.auth })).events
    : [(await post(url, body, gateway.auth)).json];
  const choices = answer.flatMap((one) => listAt(one, 'choices'));
  expect(choices.filter((choice) => at(choice, 'finish_reason') !== null)).toEqual([
    expect.objectContaining({ finish_reason: 'stop', stop_reason: 'END' }),
  ]);
});

/** An answer in chat's dialect that ended at END, which a field of the choice says. */
function chatStop(streamed: boolean, field: string): Buffer {
  const head = { id: 'c', object: 'chat.completion', created: 1, model: 'm' };
  const choice = { index: 0, finish_reason: 'stop', [field]: 'END' };
  const events = [
    { index: 0, delta: { content: 'a' } },
    { ...choice, delta: {} },
  ].map((one) => `data: ${JSON.stringify({ ...head, choices: [one] })}\n\n`);
  const choices = [{ ...choice, message: { role: 'assistant', content: 'a' } }];
  return Buffer.from(
    streamed ? `${events.join('')}data: [DONE]\n\n` : JSON.stringify({ ...head, choices }),
  );
}

/** The same of Claude at Bedrock. */
function converseStop(streamed: boolean): Buffer {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const ended = {
    stopReason: 'stop_sequence',
    additionalModelResponseFields: { stop_sequence: 'END' },
  };
  if (streamed)
    return Buffer.concat([
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'a' } }),
      event('messageStop', ended),
      event('metadata', { usage }),
    ]);
  const output = { message: { role: 'assistant', content: [{ text: 'a' }] } };
  return Buffer.from(JSON.stringify({ output, ...ended, usage }));
}

describe('calls whose pieces come mixed', () => {
  it('are one block after the other', async () => {
    const delta = (index: number, more: object): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index, ...more }] } }] })}\n\n`;
    const begin = (index: number): string =>
      delta(index, { id: `c.${index}`, type: 'function', function: { name: 'f', arguments: '' } });
    const piece = (index: number, text: string): string =>
      delta(index, { function: { arguments: text } });
    const raw = [
      ...[begin(0), begin(1), piece(0, '{"a"'), piece(1, '{"b"'), piece(0, ':0}'), piece(1, ':1}')],
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    ].join('');
    gateway.upstream.script([{ raw: Buffer.from(raw), contentType: 'text/event-stream' }]);
    const { events } = await askStreamed({ model: chat });
    expect(contentOf(events)).toMatchObject([
      { type: 'tool_use', id: 'c_0', json: '{"a":0}' },
      { type: 'tool_use', id: 'c_1', json: '{"b":1}' },
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });
});

describe('the tool web_search', () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }];
  const forced = { tools, tool_choice: { type: 'tool', name: 'web_search' } };
  const searches = {
    toolCalls: [{ id: 's1', name: 'web_search', arguments: { query: 'Lindow tower' } }],
  };

  it('is forwarded to a model that has it, and models without it are then not asked', async () => {
    const { status } = await ask({ model: 'auto', models: [chat, claude], ...forced });
    expect(status).toBe(200);
    expect(sentBody()).toMatchObject(forced);
    expect(world.queries).toEqual([]);
  });

  it('is answered by the gateway’s search for another model, in Anthropic’s blocks', async () => {
    gateway.upstream.script([searches, { text: ['The tower is 312 m tall [1].'] }]);
    const { events } = await askStreamed({ model: chat, ...forced });
    expect(world.queries).toEqual(['Lindow tower']);
    const [call, result, text] = contentOf(events);
    expect(call).toMatchObject({
      type: 'server_tool_use',
      name: 'web_search',
      json: '{"query":"Lindow tower"}',
    });
    expect(result).toMatchObject({
      type: 'web_search_tool_result',
      tool_use_id: call?.id,
      content: [{ type: 'web_search_result', title: 'Lindow tower', url: `${world.url}/tower` }],
    });
    expect(text).toMatchObject({ type: 'text', citations: [{ url: `${world.url}/tower` }] });
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { server_tool_use: { web_search_requests: 1 } },
    });
    const messages = [
      ...question.messages,
      { role: 'assistant', content: contentOf(events).map(({ json: _json, ...one }) => one) },
      ...question.messages,
    ];
    await ask({ model: claude, messages });
    expect(sentText(2)).not.toMatch(/sbx1|web_search/);
  });

  const searchesTwice = {
    toolCalls: ['Lindow tower', 'Lindow mill'].map((query, at) => ({
      id: `s${at}`,
      name: 'web_search',
      arguments: { query },
    })),
  };
  const mill = { toolCalls: [{ id: 's2', name: 'web_search', arguments: { query: 'who built' } }] };
  const answers = [searchesTwice, mill, { text: ['It is 312 m tall [1].'] }];
  type Block = Readonly<Record<string, unknown>>;
  const summed = (blocks: readonly Block[]): unknown[] =>
    blocks.map(({ type, id, input, json, tool_use_id: of, content }) => {
      if (type === 'text') return type;
      if (type === 'server_tool_use')
        return [id, typeof json === 'string' ? (JSON.parse(json) as unknown) : input];
      return [of, Array.isArray(content) ? content.length : content];
    });

  it('has a block for each search and one for what it found, whole and streamed alike', async () => {
    gateway.upstream.script(answers);
    const { json } = await ask({ model: chat, ...forced });
    gateway.upstream.script(answers);
    const { events } = await askStreamed({ model: chat, ...forced });
    for (const [blocks, usage] of [
      [listAt(json, 'content') as Block[], at(json, 'usage')],
      [contentOf(events).map((block): Block => ({ ...block })), at(events.at(-2), 'usage')],
    ] as const) {
      const ids = blocks.filter(({ type }) => type === 'server_tool_use').map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
      const [first, second, third] = ids;
      expect(summed(blocks)).toHaveLength(7);
      expect(summed(blocks)).toEqual(
        expect.arrayContaining([
          [first, { query: 'Lindow tower' }],
          [second, { query: 'Lindow mill' }],
          [third, { query: 'who built' }],
          [first, 1],
          [second, 1],
          [third, 1],
          'text',
        ]),
      );
      expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 3 } });
    }
  });

  it('says of a search that failed what Anthropic says', async () => {
    gateway.upstream.script([searches, { text: ['I found nothing.'] }]);
    world.status = 500;
    const { json } = await ask({ model: chat, tools });
    world.status = 200;
    const [use, result, text] = listAt(json, 'content');
    expect(result).toMatchObject({
      type: 'web_search_tool_result',
      tool_use_id: textAt(use, 'id'),
      content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
    });
    expect(text).toMatchObject({ type: 'text', text: 'I found nothing.' });
    expect(at(json, 'usage', 'server_tool_use')).toBeNull();
  });

  it('is answered whole in the same blocks', async () => {
    gateway.upstream.script([searches, { text: ['It is 312 m tall [1].'] }]);
    const { json } = await ask({ model: chat, ...forced });
    expect(listAt(json, 'content').map((block) => textAt(block, 'type'))).toEqual([
      'server_tool_use',
      'web_search_tool_result',
      'text',
    ]);
  });
});

describe('an error', () => {
  afterEach(() => gateway.upstream.script([]));

  it.each([
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000.",
      'prompt is too long: 9000 tokens > 8192 maximum',
    ],
    [
      'prompt is too long: 210000 tokens > 200000 maximum',
      'prompt is too long: 210000 tokens > 200000 maximum',
    ],
    ['Your input exceeds the context window of this model.', 'prompt is too long'],
  ])(
    'of a conversation that is too long, %j, has the wording that clients read',
    async (message, said) => {
      gateway.upstream.script([{ status: 400, body: { error: { message } } }]);
      const { status, headers, json } = await ask({ model: chat });
      expect(status).toBe(400);
      expect(headers['x-should-retry']).toBe('false');
      expect(json).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error' },
        request_id: headers['request-id'],
      });
      expect(textAt(json, 'error', 'message').startsWith(said)).toBe(true);
    },
  );

  it('of a limit of the gateway names both numbers too', async () => {
    const bounded = await startDialectGateway({
      models: { 'chat/gpt-test': { contextLength: 2000 } },
    });
    const content = 'word '.repeat(5000);
    const { json } = await post(
      `${bounded.url}/v1/messages`,
      { model: chat, max_tokens: 10, messages: [{ role: 'user', content }] },
      bounded.auth,
    );
    await bounded.close();
    expect(textAt(json, 'error', 'message')).toMatch(/^prompt is too long: \d+ tokens > 2000 max/);
  });
});

const dir = recordedDir();
const recorded = dir
  ? listRecorded(dir).filter(
      ({ provider, status, kind }) =>
        provider === 'anthropic' && status === 200 && kind !== 'ndjson',
    )
  : [];

const isStart = ({ type }: { type: string }): boolean => type === 'message_start';

describe.runIf(dir)('recorded answers of Anthropic', () => {
  it('lose nothing on their way through', async () => {
    expect(recorded.length).toBeGreaterThan(20);
    for (const exchange of recorded) {
      const raw = bodyOf(exchange);
      const { contentType } = exchange;
      gateway.upstream.script([{ raw, contentType }]);
      if (exchange.kind === 'json') {
        const { json } = await ask({ model: claude });
        expect(json, exchange.name).toEqual(JSON.parse(raw.toString()));
      } else {
        const { events } = await askStreamed({ model: claude });
        const sent = [...raw.toString().matchAll(/^data: ?(.*)$/gm)].map(
          ([, text = '']) => JSON.parse(text) as { type: string },
        );
        // one proxy begins twice, at which Anthropic's own SDK would give up
        const first = sent.findIndex(isStart);
        const kept = sent.filter((event, at) => !isStart(event) || at === first);
        expect(events, exchange.name).toEqual(kept);
      }
    }
  });
});

it('an answer of Gemini keeps the signatures of its calls', async () => {
  const signature = 'c2lnbmF0dXJl';
  const part = { functionCall: { name: 'f', args: {} }, thoughtSignature: signature };
  const body = { candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] };
  gateway.upstream.script([{ status: 200, body }, {}]);
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const { json } = await ask({ model: gemini, tools });
  const content = listAt(json, 'content');
  const id = textAt(content.at(-1), 'id');
  await ask({
    model: gemini,
    tools,
    messages: [
      ...question.messages,
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] },
    ],
  });
  expect(sentText(1)).toContain(signature);
});
