import { describe, expect, it } from 'vitest';
import { at } from '../helpers/json.js';
import { callAnswer, rawGateway } from '../helpers/raw-provider.js';
import { post } from '../helpers/sse.js';

const raw = rawGateway((baseUrl) => ({
  providers: {
    alibaba: { api: 'alibaba', baseUrl, apiKey: 'k', listModels: false },
    moonshot: { api: 'moonshot', baseUrl, apiKey: 'k', listModels: false },
  },
}));

const sonnet = 'claude/claude-sonnet-4-6';
const aws = 'aws/anthropic.claude-sonnet-4-6';
const google = 'google/gemini-3-pro-preview';
const responses = 'answers/gpt-4o';
const user = { role: 'user', content: 'Hi' };
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

/** What the provider gets of a request. */
async function sent(model: string, request: object): Promise<Record<string, unknown>> {
  const name = model.split('/')[0] ?? '';
  raw.provider.answer(() => ({ json: callAnswer(name) || callAnswer('chat') }));
  const body = { model, messages: [user], ...request };
  const { status, text } = await post(
    `${raw.gateway.url}/v1/chat/completions`,
    body,
    raw.gateway.auth,
  );
  expect(status, text).toBe(200);
  return raw.provider.body();
}

describe('a request that another maker would take', () => {
  it('has no thinking where Claude must call a tool, and keeps its effort', async () => {
    const asked = { tools, tool_choice: 'required', reasoning_effort: 'high' };
    const anthropic = await sent(sonnet, asked);
    expect(anthropic).not.toHaveProperty('thinking');
    expect(anthropic).toMatchObject({
      tool_choice: { type: 'any' },
      output_config: { effort: 'high' },
    });
    const bedrock = await sent(aws, asked);
    expect(bedrock['additionalModelRequestFields']).toEqual({ output_config: { effort: 'high' } });
    // effort alone still makes it think
    expect(await sent(sonnet, { reasoning_effort: 'high' })).toHaveProperty('thinking');
  });

  it("is Gemini's text where the result of a tool is a JSON Schema", async () => {
    const schema = '{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}';
    const body = await sent(google, {
      messages: [
        user,
        { role: 'assistant', tool_calls: [call('a')] },
        { role: 'tool', tool_call_id: 'a', content: schema },
      ],
    });
    expect(at(body, 'contents', 2, 'parts', 0, 'functionResponse', 'response')).toEqual({
      result: schema,
    });
  });

  it.each([sonnet, aws, google])('begins with the user for %s', async (model) => {
    const body = await sent(model, { messages: [{ role: 'assistant', content: 'Hello' }, user] });
    const turns = (body['messages'] ?? body['contents']) as { role: string }[];
    expect(turns.map(({ role }) => role.replace('model', 'assistant'))).toEqual([
      'user',
      'assistant',
      'user',
    ]);
  });

  it.each([sonnet, aws, google])(
    'asks %s to go on with an answer that was begun',
    async (model) => {
      await sent(model, { messages: [user, { role: 'assistant', content: 'The answer is ' }] });
      expect(raw.provider.texts.at(-1)).toContain(
        'Go on with your last message exactly where it ends.',
      );
    },
  );

  it('leaves the beginning of an answer at its end for the Claudes that take it', async () => {
    const messages = [user, { role: 'assistant', content: 'The answer is' }];
    const body = await sent('claude/claude-haiku-4-5', { messages });
    expect(at(body, 'messages', 1, 'role')).toBe('assistant');
    expect(body['messages']).toHaveLength(2);
  });

  it('keeps one id for each call, and each result with its own', async () => {
    const ids = ['', '', 'functions.f:0', 'x'.repeat(200)];
    const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
    const messages = [
      user,
      { role: 'assistant', tool_calls: ids.map(call) },
      ...ids.map((id, index) => result(id, `result ${index}`)),
      { role: 'assistant', tool_calls: [call('functions.f:0')] },
      result('functions.f:0', 'result 4'),
    ];
    const body = await sent(sonnet, { messages, tools });
    const blocks = (body['messages'] as { content: Record<string, unknown>[] }[]).flatMap(
      ({ content }) => content,
    );
    const called = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
    expect(new Set(called).size).toBe(5);
    for (const id of called) expect(id).toMatch(/^[\w-]{1,64}$/);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    expect(results.map((block) => block['tool_use_id'])).toEqual(called);
    expect(results.map((block) => at(block, 'content', 0, 'text'))).toEqual(
      [0, 1, 2, 3, 4].map((index) => `result ${index}`),
    );
  });

  it('has a result for a call that the user broke off', async () => {
    const messages = [user, { role: 'assistant', tool_calls: [call('a')] }, user];
    expect(at(await sent(sonnet, { messages, tools }), 'messages', 2, 'content')).toMatchObject([
      { type: 'tool_result', tool_use_id: 'a', content: [{ text: '(no result)' }] },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('has seeds of 32 bits and five stop sequences for Gemini', async () => {
    const stop = ['', 'a', 'b', 'c', 'd', 'e', 'f'];
    const body = await sent(google, { seed: 2 ** 40 + 7, stop });
    expect(at(body, 'generationConfig')).toMatchObject({
      seed: 7,
      stopSequences: ['a', 'b', 'c', 'd', 'e'],
    });
  });

  it('reasons at Alibaba only where its model can', async () => {
    const forced = { tools, tool_choice: 'required' };
    expect(await sent('alibaba/qwen3-max', forced)).toMatchObject({
      tool_choice: 'required',
      enable_thinking: false,
    });
    // these always reason
    for (const model of ['qwen3.8-max-preview', 'qwen3-235b-a22b-thinking-2507', 'qwq-plus']) {
      const body = await sent(`alibaba/${model}`, forced);
      expect(body['tool_choice']).toBe('auto');
      expect(body).not.toHaveProperty('enable_thinking');
    }
    // these do not unless they stream
    expect(await sent('alibaba/qwen3-32b', {})).toMatchObject({ enable_thinking: false });
    expect(await sent('alibaba/qwen3-32b', { enable_thinking: true })).toMatchObject({
      enable_thinking: true,
    });
  });

  it('has no empty text beside calls for Kimi', async () => {
    const calling = { role: 'assistant', content: '', tool_calls: [call('a')] };
    const result = { role: 'tool', tool_call_id: 'a', content: 'b' };
    const body = await sent('moonshot/kimi-k3', { messages: [user, calling, result] });
    expect(at(body, 'messages', 1)).toMatchObject({ role: 'assistant', content: null });
  });

  it('has no blank stop sequences for Claude', async () => {
    expect(await sent(sonnet, { stop: [' ', '\n', 'END'] })).toMatchObject({
      stop_sequences: ['END'],
    });
    expect(await sent(sonnet, { stop: '\n' })).not.toHaveProperty('stop_sequences');
  });

  it('has no choice without tools and room for 16 tokens at least for Responses', async () => {
    const body = await sent(responses, { tools: [], tool_choice: 'auto', max_tokens: 5 });
    expect(body).not.toHaveProperty('tool_choice');
    expect(body['max_output_tokens']).toBe(16);
  });

  it.each([sonnet, aws, google, responses, 'coral/command-a-03-2025', 'chat/m'])(
    'has U+FFFD for half a character in %s',
    async (model) => {
      await sent(model, { messages: [{ role: 'user', content: 'cut \ud83d' }] });
      expect(raw.provider.texts.at(-1)).toContain('cut \ufffd"');
    },
  );
});
