import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awaitedSurfaces, callsModels } from '../../src/surface-labels.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { metricOf } from '../helpers/metrics.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const answerUsd = 0.01;

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const scores = { results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 10 } };
  upstream.script([
    ({ path }) =>
      path.endsWith('/rerank')
        ? { raw: Buffer.from(JSON.stringify(scores)), contentType: 'application/json' }
        : { usage: { prompt: 10, completion: 10 } },
  ]);
  gateway = await startGateway({
    auth: {
      keys: [
        { name: 'bound', key: 'sk_bound', limits: { dayBudgetUsd: 1000 } },
        { name: 'spent', key: 'sk_spent', limits: { dayBudgetUsd: 0 } },
      ],
    },
    providers: Object.fromEntries(
      ['openai-compatible', 'anthropic', 'openai-responses'].map((api) => [
        api,
        { api, baseUrl: `${upstream.url}/v1`, apiKey: 'k', allowProxy: true },
      ]),
    ),
    // ten tokens of an answer cost a cent, and of an embedding ten tokens of its input
    models: Object.fromEntries([
      ...['openai-compatible', 'anthropic', 'openai-responses'].map((api) => [
        `${api}/m`,
        { inputPrice: 0, outputPrice: 1000 },
      ]),
      ['openai-compatible/e', { inputPrice: 1000, outputPrice: 0 }],
    ]),
    limits: { maxRetries: 0 },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

type Send = (key: string) => Promise<Reply>;
const send =
  (path: string, body: object): Send =>
  (key) =>
    post(gateway.url + path, body, {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
    });

const model = 'openai-compatible/m';
const chat = { messages, max_tokens: 10 };
/** Every way to a model, by the label of its surface. */
const ways: Readonly<Record<string, readonly Send[]>> = {
  completions: [send('/api/v1/completions', { models: [model], messages, maxTokens: 10 })],
  openai: [send('/v1/chat/completions', { model, ...chat })],
  text_completions: [send('/v1/completions', { model, prompt: 'Say hello', max_tokens: 10 })],
  messages: [
    send('/v1/messages', { model, ...chat }),
    send('/v1/messages', { model: 'anthropic/m', ...chat }),
  ],
  responses: [
    send('/v1/responses', { model, input: 'Say hello', max_output_tokens: 10 }),
    send('/v1/responses', { model: 'openai-responses/m', input: 'hi', max_output_tokens: 10 }),
  ],
  embeddings: [send('/v1/embeddings', { model: 'openai-compatible/e', input: 'Say hello' })],
  rerank: [
    send('/v1/rerank', { model: 'openai-compatible/e', query: 'hello', documents: ['Hello!'] }),
  ],
  proxy: [
    send('/proxy/openai-compatible/v1/chat/completions', { model: 'm', ...chat }),
    send('/proxy/anthropic/v1/messages', { model: 'm', ...chat }),
    send('/proxy/openai-responses/v1/responses', { model: 'm', input: 'a', max_output_tokens: 10 }),
  ],
  mcp: [
    send('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'complete', arguments: { model, prompt: 'Say hello' } },
    }),
  ],
};

const spentUsd = (): Promise<number> => metricOf(gateway, 'signalbox_cost_usd_total');

describe('what a model costs', () => {
  it('is charged on every surface that calls models', () => {
    const calling = awaitedSurfaces.filter(callsModels);
    expect(Object.keys(ways).sort()).toEqual([...calling].sort());
  });

  it.each(Object.entries(ways))('is charged to the same budget: %s', async (_label, sends) => {
    for (const each of sends) {
      const before = await spentUsd();
      const { status, text } = await each('sk_bound');
      expect(status, text).toBe(200);
      expect((await spentUsd()) - before).toBeCloseTo(answerUsd, 6);
    }
  });

  it.each(Object.entries(ways))(
    'is not spent by a key without money: %s',
    async (_label, sends) => {
      const { requests } = upstream;
      const before = requests.length;
      for (const each of sends) {
        const { status, text } = await each('sk_spent');
        if (status === 200) expect(text).toContain('this key may spend 0 USD');
        else expect([402, 429]).toContain(status);
      }
      expect(requests.length).toBe(before);
    },
  );

  it('is not known of other paths that pass through, which a key with a budget may not use', async () => {
    for (const path of ['v1/embeddings', 'v1/chat/completions/x', 'v1/files']) {
      const { status } = await send(`/proxy/openai-compatible/${path}`, { model: 'm' })('sk_bound');
      expect(status, path).toBe(403);
    }
    const headers = { authorization: 'Bearer sk_bound' };
    const { status } = await ask('GET', `${gateway.url}/proxy/anthropic/v1/messages`, headers);
    expect(status).toBe(403);
  });
});
