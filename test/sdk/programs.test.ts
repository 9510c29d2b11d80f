import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DialectGateway,
  dialectRows,
  startDialectGateway,
} from '../helpers/dialect-gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, postStream } from '../helpers/sse.js';

// What programs send and how they read the answer, as their public sources say it. None of them has
// run here; test/agents has those that have.

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.requests.length = 0;
  gateway.upstream.script([]);
});

type Body = Record<string, unknown>;

const hello: Body = { role: 'user', content: 'Say hello' };
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const read = { name: 'read_file', description: 'Reads', parameters: schema };
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'read_file', arguments: '{"path":"a.ts"}' },
};
const result = { role: 'tool', tool_call_id: 'call_1', content: 'source of a.ts' };
const cached = { cache_control: { type: 'ephemeral' } };
const usage = { stream_options: { include_usage: true } };

/** A request of a program: what it adds to `model`, and what of it the provider has to be told. */
type Row = readonly [program: string, body: Body, told: readonly string[]];

const requests: readonly Row[] = [
  [
    'Open WebUI: a chat',
    {
      ...{ stream: true, ...usage, temperature: 0.7, max_tokens: 1_000, stop: ['END'].slice(1) },
      messages: [{ role: 'system', content: 'Be kind' }, hello],
      reasoning: { effort: 'low' },
    },
    ['Be kind', 'Say hello'],
  ],
  [
    'Open WebUI: a title',
    {
      stream: false,
      messages: [hello],
      max_tokens: 1_000,
      params: {},
      user: { id: 'u', name: 'n' },
    },
    ['Say hello'],
  ],
  [
    'Open WebUI: a chat with the result of a tool',
    {
      stream: true,
      messages: [hello, { role: 'assistant', content: '', tool_calls: [call] }, result],
      tools: [{ type: 'function', function: read }],
    },
    ['read_file', 'source of a.ts'],
  ],
  [
    'Zed: turns without content',
    {
      ...{ stream: true, ...usage, parallel_tool_calls: false, prompt_cache_key: 'thread' },
      messages: [
        { role: 'system', content: [] },
        { role: 'user', content: [] },
        hello,
        { role: 'assistant', content: null, tool_calls: [call] },
        {
          role: 'tool',
          tool_call_id: 'call_1',
          content: [{ type: 'text', text: 'source of a.ts' }],
        },
      ],
      tools: [{ type: 'function', function: { ...read, description: null } }],
      tool_choice: 'auto',
    },
    ['Say hello', 'source of a.ts'],
  ],
  [
    'Cline: a reasoning model, prompted by its developer',
    {
      ...{ stream: true, ...usage, reasoning_effort: 'medium' },
      messages: [
        { role: 'developer', content: 'Be kind' },
        { role: 'user', content: [{ type: 'text', text: 'Say hello' }] },
      ],
    },
    ['Be kind', 'Say hello'],
  ],
  [
    'Roo Code: marks for prompt caches',
    {
      ...{ stream: true, ...usage, temperature: 0, parallel_tool_calls: false },
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be kind', ...cached }] },
        { role: 'user', content: [{ type: 'text', text: 'Say hello', ...cached }] },
      ],
      tools: [{ type: 'function', function: { ...read, strict: true } }],
      tool_choice: 'auto',
    },
    ['Be kind', 'read_file'],
  ],
  [
    'NextChat: every number it knows',
    {
      ...{ stream: true, temperature: 0.5, top_p: 1, presence_penalty: 0, frequency_penalty: 0 },
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hello' }] }],
      max_tokens: 4_000,
    },
    ['Say hello'],
  ],
  [
    'Dify: the check of a model',
    { messages: [hello], max_tokens: 5, thinking: { type: 'disabled' } },
    ['Say hello'],
  ],
  [
    'llm: calls without content, tools without description, a form without strict',
    {
      messages: [hello, { role: 'assistant', tool_calls: [call] }, result],
      tools: [{ type: 'function', function: { ...read, description: null } }],
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema } },
    },
    ['source of a.ts'],
  ],
];

const textOf = (events: readonly unknown[]): string =>
  events.map((event) => textAt(event, 'choices', 0, 'delta', 'content')).join('');
const url = (path = '/v1/chat/completions'): string => gateway.url + path;
const toldTo = (n = 0): string => JSON.stringify(gateway.upstream.requests[n]?.body);

