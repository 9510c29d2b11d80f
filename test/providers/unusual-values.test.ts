import { expect, it } from 'vitest';
import type { ChatRequest } from '../../src/completion.js';
import { callOf } from '../helpers/collect-stream.js';
import { adapterOf } from './accepts/adapters.js';

/** What a provider gets of a request. */
async function sent(api: string, model: string, request: Partial<ChatRequest>) {
  const { body } = await adapterOf(api).buildRequest({ ...callOf(request), model }, 'k');
  return JSON.parse(body.toString()) as Partial<ChatRequest>;
}

it.each([
  ['mistral', 'mistral-small-latest', 1.5],
  ['moonshot', 'moonshot-v1-8k', 1],
  ['zai', 'glm-4.6', 1],
  ['alibaba', 'qwen-plus', 1.99],
  ['cohere', 'command-a', 1],
  ['deepseek', 'deepseek-chat', 2],
])('a temperature of 2 is at %s the highest that it takes', async (api, model, most) => {
  expect(await sent(api, model, { temperature: 2 })).toMatchObject({ temperature: most });
  expect(await sent(api, model, { temperature: 0.5 })).toMatchObject({ temperature: 0.5 });
});

it.each([
  ['groq', 'qwen/qwen3-32b'],
  ['cerebras', 'zai-glm-4.7'],
])('%s gets no effort for %s but none, which it takes alone', async (api, model) => {
  const thinking = { type: 'enabled', budget_tokens: 4_000 };
  for (const asked of [{ thinking }, { reasoning_effort: 'high' as const }])
    expect(await sent(api, model, asked)).not.toHaveProperty('reasoning_effort');
  const off = { reasoning_effort: 'none' as const };
  expect(await sent(api, model, off)).toMatchObject(off);
});

it.each([
  [{ presence_penalty: 1.5 }, { presence_penalty: 1 }],
  [{ presence_penalty: 1.5, frequency_penalty: 0.5 }, { frequency_penalty: 0.5 }],
  [{ presence_penalty: 0.2, frequency_penalty: -0.5 }, { presence_penalty: 0.2 }],
])('the penalties %j are at Cohere %j', async (asked, taken) => {
  const { presence_penalty, frequency_penalty } = await sent('cohere', 'command-a', asked);
  expect({ presence_penalty, frequency_penalty }).toEqual(taken);
});

it.each<[string, number, object, string, RegExp]>([
  [
    'MiniMax',
    200,
    { base_resp: { status_code: 1002, status_msg: 'rate limit' } },
    'rate_limited',
    /rate limit/,
  ],
  [
    'a relay',
    200,
    { code: 401, msg: 'token invalid', data: null },
    'provider_auth',
    /token invalid/,
  ],
  ['Cloudflare', 200, { success: false, errors: [{ message: 'No such model' }] }, '', /No such/],
  [
    'Baidu',
    200,
    { error_code: 110, error_msg: 'Access token invalid' },
    'provider_auth',
    /Access token/,
  ],
  ['Groq', 498, { error: { message: 'No capacity' } }, 'upstream_overloaded', /No capacity/],
])('a failure is read as %s sends it', (_name, status, body, code, message) => {
  const adapter = adapterOf('openai-compatible');
  const text = JSON.stringify(body);
  let failure: unknown = status === 200 ? null : adapter.readFailure(status, {}, text);
  if (failure === null)
    try {
      adapter.readCompletion(text, callOf({}));
    } catch (error) {
      failure = error;
    }
  expect(failure).toMatchObject({ code: code || 'upstream_error' });
  expect(String(failure)).toMatch(message);
});

it('a name that OpenAI refuses becomes one that it takes', async () => {
  const messages = [{ role: 'user', name: 'Jane <J> Doe', content: 'Hi' }];
  expect((await sent('openai', 'gpt-4o', { messages })).messages).toEqual([
    { role: 'user', name: 'Jane_J_Doe', content: 'Hi' },
  ]);
});

it('a call of an earlier turn without a type is one of a function', async () => {
  const called = { name: 'look', arguments: '{}' };
  const call = { id: 'c1', function: called } as never;
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'seen' },
  ];
  const got = await sent('openai', 'gpt-4o', { messages });
  expect(got.messages?.[1]?.tool_calls).toEqual([{ id: 'c1', type: 'function', function: called }]);
});

it('a whole answer says what it is, also where its server does not', () => {
  const body = JSON.stringify({ choices: [{ message: { content: 'Hi' } }] });
  const { completion, rewritten } = adapterOf('openai-compatible').readCompletion(body, callOf({}));
  expect(completion.object).toBe('chat.completion');
  expect(rewritten).toBe(true);
});
