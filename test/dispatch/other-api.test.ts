import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
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
});
