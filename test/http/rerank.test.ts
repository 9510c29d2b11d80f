import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, numberAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
const key = (name: string): { authorization: string } => ({ authorization: `Bearer sk_${name}` });
beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
});
afterAll(() => upstream.close());
beforeEach(async () => {
  upstream.requests.length = 0;
  const listModels = false as const;
  gateway = await startGateway({
    limits: { maxRetries: 1 },
    auth: {
      keys: [
        { name: 'all', key: 'sk_all' },
        { name: 'rich', key: 'sk_rich', limits: { dayBudgetUsd: 1 } },
        { name: 'poor', key: 'sk_poor', limits: { dayBudgetUsd: 0.001 } },
        { name: 'slow', key: 'sk_slow', limits: { tokensPerMinute: 100 } },
      ],
    },
    providers: {
      jina: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'j', listModels },
      cohere: { api: 'cohere', baseUrl: `${upstream.url}/v2`, apiKey: 'c', listModels },
      openrouter: { api: 'openrouter', baseUrl: `${upstream.url}/v1`, apiKey: 'o', listModels },
      qwen: { api: 'alibaba', baseUrl: `${upstream.url}/v1`, apiKey: 'q', listModels },
      groq: { api: 'groq', baseUrl: `${upstream.url}/v1`, apiKey: 'g', listModels },
    },
    models: {
      'jina/by-token': { inputPrice: 20_000, outputPrice: 0 },
      'cohere/by-search': { inputPrice: 0, outputPrice: 0, searchPrice: 0.002 },
    },
    aliases: { ranks: ['jina/first', 'cohere/second'] },
  });
});
afterEach(() => gateway.close());

const answered = (body: unknown): Step => ({
  raw: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
});
const query = 'Where do trains stop?';
const documents = ['At home.', { text: 'At stations.' }, 'At signals.'];
const scores = [
  { index: 1, relevance_score: 0.9 },
  { index: 2, relevance_score: 0.5 },
  { index: 0, relevance_score: 0.1 },
];
/** As providers answer. */
const wire = {
  jina: {
    model: 'm',
    object: 'list',
    usage: { total_tokens: 31, prompt_tokens: 31 },
    results: scores.map((one) => ({ ...one, document: { text: 'theirs' } })),
  },
  cohere: {
    id: 'r1',
    results: scores,
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  },
  voyage: { object: 'list', data: scores, model: 'm', usage: { total_tokens: 26 } },
  llama: { results: [...scores].reverse(), usage: { prompt_tokens: 9, total_tokens: 9 } },
};
const rerank = (more: object, name = 'all', path = '/v1/rerank'): Promise<Reply> =>
  post(gateway.url + path, { model: 'jina/m', query, documents, ...more }, key(name));

describe('POST /v1/rerank', () => {
  it.each([
    ['Jina and vLLM', 'jina/m', wire.jina, 31],
    ['Voyage and Fireworks', 'jina/m', wire.voyage, 26],
    ['llama.cpp, which leaves the order to its clients', 'jina/m', wire.llama, 9],
    ['Cohere', 'cohere/m', wire.cohere, null],
  ])('answers alike with what %s answer', async (_who, model, body, tokens) => {
    upstream.script([answered(body)]);
    const reply = await rerank({ model });
    expect(reply.status, reply.text).toBe(200);
    expectConforms('rerank.response', reply.json);
    const usage = tokens === null ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } };
    expect(reply.json).toEqual({
      ...(tokens === null ? { id: 'r1' } : {}),
      model: 'm',
      results: scores,
      ...usage,
      meta: { billed_units: tokens === null ? { search_units: 1 } : {} },
    });
  });

  it("sends texts to the provider's path, with its key and the fields that the gateway does not know", async () => {
    upstream.script([answered(wire.cohere)]);
    const more = { top_n: 2, return_documents: true, max_tokens_per_doc: 100 };
    for (const model of ['jina/m', 'cohere/m']) await rerank({ model, ...more });
    const body = { query, documents: ['At home.', 'At stations.', 'At signals.'] };
    expect(upstream.requests).toMatchObject([
      { path: '/v1/rerank', headers: { authorization: 'Bearer j' } },
      { path: '/v2/rerank', headers: { authorization: 'Bearer c' } },
    ]);
    for (const call of upstream.requests)
      expect(call.body).toEqual({ ...body, model: 'm', max_tokens_per_doc: 100 });
  });

  it('returns as many results as asked for, with their documents where they are wanted', async () => {
    upstream.script([answered(wire.jina)]);
    const reply = await rerank({ top_n: 2, return_documents: true });
    expect(at(reply.json, 'results')).toEqual([
      { ...scores[0], document: { text: 'At stations.' } },
      { ...scores[1], document: { text: 'At signals.' } },
    ]);
  });

  it("is also at the path of Cohere's SDKs", async () => {
    upstream.script([answered(wire.cohere)]);
    const reply = await rerank({ model: 'cohere/m' }, 'all', '/v2/rerank');
    expect(listAt(reply.json, 'results')).toHaveLength(3);
    expect((await ask('GET', `${gateway.url}/v2/rerank`, key('all'))).status).toBe(405);
  });

  it('is retried, then falls back to the other models of an alias and to fallback_models', async () => {
    for (const body of [{ model: 'ranks' }, { fallback_models: ['cohere/second'] }]) {
      upstream.requests.length = 0;
      upstream.script([{ status: 500 }, { status: 500 }, answered(wire.cohere)]);
      expect((await rerank(body)).json).toMatchObject({ model: 'second', results: scores });
      expect(upstream.requests.map(({ path }) => path)).toEqual([
        '/v1/rerank',
        '/v1/rerank',
        '/v2/rerank',
      ]);
    }
  });

  it.each([
    ['a provider without reranking', { model: 'groq/m' }, 400, /groq has no reranking/],
    ['a model that nobody has', { model: 'nobody' }, 404, /no configured provider/],
    ['a choice among models', { model: 'auto' }, 404, /auto answers conversations only/],
    ['a document that is no text', { documents: [1] }, 400, /documents\[0\]: must be a text/],
    ['no documents', { documents: [] }, 400, /documents/],
    ['no query', { query: '' }, 400, /query/],
  ])('with %s is an error that says so', async (_what, more, status, reason) => {
    const reply = await rerank(more);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({
      message: expect.stringMatching(reason) as string,
      error: { message: expect.stringMatching(reason) as string },
    });
    expectConforms('openai-error', reply.json);
  });

  it.each([
    ['no results', {}],
    ['a document that was not sent', { results: [{ index: 3, relevance_score: 1 }] }],
    ['no score', { results: [{ index: 0 }] }],
  ])('is 502 where the answer has %s', async (_what, body) => {
    upstream.script([answered(body)]);
    expect((await rerank({})).status).toBe(502);
  });

  it('shows what the provider refuses, with its status', async () => {
    upstream.script([{ status: 400, body: { message: 'too many documents' } }]);
    const reply = await rerank({ model: 'cohere/m' });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('too many documents');
  });

  it('needs a key', async () => {
    expect((await rerank({}, 'wrong')).status).toBe(401);
  });
});

