import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt } from '../helpers/json.js';
import { post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Prove that 2 is prime.' }];
let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: {
      up: {
        api: 'openai-compatible',
        baseUrl: `${upstream.url}/v1`,
        deployments: { quick: 'gpt-5-mini', deep: 'gpt-5-mini' },
      },
      claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'k' },
    },
    models: {
      'up/thinker': { reasoningEffort: 'high' },
      'up/plain': { inputPrice: 1 },
      'up/quick': { reasoningEffort: 'low', inputPrice: 1, quality: 0.5 },
      'up/deep': { reasoningEffort: 'high', inputPrice: 1, quality: 0.9 },
      'claude/claude-opus-4-5': { reasoningEffort: 'low' },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.script([]);
  upstream.requests.length = 0;
});

const chat = (body: object): Promise<Reply> =>
  post(`${gateway.url}/v1/chat/completions`, { messages, ...body }, gateway.auth);
const native = (body: object): Promise<Reply> =>
  post(`${gateway.url}/api/v1/completions`, { messages, ...body }, gateway.auth);
const select = (body: object): Promise<Reply> =>
  post(`${gateway.url}/api/v1/model-select?explain=true`, { messages, ...body }, gateway.auth);
const sent = (field: string): unknown[] => upstream.requests.map(({ body }) => body?.[field]);
const explained = (reply: Reply): unknown[] =>
  listAt(reply.json, 'candidates').map((one) => {
    const { label, effort } = one as { label: string; effort?: string };
    return [label, effort];
  });

describe('the configured effort of a model', () => {
  it('is sent with a completion that names none', async () => {
    await chat({ model: 'up/thinker' });
    await native({ models: ['up/thinker'] });
    expect(sent('reasoning_effort')).toEqual(['high', 'high']);
  });

  it("is not sent in place of the request's own", async () => {
    await chat({ model: 'up/thinker', reasoning_effort: 'low' });
    await chat({ model: 'up/thinker', thinking: { type: 'disabled' } });
    expect(sent('reasoning_effort')).toEqual(['low', undefined]);
    expect(sent('thinking')).toEqual([undefined, { type: 'disabled' }]);
  });

  it('is not sent to other models, even where one of them takes over', async () => {
    upstream.script([{ status: 500 }, {}]);
    await chat({ model: 'up/thinker', fallback_models: ['up/plain'] });
    expect(sent('model')).toEqual(['thinker', 'plain']);
    expect(sent('reasoning_effort')).toEqual(['high', undefined]);
  });

  it('is translated to what the provider takes', async () => {
    await chat({ model: 'claude/claude-opus-4-5', max_tokens: 10_000 });
    expect(sent('thinking')).toEqual([{ type: 'enabled', budget_tokens: 2048 }]);
  });

  it('is not added to a body of Messages whose turn began without thinking, as Claude refuses that', async () => {
    const asked = { model: 'claude/claude-opus-4-5', max_tokens: 10_000 };
    const called = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: '1' };
    const turns = [
      ...messages,
      { role: 'assistant', content: [called] },
      { role: 'user', content: [result] },
    ];
    for (const list of [messages, turns])
      await post(`${gateway.url}/v1/messages`, { ...asked, messages: list }, gateway.auth);
    expect(sent('thinking')).toEqual([{ type: 'enabled', budget_tokens: 2048 }, undefined]);
  });
});

describe('two names of one model', () => {
  it('are candidates of one completion at their own efforts', async () => {
    upstream.script([{ status: 500 }, {}]);
    const reply = await chat({ model: 'auto', models: ['up/quick', 'up/deep'] });
    expect(reply.status).toBe(200);
    expect(sent('model')).toEqual(['gpt-5-mini', 'gpt-5-mini']);
    expect(sent('reasoning_effort')).toEqual(['high', 'low']);
  });
});