describe.each(dialectRows)('with %s behind the gateway', (dialect, model) => {
  it.each(requests)('%s', async (_program, fields, told) => {
    const body = { model, ...fields };
    if (fields['stream'] === true) {
      const { status, events } = await postStream(url(), body, { headers: gateway.auth });
      expect(status).toBe(200);
      expect(textOf(events)).toBe('Hello');
      // Zed reads a chunk that lacks them as an error
      for (const event of events) expect(Array.isArray(at(event, 'choices'))).toBe(true);
    } else {
      const { status, text, json } = await post(url(), body, gateway.auth);
      expect(status, text).toBe(200);
      expect(at(json, 'choices', 0, 'message', 'content')).toBe('Hello');
      // llm reads the counts before anything else
      expect(at(json, 'usage', 'total_tokens')).toBe(15);
    }
    for (const part of told) expect(toldTo()).toContain(part);
    // their names for nothing and for the programs' own things are for no other dialect
    if (dialect === 'Anthropic' || dialect === 'Gemini' || dialect === 'Bedrock')
      expect(toldTo()).not.toMatch(/null|"params"|prompt_cache_key|"stop"/);
  });

  it('Home Assistant: a turn of Responses, with a tool that was called', async () => {
    const { type, name, description, parameters } = { type: 'function', ...read };
    const { events } = await postStream(
      url('/v1/responses'),
      {
        ...{ model, stream: true, store: false, max_output_tokens: 3_000, user: 'conversation' },
        ...{ top_p: 1, temperature: 1 },
        input: [
          { type: 'message', role: 'developer', content: 'Be kind' },
          { type: 'message', role: 'user', content: 'Say hello' },
          { type: 'function_call', call_id: 'call_1', name, arguments: '{"path":"a.ts"}' },
          { type: 'function_call_output', call_id: 'call_1', output: '"source of a.ts"' },
        ],
        tools: [{ type, name, description, parameters, strict: false }],
      },
      { headers: gateway.auth },
    );
    expect(events.map((event) => textAt(event, 'type'))).toContain('response.completed');
    for (const part of ['Be kind', 'Say hello', 'source of a.ts']) expect(toldTo()).toContain(part);
  });
});

describe('Open WebUI', () => {
  const model = 'chat/gpt-test';

  it('may have a connection of the type Responses, and of Azure’s', async () => {
    const body = {
      ...{
        model,
        stream: true,
        instructions: 'Be kind',
        max_output_tokens: 1_000,
        temperature: 0.7,
      },
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hello' }] },
        // what it keeps of an answer, with marks of its own
        {
          ...{ type: 'reasoning', id: 'r_1', status: 'completed', summary: null, duration: 2 },
          content: [{ type: 'output_text', text: 'Hm' }],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Again' }] },
      ],
    };
    const { json } = await post(url('/v1/responses'), { ...body, stream: false }, gateway.auth);
    expect(textAt(listAt(json, 'output').at(-1), 'content', 0, 'text')).toBe('Hello');
    for (const part of ['Be kind', 'Say hello', 'Again']) expect(toldTo()).toContain(part);
    const ofAzure = `/openai/deployments/${model}/chat/completions?api-version=2023-03-15-preview`;
    const headers = {
      ...gateway.auth,
      'api-key': gateway.key,
      'api-version': '2023-03-15-preview',
    };
    const { events } = await postStream(
      url(ofAzure),
      { stream: true, messages: [hello] },
      { headers },
    );
    expect(textOf(events)).toBe('Hello');
    const verified = await ask(
      'GET',
      url('/openai/models?api-version=2023-03-15-preview'),
      headers,
    );
    expect(verified.status).toBe(200);
  });

  it('gets the embeddings of a list of texts', async () => {
    const input = ['one', 'two'];
    const { json } = await post(url('/v1/embeddings'), { model, input, user: 'u' }, gateway.auth);
    expect(listAt(json, 'data').map((one) => listAt(one, 'embedding').length)).toEqual([3, 3]);
  });

  it('shows the error of a wrong key, whose body it passes on', async () => {
    const headers = { authorization: 'Bearer sk_wrong' };
    const { status, json } = await ask('GET', url('/v1/models'), headers);
    expect(status).toBe(401);
    expect(textAt(json, 'error', 'message')).toContain('this API key is not known');
  });
});

it('an agent of many MCP servers may offer more tools than OpenAI takes', async () => {
  const tools = Array.from({ length: 287 }, (_, n) => ({
    ...{ type: 'function', function: { ...read, name: `mcp__server__tool_${n}` } },
  }));
  const body = { model: 'claude/claude-sonnet-4-5', messages: [hello], tools };
  expect((await post(url(), body, gateway.auth)).status).toBe(200);
  expect(listAt(gateway.upstream.requests[0]?.body, 'tools')).toHaveLength(287);
});