describe('a reranking is charged', () => {
  it('by tokens where the provider reports them', async () => {
    upstream.script([answered(wire.jina)]);
    expect(
      (await rerank({ model: 'jina/by-token', documents: ['a', 'b', 'c'], query: 'q' })).status,
    ).toBe(200);
    const row = at(
      (await ask('GET', `${gateway.url}/api/v1/requests`, key('all'))).json,
      'items',
      0,
    );
    expect(row).toMatchObject({
      surface: 'rerank',
      status: 200,
      provider: 'jina',
      model: 'by-token',
      promptTokens: 31,
      costUsd: 0.62,
    });
  });

  it('by searches where it bills those', async () => {
    upstream.script([answered(wire.cohere)]);
    expect((await rerank({ model: 'cohere/by-search' })).status).toBe(200);
    const rows = (await ask('GET', `${gateway.url}/api/v1/requests`, key('all'))).json;
    expect(rows).toMatchObject({ items: [{ model: 'by-search', costUsd: 0.002 }] });
  });

  it('by what the provider says, of vectors and of their parts too, unless that is nothing', async () => {
    const vectors = (count: number, cost: number) => ({
      data: Array.from({ length: count }, () => ({ embedding: [1] })),
      usage: { prompt_tokens: 9, total_tokens: 9, cost },
    });
    const embed = (model: string, input: unknown): Promise<Reply> =>
      post(`${gateway.url}/v1/embeddings`, { model, input }, key('all'));
    const ranking = { results: scores, usage: { cost: 0.03, search_units: 1 } };
    upstream.script(
      [ranking, vectors(1, 0.04), vectors(10, 0.04), vectors(1, 0.05), vectors(1, 0)].map(answered),
    );
    const replies = [
      await rerank({ model: 'openrouter/m' }),
      await embed('qwen/m', 'a'),
      await embed(
        'qwen/m',
        Array.from({ length: 11 }, () => 'a'),
      ),
      await embed('jina/by-token', 'a'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(replies[0]!.json).toMatchObject({ meta: { billed_units: { search_units: 1 } } });
    const { json } = await ask('GET', `${gateway.url}/api/v1/requests?limit=4`, key('all'));
    const costs = listAt(json, 'items').map((row) => numberAt(row, 'costUsd'));
    expect(costs.reverse()).toEqual([0.03, 0.04, 0.09, 0.18]);
  });

  it('to a budget, which refuses what it cannot pay and models without a price', async () => {
    upstream.script([answered(wire.cohere)]);
    expect((await rerank({ model: 'cohere/by-search' }, 'poor')).status).toBe(402);
    const unpriced = await rerank({ model: 'jina/gpt-4o' }, 'rich');
    expect(unpriced.status).toBe(400);
    expect(unpriced.text).toContain('its price is not known');
    const unknown = await rerank({ model: 'cohere/by-search', rank_fields: ['a'] }, 'rich');
    expect(unknown.text).toContain('rank_fields');
    expect(upstream.requests).toEqual([]);
  });

  it('to a limit of tokens: a query is read again with each document', async () => {
    const long = { query: 'word '.repeat(20), documents: Array.from({ length: 20 }, () => 'x') };
    const refused = await rerank(long, 'slow');
    expect(refused.status).toBe(429);
    upstream.script([answered({ results: [scores[2]], usage: { total_tokens: 40 } })]);
    const short = { query: 'a', documents: ['b'] };
    expect((await rerank(short, 'slow')).status).toBe(200);
    const left = Number((await rerank(short, 'slow')).headers['x-ratelimit-remaining-tokens']);
    // less what the second one reserves
    expect(left).toBeLessThan(60);
    expect(left).toBeGreaterThan(40);
  });
});
