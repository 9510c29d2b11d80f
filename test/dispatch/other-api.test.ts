import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../../src/providers/index.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k' } },
    limits: { maxRetries: 0 },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const messages = [{ role: 'user', content: 'Weather in Oslo?' }];
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tool = { name: 'weather', parameters };
const tools = [{ type: 'function', function: tool }];
const called = { toolCalls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } }] };
const ask = (model: string, more: object = {}) =>
  post(
    `${gateway.url}/v1/chat/completions`,
    { model: `openai/${model}`, messages, ...more },
    gateway.auth,
  );

describe('a request to OpenAI', () => {
  it.each([
    ['of GPT-6.2 with tools', 'gpt-6.2-sol', { tools }, 'responses'],
    ['of GPT-6.2 without tools', 'gpt-6.2-sol', {}, 'chat/completions'],
    ['with tools and reasoning by default', 'gpt-5.5', { tools }, 'responses'],
    [
      'with tools and without reasoning',
      'gpt-5.5',
      { tools, reasoning_effort: 'none' },
      'chat/completions',
    ],
    ['with tools and no reasoning by default', 'gpt-5.4', { tools }, 'chat/completions'],
    ['with tools and an effort', 'gpt-5.4', { tools, reasoning_effort: 'low' }, 'responses'],
    ['of an older model with tools', 'gpt-5-mini', { tools }, 'chat/completions'],
    ['of a model without the chat API', 'gpt-5-codex', {}, 'responses'],
  ])('%s goes to the API that takes it', async (_name, model, more, path) => {
    upstream.script([called]);
    const answer = await ask(model, more);
    expect(answer).toMatchObject({
      status: 200,
      json: {
        choices: [
          {
            finish_reason: 'tool_calls',
            message: {
              tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
            },
          },
        ],
      },
    });
    const { path: sent, body } = upstream.requests.at(-1)!;
    expect(sent).toBe(`/v1/${path}`);
    const { reasoning_effort: effort } = more as { reasoning_effort?: string };
    if (path === 'responses' && effort) expect(body).toMatchObject({ reasoning: { effort } });
  });

  it('is streamed, and goes on after its calls, by the API that takes it', async () => {
    upstream.script([called, { text: ['It ', 'rains.'] }]);
    const streamed = await postStream(
      `${gateway.url}/v1/chat/completions`,
      { model: 'openai/gpt-6.2-sol', messages, tools, stream: true },
      { headers: gateway.auth },
    );
    expect(JSON.stringify(streamed.events)).toContain('"finish_reason":"tool_calls"');
    const { json } = await ask('gpt-6.2-sol', {
      tools,
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Oslo"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
      ],
    });
    expect(json).toMatchObject({ choices: [{ message: { content: 'It rains.' } }] });
    expect(upstream.requests.map(({ path }) => path).slice(-2)).toEqual([
      '/v1/responses',
      '/v1/responses',
    ]);
  });

  it.each([
    ['/v1/messages', { max_tokens: 99, messages }, { name: 'weather', input_schema: parameters }],
    ['/v1/responses', { input: 'Hi' }, { type: 'function', name: 'weather', parameters }],
    ['/api/v1/completions', { messages }, { type: 'function', function: { name: 'weather' } }],
  ])('at %s goes to the API that takes it', async (path, body, tool) => {
    upstream.script([called]);
    const named = path.startsWith('/api') ? { models: ['openai/gpt-6.2-sol'] } : {};
    const answer = await post(
      `${gateway.url}${path}`,
      { model: 'openai/gpt-6.2-sol', ...body, ...named, tools: [tool] },
      gateway.auth,
    );
    expect(JSON.stringify(answer)).toContain('call_1');
    expect(answer.status).toBe(200);
    expect(upstream.requests.at(-1)!.path).toBe('/v1/responses');
  });

  it('in the dialect of the API that takes it is forwarded there, and the answer comes as it is', async () => {
    const begun = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-6.2-sol' };
    const output = [
      {
        type: 'code_interpreter_call',
        id: 'ci_1',
        code: '1+1',
        container_id: 'c',
        status: 'completed',
      },
      {
        ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', phase: 'new' },
        content: [{ type: 'output_text', text: '2', annotations: [], logprobs: [] }],
      },
    ];
    const details = { input_tokens_details: null, output_tokens_details: null };
    const usage = { input_tokens: 9, output_tokens: 3, total_tokens: 12, ...details };
    upstream.script([
      {
        status: 200,
        body: { ...begun, status: 'completed', output, usage },
      },
    ]);
    const hosted = { type: 'code_interpreter', container: { type: 'auto' } };
    const own = { type: 'function', name: 'weather', parameters, strict: null };
    const sent = { input: '1+1?', next_years_field: { a: 1 }, store: false };
    const { status, json } = await post(
      `${gateway.url}/v1/responses`,
      { model: 'openai/gpt-6.2-sol', ...sent, tools: [hosted, own] },
      gateway.auth,
    );
    expect(status).toBe(200);
    expect(json).toMatchObject({ output, usage });
    expect(json).not.toHaveProperty('warnings');
    const { path, body } = upstream.requests.at(-1)!;
    expect(path).toBe('/v1/responses');
    expect(body).toMatchObject({ ...sent, model: 'gpt-6.2-sol', tools: [hosted, own] });
  });

  it.each([
    ['of a client that speaks Responses', 'gpt-5-mini', 'responses', true],
    ['of a client that speaks chat', 'gpt-5-mini', 'chat', false],
    ['of a model that has the chat API alone', 'gpt-5-search-api', 'responses', false],
    ['of a client that speaks Messages', 'gpt-5-mini', 'messages', false],
  ] as const)(
    "%s goes to the Responses API of OpenAI's own servers, or not",
    (_name, model, dialect, isOther) => {
      const isSentOn = (api: string, baseUrl: string): boolean => {
        const own = dialects.get(api)!.create({ name: 'p', api, baseUrl });
        return Boolean(own.instead?.({ messages: [] }, model, dialect));
      };
      expect(isSentOn('openai', 'https://api.openai.com/v1')).toBe(isOther);
      expect(isSentOn('openai', 'https://eu.api.openai.com/v1')).toBe(isOther);
      expect(isSentOn('azure-openai', 'https://me.openai.azure.com')).toBe(isOther);
      expect(isSentOn('azure-openai', 'https://me.services.ai.azure.com/openai/v1')).toBe(isOther);
      expect(isSentOn('openai', 'https://openai.com.example/v1')).toBe(false);
      expect(isSentOn('openai', 'http://127.0.0.1:4000/v1')).toBe(false);
    },
  );

  it.each(['', '/openai', '/openai/v1'])(
    'on Azure at "%s" with tools and reasoning goes to the Responses API of the resource',
    async (path) => {
      const azure = dialects.get('azure-openai')!.create({
        ...{ name: 'azure', api: 'azure-openai', apiVersion: '2024-10-21' },
        ...{ baseUrl: `https://me.openai.azure.com${path}`, deployments: { 'gpt-5.5': 'mine' } },
      });
      const request = { messages, tools: [{ type: 'function' as const, function: tool }] };
      const call = { request, model: 'gpt-5.5', stream: false };
      const sent = await azure.instead!(request, 'gpt-5.5')!.buildRequest(call, 'key');
      expect(sent.url).toBe('https://me.openai.azure.com/openai/v1/responses');
      expect(JSON.parse(String(sent.body))).toMatchObject({ model: 'mine', tools: [tool] });
    },
  );
});