describe('Cursor', () => {
  const patch = '*** Begin Patch\n+ "x"\n*** End Patch';
  /** The tool as its servers write it, in the form of Responses. */
  const applyPatch = {
    ...{ type: 'custom', name: 'ApplyPatch', description: 'Edits files.' },
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
  };
  const shell = { type: 'function', name: 'Shell', description: 'Runs', parameters: schema };
  const answer = {
    toolCalls: [
      { id: 'call_8', name: 'ApplyPatch', arguments: { input: patch } },
      { id: 'call_9', name: 'Shell', arguments: { path: 'a' } },
    ],
  };
  /** An agent's turn: a body of Responses at the path of chat completions. */
  const agentTurn = (model: string): Body => ({
    ...{ model, stream: true, ...usage, store: false, user: 'google-oauth2|1', truncation: 'auto' },
    ...{ include: ['reasoning.encrypted_content'], prompt_cache_retention: '24h' },
    ...{ reasoning: { effort: 'medium', summary: 'auto' }, text: { verbosity: 'low' } },
    ...{ previous_response_id: null, metadata: { cursorConversationId: 'c' } },
    input: [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: [{ type: 'input_text', text: 'Mend it' }] },
      { type: 'custom_tool_call', call_id: 'call_1', name: 'ApplyPatch', input: patch },
      { type: 'custom_tool_call_output', call_id: 'call_1', output: 'refused' },
    ],
    tools: [shell, applyPatch],
    tool_choice: 'auto',
  });
  /** A question, or the next turn: a body of chat with the same tool; its call is a function's. */
  const question = (model: string): Body => ({
    model,
    messages: [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: [{ type: 'text', text: 'Mend it' }] },
      {
        role: 'assistant',
        content: [],
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'ApplyPatch', arguments: patch } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'refused' },
    ],
    tools: [{ type: 'function', function: { ...read, name: 'Shell' } }, applyPatch],
  });
  const holdsOnlyFunctions = (): void => {
    expect(toldTo()).toContain('must match this grammar (lark)');
    expect(toldTo()).not.toContain('"custom"');
    // the earlier call, as arguments that every provider reads
    expect(toldTo()).toMatch(/\\?"input\\?":\\?"\*\*\* Begin Patch\\+n\+ \\+"x/);
  };

  it.each(dialectRows)('gets calls as functions, whose text is raw: %s', async (_name, model) => {
    gateway.upstream.script([answer]);
    const { events } = await postStream(url(), agentTurn(model), { headers: gateway.auth });
    holdsOnlyFunctions();
    expect(toldTo()).toContain('Mend it');
    const calls = events.flatMap((event) => listAt(event, 'choices', 0, 'delta', 'tool_calls'));
    // its adapter reads the name of a function of every call
    const named = calls.filter((one) => at(one, 'id') !== undefined);
    expect(named.map((one) => textAt(one, 'function', 'name')).sort()).toEqual([
      'ApplyPatch',
      'Shell',
    ]);
    const ofPatch = calls.filter((one) => textAt(one, 'function', 'name') === 'ApplyPatch');
    expect(ofPatch.map((one) => textAt(one, 'function', 'arguments'))).toEqual([patch]);
  });

  it.each(dialectRows)('may send them back in the same form: %s', async (_name, model) => {
    gateway.upstream.script([answer]);
    const { json, text } = await post(url(), question(model), gateway.auth);
    holdsOnlyFunctions();
    const [first] = listAt(json, 'choices', 0, 'message', 'tool_calls');
    expect(first, text).toMatchObject({
      type: 'function',
      function: { name: 'ApplyPatch', arguments: patch },
    });
  });

  it('has no words of Responses in what a provider of chat gets', async () => {
    await postStream(url(), agentTurn('chat/gpt-test'), { headers: gateway.auth });
    const { body } = gateway.upstream.requests[0]!;
    for (const field of ['input', 'include', 'truncation', 'text', 'previous_response_id'])
      expect(body).not.toHaveProperty(field);
    expect(body).toMatchObject({ verbosity: 'low', reasoning: { effort: 'medium' } });
  });

  it.each(dialectRows)(
    'may send tools and turns of Anthropic’s for models with Claude in their name: %s',
    async (_name, model) => {
      gateway.upstream.script([{ toolCalls: [{ name: 'Read', arguments: { path: 'b' } }] }]);
      const { events, status } = await postStream(
        url(),
        {
          ...{ model, stream: true, max_tokens: 32_000, tool_choice: { type: 'auto' } },
          system: [{ type: 'text', text: 'Be kind', ...cached }],
          messages: [
            hello,
            {
              role: 'assistant',
              content: [
                { type: 'text', text: 'I read.' },
                { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } },
              ],
            },
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: 't1', content: 'source of a' }],
            },
          ],
          tools: [{ name: 'Read', description: 'Reads', input_schema: schema }],
        },
        { headers: gateway.auth },
      );
      expect(status).toBe(200);
      for (const part of ['Be kind', 'source of a', 'Read']) expect(toldTo()).toContain(part);
      const calls = events.flatMap((event) => listAt(event, 'choices', 0, 'delta', 'tool_calls'));
      expect(calls.map((one) => textAt(one, 'function', 'arguments')).join('')).toBe(
        '{"path":"b"}',
      );
    },
  );
});

