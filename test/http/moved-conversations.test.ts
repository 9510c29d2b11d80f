import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at } from '../helpers/json.js';
import { post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const apis = ['openai', 'groq', 'mistral', 'deepseek', 'moonshot', 'perplexity', 'cerebras'];

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
  const scripted = { apiKey: 'k', listModels: false as const };
  const chat = apis.map((api) => [api, { ...scripted, api, baseUrl: `${upstream.url}/v1` }]);
  gateway = await startGateway({
    providers: {
      ...(Object.fromEntries(chat) as object),
      azure: {
        ...scripted,
        api: 'azure-openai',
        baseUrl: upstream.url,
        deployments: { 'gpt-5-mini': 'prod-eu' },
      },
      answers: { ...scripted, api: 'openai-responses', baseUrl: `${upstream.url}/v1` },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => upstream.script([]));

const chat = (model: string, body: object): Promise<Reply> =>
  post(`${gateway.url}/v1/chat/completions`, { model, ...body }, gateway.auth);
const native = (model: string, body: object): Promise<Reply> =>
  post(`${gateway.url}/api/v1/completions`, { models: [model], ...body }, gateway.auth);
const sent = (): Record<string, unknown> => upstream.requests.at(-1)?.body ?? {};
const hello = [{ role: 'user', content: 'Hello' }];

const foreign = {
  reasoning_content: 'They greet.',
  reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
  extra_content: { google: { thought_signature: 'x' } },
  annotations: [],
};
const call = (id: string): object => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: '{}' },
});

describe('an answer of another maker’s model', () => {
  const answer = { role: 'assistant', content: 'Good day.', ...foreign };
  const messages = [...hello, answer, { role: 'user', content: 'And?' }];
  const plain = { role: 'assistant', content: 'Good day.' };

  it.each(['groq', 'mistral', 'cerebras', 'openai'])('reaches %s as its text', async (api) => {
    expect((await chat(`${api}/m`, { messages })).status).toBe(200);
    const own = api === 'openai' ? { annotations: [] } : {};
    expect(at(sent(), 'messages', 1)).toEqual({ ...plain, ...own });
  });

  it.each(['deepseek/deepseek-v4-flash', 'moonshot/kimi-k2.6'])(
    'reaches %s with its reasoning, which these take',
    async (model) => {
      await chat(model, { messages });
      expect(at(sent(), 'messages', 1)).toEqual({ ...plain, reasoning_content: 'They greet.' });
    },
  );
});

describe('a call of a tool', () => {
  const turns = (id: string): object[] => [
    ...hello,
    { role: 'assistant', content: null, tool_calls: [call(id)] },
    { role: 'tool', tool_call_id: id, content: [{ type: 'text', text: 'Rain.' }] },
  ];

  it('gets an id in Mistral’s form, the same at its result and in each request', async () => {
    const ids: unknown[] = [];
    for (let round = 0; round < 2; round++) {
      await chat('mistral/m', { messages: turns('toolu_01A09q90qw90lq917835lq9') });
      ids.push(
        at(sent(), 'messages', 1, 'tool_calls', 0, 'id'),
        at(sent(), 'messages', 2, 'tool_call_id'),
      );
    }
    expect(ids[0]).toMatch(/^[a-z0-9]{9}$/);
    expect(new Set(ids).size).toBe(1);
  });

  it('keeps an id that Mistral itself made', async () => {
    await chat('mistral/m', { messages: turns('D681PevKs') });
    expect(at(sent(), 'messages', 2, 'tool_call_id')).toBe('D681PevKs');
  });

  it('gets an id where it came without one', async () => {
    await chat('groq/m', { messages: turns('') });
    const id = at(sent(), 'messages', 1, 'tool_calls', 0, 'id');
    expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(at(sent(), 'messages', 2, 'tool_call_id')).toBe(id);
  });

  it.each(['deepseek/deepseek-v4-flash', 'moonshot/kimi-k2.6'])(
    'has reasoning for %s, which refuses a call without',
    async (model) => {
      await chat(model, { messages: turns('call_1') });
      expect(at(sent(), 'messages', 1, 'reasoning_content')).toBe(' ');
    },
  );

  it('of the older form is one of the newer, unless both are there', async () => {
    const asked = { name: 'get_weather', arguments: '{}' };
    const older = [
      ...hello,
      { role: 'assistant', content: null, function_call: asked },
      { role: 'function', name: 'get_weather', content: 'Rain.' },
    ];
    await chat('groq/m', { messages: older });
    expect(at(sent(), 'messages', 1, 'tool_calls', 0, 'function')).toEqual(asked);
    const both = { ...turns('call_1')[1], function_call: asked };
    await chat('groq/m', { messages: [...hello, both, turns('call_1')[2]] });
    expect(at(sent(), 'messages', 1)).toEqual(turns('call_1')[1]);
  });

  it.each([
    ['{"city": "Ro', '{"invalid_arguments":"{\\"city\\": \\"Ro"}'],
    ['null', '{}'],
    [' ', '{}'],
  ])('has arguments that are an object, where they were %j', async (args, expected) => {
    const called = { ...call('call_1'), function: { name: 'get_weather', arguments: args } };
    const turn = { role: 'assistant', content: null, tool_calls: [called] };
    for (const api of ['groq', 'mistral', 'openai']) {
      await chat(`${api}/m`, { messages: turns('call_1').with(1, turn) });
      const path = ['messages', 1, 'tool_calls', 0, 'function', 'arguments'] as const;
      expect(at(sent(), ...path)).toBe(expected);
    }
  });

  it('that was broken off, or split over turns, has one result', async () => {
    const [, first] = turns('a');
    const [, second, result] = turns('b');
    await chat('groq/m', { messages: [...hello, first, ...hello] });
    expect(at(sent(), 'messages', 2)).toMatchObject({ role: 'tool', tool_call_id: 'a' });
    await chat('groq/m', {
      messages: [...hello, first, second, result, { ...result, tool_call_id: 'a' }],
    });
    expect(sent()).toMatchObject({
      messages: [{}, { tool_calls: [{ id: 'a' }, { id: 'b' }] }, {}, {}],
    });
  });

  it('has its result as a text', async () => {
    await chat('deepseek/deepseek-v4-flash', { messages: turns('call_1') });
    expect(at(sent(), 'messages', 2, 'content')).toBe('Rain.');
  });
});