describe('a rule that denies a model', () => {
  it('holds for every name that the configuration gives it', async () => {
    const denying = await startGateway({
      providers: {
        up: {
          api: 'openai-compatible',
          baseUrl: `${upstream.url}/v1`,
          deployments: { mine: 'gpt-5-mini' },
        },
      },
      routing: { deny: ['up/gpt-5*'] },
    });
    const ask = (model: string): Promise<Reply> =>
      post(`${denying.url}/v1/chat/completions`, { messages, model }, denying.auth);
    expect((await ask('up/mine')).status).toBe(400);
    expect((await ask('up/gpt-4o-mini')).status).toBe(200);
    expect(sent('model')).toEqual(['gpt-4o-mini']);
    await denying.close();
  });
});

describe('model selection', () => {
  const llm_providers = [
    { name: 'quick', provider: 'up', model: 'plain', attributes: { reasoning_effort: 'minimal' } },
    { name: 'deep', provider: 'up', model: 'plain', attributes: { reasoning_effort: 'xhigh' } },
    { name: 'odd', provider: 'up', model: 'plain', attributes: { reasoning_effort: 'enormous' } },
    { provider: 'up', model: 'thinker' },
  ];

  it('takes one model at several efforts, and explains which', async () => {
    const reply = await select({ llm_providers });
    expectConforms('model-select.response', reply.json);
    expect(explained(reply)).toEqual(
      expect.arrayContaining([
        ['quick', 'minimal'],
        ['deep', 'xhigh'],
        ['odd', undefined],
        ['up/thinker', 'high'],
      ]),
    );
  });

  it('says at which effort to call each model, where one is named', async () => {
    const reply = await post(
      `${gateway.url}/api/v1/model-select`,
      { messages, llm_providers: llm_providers.map(({ name: _name, ...rest }) => rest) },
      gateway.auth,
    );
    expectConforms('model-select.response', reply.json);
    expect(new Set(listAt(reply.json, 'providers'))).toEqual(
      new Set([
        { provider: 'up', model: 'plain', reasoning_effort: 'minimal' },
        { provider: 'up', model: 'plain', reasoning_effort: 'xhigh' },
        { provider: 'up', model: 'plain' },
        { provider: 'up', model: 'thinker', reasoning_effort: 'high' },
      ]),
    );
  });

  it("warns of a candidate's effort that is none, and goes on without it", async () => {
    const odd = ['ultra', 7, ['high'], null, 'HIGH'].map((reasoning_effort) => ({
      provider: 'up',
      model: 'plain',
      attributes: { reasoning_effort },
    }));
    const reply = await select({ llm_providers: [...odd, { provider: 'up', model: 'plain' }] });
    expect(reply.status).toBe(200);
    expectConforms('model-select.response', reply.json);
    expect(listAt(reply.json, 'warnings')).toEqual(
      [0, 1, 2, 4].map((place) => ({
        field: `llm_providers[${place}][attributes][reasoning_effort]`,
        message:
          'is no effort and has no effect; efforts are none, minimal, low, medium, high, xhigh, max',
      })),
    );
    expect((await select({ llm_providers: llm_providers.slice(0, 2) })).json).not.toHaveProperty(
      'warnings',
    );
  });

  it('names no more than twenty of them', async () => {
    const llm_providers = Array.from({ length: 40 }, (_, place) => ({
      provider: 'up',
      model: `m${place}`,
      attributes: { reasoning_effort: 'ultra' },
    }));
    expect(listAt((await select({ llm_providers })).json, 'warnings')).toHaveLength(20);
  });

  it("applies the request's own effort to each candidate", async () => {
    const reply = await select({ llm_providers, reasoning_effort: 'low' });
    expect(explained(reply).map((one) => (one as unknown[])[1])).toEqual(Array(4).fill('low'));
  });

  it('refuses an effort that is none', async () => {
    const { status, json } = await select({ llm_providers, reasoning_effort: 'enormous' });
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain('none, minimal, low, medium, high, xhigh, max');
  });
});