describe('the key of', () => {
  it.each<[string, (key: string) => Record<string, string>]>([
    ['Open WebUI, LibreChat, Dify', (key) => ({ authorization: `Bearer ${key}` })],
    ['Continue', (key) => ({ authorization: `Bearer ${key}`, 'api-key': key })],
    [
      'Jan, which sends an origin too',
      (key) => ({
        ...{ authorization: `Bearer ${key}`, 'x-api-key': key, origin: 'tauri://localhost' },
      }),
    ],
    ['LibreChat for Claude', (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' })],
    ['Open WebUI for Azure', (key) => ({ authorization: `Bearer ${key}`, 'api-key': key })],
  ])('%s is read where it asks for the models', async (_program, headersOf) => {
    const { status, json } = await ask('GET', url('/v1/models'), headersOf(gateway.key));
    expect(status).toBe(200);
    // all of them map `data` to ids; Open WebUI leaves a list out that has an `error`
    const ids = listAt(json, 'data').map((model) => textAt(model, 'id'));
    expect(ids).toContain('auto');
    expect(json).not.toHaveProperty('error');
  });
});

it.each(['app://obsidian.md', 'http://localhost:3000'])(
  'a page may call where its origin is allowed: %s',
  async (origin) => {
    const browsers = await startDialectGateway({ cors: { allowedOrigins: [origin] } });
    const asked = 'authorization,content-type,x-stainless-lang,x-requested-with';
    const preflight = await ask('OPTIONS', `${browsers.url}/v1/chat/completions`, {
      origin,
      ...{ 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
    });
    const sent = { model: 'chat/gpt-test', messages: [hello] };
    const headers = { ...browsers.auth, origin, 'sec-fetch-site': 'cross-site' };
    const reply = await post(`${browsers.url}/v1/chat/completions`, sent, headers);
    await browsers.close();
    expect(preflight).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': origin, 'access-control-allow-headers': asked },
    });
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': origin },
    });
  },
);

describe('a model that a provider has but does not list', () => {
  it('is found by its name, in both shapes, as it can be called', async () => {
    for (const path of ['/v1/models/chat/gpt-test', '/v1/models/chat%2Fgpt-test'])
      expect(await ask('GET', url(path), gateway.auth)).toMatchObject({
        status: 200,
        json: { id: 'chat/gpt-test', object: 'model', owned_by: 'chat', type: 'chat' },
      });
    const headers = { ...gateway.auth, 'anthropic-version': '2023-06-01' };
    expect((await ask('GET', url('/v1/models/chat/gpt-test'), headers)).json).toMatchObject({
      ...{ id: 'chat/gpt-test', type: 'model', display_name: 'chat/gpt-test' },
    });
    expect((await ask('GET', url('/v1/models/chat/text-embedding-9'), headers)).status).toBe(200);
  });

  it('is not where the provider’s models are known, or the key may not call it', async () => {
    for (const name of ['claude/none', 'nobody/gpt-test', 'gpt-test'])
      expect((await ask('GET', url(`/v1/models/${name}`), gateway.auth)).status).toBe(404);
    const strict = await startDialectGateway({ routing: { deny: ['chat/*'] } });
    const { status } = await ask('GET', `${strict.url}/v1/models/chat/gpt-test`, strict.auth);
    await strict.close();
    expect(status).toBe(404);
  });
});

describe('a base URL without /v1', () => {
  it.each(['/chat/completions', '//models', '//api/chat/completions', '/v1/v1/models'])(
    'is told in the shape in which programs show an error: %s',
    async (path) => {
      const { status, json } = await post(url(path), { model: 'auto' }, gateway.auth);
      expect(status).toBe(404);
      expect(textAt(json, 'error', 'message')).toContain('ends in /v1');
    },
  );
});