describe('instructions', () => {
  const messages = [{ role: 'developer', content: 'Be brief.' }, ...hello];

  it.each(['deepseek', 'mistral', 'groq', 'moonshot'])(
    'of a developer reach %s as system',
    async (api) => {
      await chat(`${api}/m`, { messages });
      expect(at(sent(), 'messages', 0)).toEqual({ role: 'system', content: 'Be brief.' });
    },
  );

  it('of a developer stay so for OpenAI', async () => {
    await chat('openai/m', { messages });
    expect(sent()).toMatchObject({ messages });
  });

  it.each(['perplexity/sonar', 'groq/qwen/qwen3.6-27b'])(
    'in the middle are said by the user where %s takes none there, joined with the next',
    async (model) => {
      const late = [...hello, { role: 'assistant', content: 'Hi' }, ...messages];
      await chat(model, { messages: late });
      expect(at(sent(), 'messages', 2)).toEqual({ role: 'user', content: 'Be brief.\n\nHello' });
    },
  );
});

describe('parameters', () => {
  it('name the limit as the reasoning models of OpenAI do, on Azure by our name of the model', async () => {
    await chat('azure/gpt-5-mini', { messages: hello, max_tokens: 50 });
    expect(sent()).toMatchObject({ model: 'prod-eu', max_completion_tokens: 50 });
    expect(sent()).not.toHaveProperty('max_tokens');
    await chat('azure/gpt-4o', { messages: hello, max_tokens: 50 });
    expect(sent()).toMatchObject({ max_tokens: 50 });
  });

  it.each(['openai/gpt-5-mini', 'azure/gpt-5-mini', 'answers/gpt-5-mini'])(
    'that %s refuses are left out, and the answer says so',
    async (model) => {
      const { status, json } = await native(model, {
        messages: [{ role: 'user', content: 'Hello' }],
        temperature: 0.2,
      });
      expect(status).toBe(200);
      expect(sent()).not.toHaveProperty('temperature');
      expect(json).toMatchObject({
        model: 'gpt-5-mini',
        warnings: [
          { field: 'temperature', message: expect.stringContaining('gpt-5-mini') as string },
        ],
      });
    },
  );

  it('stay where the model takes them', async () => {
    const { json } = await native('openai/gpt-5.2', { messages: hello, temperature: 0.2 });
    expect(sent()).toMatchObject({ temperature: 0.2 });
    expect(json).not.toHaveProperty('warnings');
    await chat('openai/gpt-5.2', { messages: hello, temperature: 0.2, reasoning_effort: 'low' });
    expect(sent()).not.toHaveProperty('temperature');
  });

  it('are left out where they are words of other APIs, and those that it has are kept', async () => {
    const more = { top_k: 4, store: false, user: 'u', metadata: { a: 'b' }, prompt_cache_key: 'c' };
    await chat('mistral/mistral-large-latest', { messages: hello, safe_prompt: true, ...more });
    expect(sent()).toEqual({
      ...{ model: 'mistral-large-latest', messages: hello, safe_prompt: true },
      prompt_cache_key: 'c',
    });
    const { top_k: _unknown, ...known } = more;
    await chat('openai/gpt-4o', { messages: hello, ...more });
    expect(sent()).toEqual({ model: 'gpt-4o', messages: hello, ...known });
  });

  it('say where a schema could not be strict', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const json_schema = { name: 'a', strict: true, schema };
    const response_format = { type: 'json_schema', json_schema };
    const { json } = await native('openai/gpt-4o', { messages: hello, response_format });
    expect(at(sent(), 'response_format', 'json_schema', 'strict')).toBe(false);
    expect(json).toMatchObject({
      warnings: [
        { field: 'response_format', message: expect.stringContaining('gpt-4o') as string },
      ],
    });
  });

  it('about tools go with the tools', async () => {
    await chat('openai/gpt-4o', { messages: hello, tools: [], tool_choice: 'auto' });
    expect(Object.keys(sent())).toEqual(['model', 'messages']);
  });
});

describe('a conversation that needs no change', () => {
  it('is sent as it came', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Rain?' }] },
      { role: 'assistant', content: null, tool_calls: [call('call_1')], refusal: null },
      { role: 'tool', tool_call_id: 'call_1', content: 'Rain.' },
      { role: 'assistant', content: 'It rains.', annotations: [] },
      { role: 'user', content: 'Thanks', name: 'Ada' },
    ];
    await chat('openai/gpt-4o', { messages, seed: 2 ** 40 });
    expect(sent()).toEqual({ model: 'gpt-4o', messages, seed: 2 ** 40 });
  });
});
