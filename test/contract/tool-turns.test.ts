import express from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChatMessage, ToolCall } from '../../src/completion.js';
import { planOf } from '../../src/index.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { type RunningHost, startHost } from '../helpers/host.js';
import { at, textAt } from '../helpers/json.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const call: ToolCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Oslo"}' },
};
const turns: ChatMessage[] = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'Is it raining in Oslo?' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
];
/** As a server gets them that need not know the role `developer`. */
const sentTurns = [{ role: 'system', content: 'Be brief.' }, ...turns.slice(1)];
const legacyTurns: ChatMessage[] = [
  { role: 'user', content: 'Is it raining in Oslo?' },
  { role: 'assistant', content: null, function_call: call.function },
  { role: 'function', name: 'weather', content: 'rain' },
];

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
  const scripted = { apiKey: 'k', listModels: false };
  gateway = await startGateway({
    providers: {
      up: { ...scripted, api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
      claude: { ...scripted, api: 'anthropic', baseUrl: upstream.url },
      answers: { ...scripted, api: 'openai-responses', baseUrl: `${upstream.url}/v1` },
      coral: { ...scripted, api: 'cohere', baseUrl: upstream.url },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => upstream.script([]));

const complete = (body: object): Promise<Reply> =>
  post(`${gateway.url}/api/v1/chat/completions`, { models: ['up/m'], ...body }, gateway.auth);
const sent = (): unknown => upstream.requests.at(-1)?.body;

describe('a native completion with tool turns', () => {
  it('sends calls and their results on to the provider as they are, and instructions as system', async () => {
    const { status, json } = await complete({ messages: turns });
    expect(status).toBe(200);
    expectConforms('completions.response', json);
    expect(json).not.toHaveProperty('warnings');
    expect(sent()).toMatchObject({ messages: sentTurns });
  });

  it('takes a text beside the calls, and calls without a content', async () => {
    const said = { role: 'assistant', content: [{ type: 'text', text: 'Let me see.' }] };
    await complete({ messages: [turns[1], { ...said, tool_calls: [call] }, turns[3]] });
    expect(at(sent(), 'messages', 1)).toMatchObject({ content: 'Let me see.', tool_calls: [call] });
    const bare = { role: 'assistant', tool_calls: [call] };
    expect((await complete({ messages: [turns[1], bare, turns[3]] })).status).toBe(200);
    expect(at(sent(), 'messages', 1)).toMatchObject({ content: null, tool_calls: [call] });
  });

  it("translates them into Anthropic's blocks", async () => {
    expect((await complete({ messages: turns, models: ['claude/m'] })).status).toBe(200);
    expect(sent()).toMatchObject({
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'weather' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
      ],
    });
  });

  it('streams the answer to them', async () => {
    const { frames } = await postStream(
      `${gateway.url}/api/v1/completions`,
      { messages: turns, models: ['up/m'], stream: true },
      { headers: gateway.auth },
    );
    expect(frames.at(-1)?.data).toBe('[DONE]');
    expect(sent()).toMatchObject({ messages: sentTurns });
  });

  it('keeps them in the conversation once, and shows them', async () => {
    const first = await complete({ messages: turns });
    const id = textAt(first.json, 'conversationId');
    await complete({
      conversationId: id,
      messages: [
        ...turns,
        { role: 'assistant', content: textAt(first.json, 'message', 'content', 0, 'text') },
        { role: 'user', content: 'And tomorrow?' },
      ],
    });
    const path = `${gateway.url}/api/v1/conversations/${id}`;
    const { json } = await ask('GET', `${path}/messages`, gateway.auth);
    const items = at(json, 'items') as { role: string }[];
    expect(items.map(({ role }) => role)).toEqual([
      'developer',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(items[2]).toMatchObject({ content: [], tool_calls: [call] });
    expect(items[3]).toMatchObject({
      content: [{ type: 'text', text: 'rain' }],
      tool_call_id: 'call_1',
    });
    for (const item of items) expectConforms('message.response', item);
    const { text } = await ask('GET', `${path}/export?format=markdown`, gateway.auth);
    expect(text).toContain('> [call of weather: {"city":"Oslo"}]');
  });

  it.each([
    [{ role: 'tool', content: 'rain' }, 'messages[0][tool_call_id]: is required'],
    [{ role: 'function', content: 'rain' }, 'messages[0][name]: is required'],
    [
      { role: 'assistant', content: null },
      'messages[0][content]: must be a string or a list of content blocks',
    ],
    [{ role: 'assistant', tool_calls: [] }, 'messages[0][content]: is required'],
    [
      { role: 'user', content: null, tool_calls: [call] },
      'messages[0][content]: must be a string or a list of content blocks',
    ],
    [
      { role: 'assistant', content: null, tool_calls: [{ id: 'x' }] },
      'messages[0][tool_calls][0][function]: is required',
    ],
  ])('is 422 where a message is %j', async (message, reason) => {
    expect(await complete({ messages: [message] })).toMatchObject({
      status: 422,
      json: { error: 'Validation Error', message: reason },
    });
  });
});

describe("OpenAI's older function messages", () => {
  it.each(['/api/v1/completions', '/v1/chat/completions'])(
    'become tool turns for a provider of their own dialect too, from %s',
    async (path) => {
      const body = { messages: legacyTurns, models: ['up/m'], model: 'up/m' };
      expect((await post(gateway.url + path, body, gateway.auth)).status).toBe(200);
      expect(at(sent(), 'messages')).toEqual([
        { role: 'user', content: 'Is it raining in Oslo?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: call.function }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      ]);
    },
  );

  it.each([
    [
      'claude/m',
      [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'weather' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
      ],
    ],
    [
      'coral/m',
      [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'call_1', function: call.function }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      ],
    ],
  ])('become tool turns for %s', async (model, messages) => {
    const body = { model, messages: legacyTurns };
    const reply = await post(`${gateway.url}/v1/chat/completions`, body, gateway.auth);
    expect(reply.status).toBe(200);
    expect(sent()).toMatchObject({ messages });
  });

  it('become items for the Responses API', async () => {
    const body = { model: 'answers/m', messages: legacyTurns };
    await post(`${gateway.url}/v1/chat/completions`, body, gateway.auth);
    expect(at(sent(), 'input')).toMatchObject([
      { role: 'user' },
      { type: 'function_call', call_id: 'call_1', name: 'weather' },
      { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
    ]);
  });
});

describe('model selection for a conversation with tool turns', () => {
  const providers = [{ name: 'up/m' }];
  it.each([
    ['tool turns', turns],
    ["OpenAI's older function messages", legacyTurns],
  ])('takes %s, in each of its dialects', async (_what, messages) => {
    const body = { messages, llm_providers: providers };
    expect(await post(`${gateway.url}/api/v1/model-select`, body, gateway.auth)).toMatchObject({
      status: 200,
      json: { llm_label: 'up/m' },
    });
    expect(
      await post(`${gateway.url}/v2/modelRouter/modelSelect`, body, gateway.auth),
    ).toMatchObject({ status: 200, json: { providers: [{ provider: 'up', model: 'm' }] } });
    const plan = await gateway.gateway.select({ messages, llm_providers: providers });
    expect(plan.candidates[0].label).toBe('up/m');
  });

  it("leaves a plan in a host's own route of OpenAI's dialect", async () => {
    const app = express().post('/chat', gateway.gateway.selectModel, (_req, res) => {
      res.json(planOf(res).candidates[0]);
    });
    const host: RunningHost = await startHost(app);
    const body = { model: 'auto', models: ['up/m'], messages: turns };
    expect(await post(`${host.url}/chat`, body)).toMatchObject({
      status: 200,
      json: { provider: 'up', model: 'm' },
    });
    await host.close();
  });
});
