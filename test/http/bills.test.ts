import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, numberAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

type Usage = Readonly<Record<string, unknown>>;

const text = 'Hello there';
const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' };
const part = { type: 'output_text', text, annotations: [] };
const item = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [part] };
const candidate = { content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 };
/** A whole answer of each dialect, with the usage that it states. */
const answers = {
  chat: (usage: Usage) => ({ id: 'c', object: 'chat.completion', choices: [choice], usage }),
  responses: (usage: Usage) => ({ id: 'r', status: 'completed', output: [item], usage }),
  messages: (usage: Usage) => ({
    ...{ id: 'm', type: 'message', role: 'assistant', stop_reason: 'end_turn', usage },
    content: [{ type: 'text', text }],
  }),
  gemini: (usage: Usage) => ({ candidates: [candidate], usageMetadata: usage }),
  cohere: (usage: Usage) => ({
    ...{ id: 'c', finish_reason: 'COMPLETE', usage },
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  }),
  converse: (usage: Usage) => ({
    ...{ stopReason: 'end_turn', usage },
    output: { message: { role: 'assistant', content: [{ text }] } },
  }),
};
type Dialect = keyof typeof answers;

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
  const as = (api: string, path: string) => ({
    ...{ api, baseUrl: `${upstream.url}${path}`, apiKey: 'k', region: 'us-east-1' },
  });
  const compatible = ['openai', 'openrouter', 'perplexity', 'xai'];
  const key = (name: string, limits: object) => ({
    ...{ name, key: `sk_${name}`, scopes: ['completions' as const, 'admin' as const], limits },
  });
  gateway = await startGateway({
    auth: { keys: [key('free', {}), key('bound', { dayBudgetUsd: 1 })] },
    limits: { maxRetries: 0 },
    providers: {
      ...Object.fromEntries(compatible.map((api) => [api, as(api, '/v1')])),
      'openai-responses': as('openai-responses', '/v1'),
      anthropic: as('anthropic', ''),
      google: as('gemini', '/v1beta'),
      cohere: as('cohere', ''),
      bedrock: as('bedrock', ''),
    },
    models: { 'openrouter/own/price': { inputPrice: 1, outputPrice: 1 } },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function answered(
  [dialect, usage]: readonly [Dialect, Usage],
  model: string,
  key = 'free',
): Promise<Reply> {
  const raw = Buffer.from(JSON.stringify(answers[dialect](usage)));
  upstream.script([{ raw, contentType: 'application/json' }]);
  return post(
    `${gateway.url}/api/v1/completions`,
    { models: [model], messages: [{ role: 'user', content: 'Say hello' }], maxTokens: 10 },
    { authorization: `Bearer sk_${key}` },
  );
}

/** What a request cost, by the answer; the same by the request log, the metrics and the usage. */
async function billed(told: readonly [Dialect, Usage], model: string): Promise<number> {
  const auth = { authorization: 'Bearer sk_free' };
  const spent = async (): Promise<number[]> => {
    const { json } = await ask('GET', `${gateway.url}/api/v1/usage?by=day`, auth);
    return [
      await metricOf(gateway, 'signalbox_cost_usd_total'),
      Number(at(json, 'items', 0, 'costUsd') ?? 0),
    ];
  };
  const before = await spent();
  const { status, text: sent, json, headers } = await answered(told, model);
  expect(status, sent).toBe(200);
  const usd = numberAt(json, 'usage', 'costs', 'total_tokens_cost');
  let row: unknown;
  await until(async () => {
    const { json: log } = await ask('GET', `${gateway.url}/api/v1/requests?limit=1`, auth);
    row = listAt(log, 'items')[0];
    return at(row, 'requestId') === headers['x-request-id'];
  });
  expect(numberAt(row, 'costUsd')).toBeCloseTo(usd, 9);
  expect(numberAt(row, 'promptTokens')).toBe(numberAt(json, 'usage', 'promptTokens'));
  for (const [at, now] of (await spent()).entries())
    expect(now - Number(before[at])).toBeCloseTo(usd, 6);
  expect(at(json, 'usage', 'estimated') === true).toBe(numberAt(row, 'estimatedUsd') > 0);
  return usd;
}

describe('the bill of an answer', () => {
  it.each<[what: string, model: string, told: [Dialect, Usage], usd: number]>([
    [
      'sound that the model makes',
      'openai/gpt-audio',
      [
        'chat',
        {
          prompt_tokens: 1000,
          completion_tokens: 100,
          prompt_tokens_details: { audio_tokens: 800 },
          completion_tokens_details: { audio_tokens: 80 },
        },
      ],
      0.03142,
    ],
    [
      'pictures that the model makes',
      'google/gemini-2.5-flash-image',
      [
        'gemini',
        {
          promptTokenCount: 1000,
          candidatesTokenCount: 1390,
          candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
        },
      ],
      0.03925,
    ],
    [
      'sound in the prompt cache',
      'google/gemini-2.5-flash',
      [
        'gemini',
        {
          promptTokenCount: 1000,
          promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 800 }],
          cachedContentTokenCount: 800,
          cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 800 }],
          candidatesTokenCount: 100,
        },
      ],
      0.00039,
    ],
    [
      'a prompt of which only the total tells',
      'google/gemini-2.5-pro',
      ['gemini', { candidatesTokenCount: 100, totalTokenCount: 1100 }],
      0.00225,
    ],
    [
      'a summary that Anthropic makes of the conversation',
      'anthropic/claude-opus-5-5',
      [
        'messages',
        {
          input_tokens: 23_000,
          output_tokens: 1000,
          iterations: [
            { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
            { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
          ],
        },
      ],
      0.902,
    ],
    [
      'the units that Cohere bills, not the tokens that it adds',
      'cohere/command-a-03-2025',
      [
        'cohere',
        {
          billed_units: { input_tokens: 8, output_tokens: 50 },
          tokens: { input_tokens: 1394, output_tokens: 55, reasoning_tokens: 38 },
          cached_tokens: 1360,
        },
      ],
      0.00052,
    ],
    [
      'what OpenRouter charges',
      'openrouter/openai/gpt-6-sol',
      ['chat', { prompt_tokens: 1000, completion_tokens: 100, cost: 0.0076 }],
      0.0076,
    ],
    [
      'its fee and the price of the provider, with a key of one’s own',
      'openrouter/openai/gpt-6-sol',
      [
        'chat',
        {
          ...{ prompt_tokens: 1000, completion_tokens: 100, cost: 0.00015, is_byok: true },
          cost_details: { upstream_inference_cost: 0.003 },
        },
      ],
      0.00315,
    ],
    [
      'what a model costs that no list has',
      'openrouter/some/model',
      ['chat', { prompt_tokens: 1000, completion_tokens: 100, cost: '0.0076' }],
      0.0076,
    ],
    [
      'by the configuration, whatever a provider says',
      'openrouter/own/price',
      ['chat', { prompt_tokens: 1000, completion_tokens: 100, cost: 0.0076 }],
      0.0011,
    ],
    [
      'by the list, where a provider says 0 or nonsense',
      'openrouter/openai/gpt-6-sol',
      ['chat', { prompt_tokens: 1000, completion_tokens: 100, cost: -1, estimated_cost: 0 }],
      0.003,
    ],
    [
      'what Perplexity charges, with the fee of the request',
      'perplexity/sonar',
      ['chat', { prompt_tokens: 10, completion_tokens: 10, cost: { total_cost: 0.00502 } }],
      0.00502,
    ],
    [
      'what xAI charges, with its searches',
      'xai/grok-4.5',
      ['chat', { prompt_tokens: 1000, completion_tokens: 100, cost_in_usd_ticks: 160_708_500 }],
      0.01607085,
    ],
    [
      'the same of an answer of the Responses API',
      'openai-responses/grok-4.5',
      ['responses', { input_tokens: 1000, output_tokens: 100, cost_in_usd_ticks: 160_708_500 }],
      0.01607085,
    ],
  ])('is the same in every figure: %s', async (_what, model, told, usd) => {
    expect(await billed(told, model)).toBeCloseTo(usd, 9);
  });

  it.each<[model: string, told: [Dialect, Usage]]>([
    ['openai/gpt-6-sol', ['chat', { prompt_tokens: 0, completion_tokens: 0 }]],
    ['openai-responses/gpt-6-sol', ['responses', { input_tokens: -5, output_tokens: 0 }]],
    ['anthropic/claude-opus-5-5', ['messages', { input_tokens: -3, output_tokens: -3 }]],
    ['google/gemini-2.5-pro', ['gemini', { promptTokenCount: 0, totalTokenCount: 0 }]],
    ['cohere/command-a-03-2025', ['cohere', { billed_units: { input_tokens: 0 }, tokens: {} }]],
    ['bedrock/amazon.nova-pro-v1:0', ['converse', { inputTokens: 0, outputTokens: 0 }]],
  ])('is an estimate where the counts are 0 or negative: %s', async (model, told) => {
    const before = await metricOf(gateway, 'signalbox_estimated_usd_total');
    const usd = await billed(told, model);
    expect(usd).toBeGreaterThan(0);
    const estimated = (await metricOf(gateway, 'signalbox_estimated_usd_total')) - before;
    expect(estimated).toBeCloseTo(usd, 9);
  });

  it('counts towards a budget as the provider states it', async () => {
    const model = 'openrouter/openai/gpt-6-sol';
    const told = ['chat', { prompt_tokens: 1000, completion_tokens: 100, cost: 0.9999 }] as const;
    expect((await answered(told, model, 'bound')).status).toBe(200);
    expect((await answered(told, model, 'bound')).status).toBe(429);
  });
});
