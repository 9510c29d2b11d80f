import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { at } from '../helpers/json.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import { post, type Reply } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up, url) => ({
    providers: {
      up,
      gemini: { api: 'gemini', baseUrl: `${url}/v1beta`, apiKey: 'k' },
      cohere: { api: 'cohere', baseUrl: url, apiKey: 'k' },
    },
  })));
});
afterAll(() => gateway.close());

const step = (body: unknown, contentType = 'application/json'): Step => ({
  raw: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  contentType,
});
const item = (index: unknown, embedding: unknown): object => ({
  object: 'embedding',
  index,
  embedding,
});
const packed = (...numbers: number[]): string =>
  Buffer.from(new Float32Array(numbers).buffer).toString('base64');
const vectorOf = (of: object): unknown => at(of, 'embedding');
const counts = { prompt_tokens: 2 };
const one = item(0, [0.5, 0.25]);
const two = item(1, [1, 2]);
const list = (data: unknown, more: object = {}): object => ({
  ...{ object: 'list', model: 'm', data, usage: { prompt_tokens: 2, total_tokens: 2 } },
  ...more,
});

describe('embeddings that an odd server sends', () => {
  const rows: [string, unknown, string?][] = [
    ['packed though numbers were asked for', list([item(0, packed(0.5, 0.25)), two])],
    ['in another order', list([two, one])],
    ['without their places', list([{ embedding: [0.5, 0.25] }, { embedding: [1, 2] }])],
    ['with places as text', list([item('0', [0.5, 0.25]), item('1', [1, 2])])],
    ['with 0 as the place of each', list([one, { ...two, index: 0 }])],
    ['with places from 1', list([item(2, [1, 2]), item(1, [0.5, 0.25])])],
    ['with null among them', list([null, one, two])],
    ['with null behind them', list([one, two, null])],
    ['with another total', list([one, two], { usage: { prompt_tokens: 2, total_tokens: 3 } })],
    ['with counts as text', list([one, two], { usage: { prompt_tokens: '2' } })],
    ['with a total alone', list([one, two], { usage: { total_tokens: 2 } })],
    ['without an envelope', { data: [one, two], usage: { prompt_tokens: 2 } }],
    ['each in a list of its own', list([item(0, [[0.5, 0.25]]), item(1, [[1, 2]])])],
    ['by the name that Ollama has', { embeddings: [one, two].map(vectorOf), usage: counts }],
    ['behind a byte order mark', `\ufeff${JSON.stringify(list([one, two]))}`, 'text/plain'],
  ];
  it.each(rows)('reach clients right, where they come %s', async (_what, body, type) => {
    const model = plays.newModel();
    plays.set(model, step(body, type));
    const asked = { model: `up/${model}`, input: ['a', 'b'] };
    const { status, json } = await post(`${gateway.url}/v1/embeddings`, asked, gateway.auth);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ...{ object: 'list', data: [one, two], model: expect.any(String) as string },
      usage: { prompt_tokens: 2, total_tokens: 2 },
    });
    // it asks for packed ones, and unpacks them
    const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const { data } = await client.embeddings.create(asked);
    expect(data.map(({ embedding }) => [...embedding])).toEqual([
      [0.5, 0.25],
      [1, 2],
    ]);
  });

  it('reach clients right as a bare list, and are asked for without null', async () => {
    const model = plays.newModel();
    plays.set(model, step([one, two]));
    const fields = { input: ['a', 'b'], encoding_format: null, user: null };
    const asked = { model: `up/${model}`, ...fields };
    const { json } = await post(`${gateway.url}/v1/embeddings`, asked, gateway.auth);
    expect(json).toMatchObject({ data: [one, two] });
    expect(plays.of(model)[0]?.body).toEqual({ model, input: ['a', 'b'] });
  });

  it('go to the client as they were written, where they are right', async () => {
    const model = plays.newModel();
    const written = JSON.stringify(list([one, two]), null, 1).replace('0.5', '5.0e-1');
    plays.set(model, step(written));
    const asked = { model: `up/${model}`, input: ['a', 'b'] };
    const { text } = await post(`${gateway.url}/v1/embeddings`, asked, gateway.auth);
    expect(text).toBe(written);
  });

  it('have a count of 0 where none is reported, which is estimated for what they cost', async () => {
    const model = plays.newModel();
    plays.set(model, step({ data: [one] }));
    const asked = { model: `up/${model}`, input: [1, 2, 3] };
    const { json } = await post(`${gateway.url}/v1/embeddings`, asked, gateway.auth);
    expect(at(json, 'usage')).toEqual({ prompt_tokens: 0, total_tokens: 0 });
  });

  it.each([
    ['fewer than the texts', list([one])],
    ['more than the texts', list([one, two, item(2, [3])])],
    ['null', list([one, item(1, null)])],
    ['empty', list([one, item(1, [])])],
    ['no numbers', list([one, item(1, [null, 1])])],
    ['numbers that only Python writes', '{"data":[{"embedding":[1]},{"embedding":[NaN]}]}'],
  ])('are no answer where they are %s, and are asked for once more', async (_what, body) => {
    const model = plays.newModel();
    plays.set(model, step(body));
    const asked = { model: `up/${model}`, input: ['a', 'b'] };
    expect((await post(`${gateway.url}/v1/embeddings`, asked, gateway.auth)).status).toBe(502);
    expect(plays.of(model)).toHaveLength(2);
  });
});

it.each([
  ['gemini', 'one for two texts', { embeddings: [{ values: [1] }] }],
  ['gemini', 'an empty one', { embeddings: [{ values: [1] }, {}] }],
  ['cohere', 'one for two texts', { embeddings: { float: [[1]] } }],
  ['cohere', 'null for a number', { embeddings: { float: [[1], [null]] } }],
])('embeddings of %s are no answer where they are %s', async (api, _what, body) => {
  const model = plays.newModel();
  plays.set(model, step(body));
  const asked = { model: `${api}/${model}`, input: ['a', 'b'] };
  expect((await post(`${gateway.url}/v1/embeddings`, asked, gateway.auth)).status).toBe(502);
  expect(plays.of(model)).toHaveLength(2);
});

describe('a ranking that an odd server sends', () => {
  const rows: [string, unknown, string?][] = [
    [
      'with numbers as text',
      {
        results: [
          { index: '1', relevance_score: '0.9' },
          { index: '0', relevance_score: '-1e-1' },
        ],
      },
    ],
    [
      'without an envelope',
      [
        { index: 0, score: -0.1 },
        { index: 1, score: 0.9 },
      ],
    ],
    [
      'with null in it, behind a byte order mark',
      '\ufeff{"results":[null,{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":-0.1}]}',
      'text/plain',
    ],
  ];
  it.each(rows)('reaches clients right, where it comes %s', async (_what, body, type) => {
    const model = plays.newModel();
    plays.set(model, step(body, type));
    const asked = { model: `up/${model}`, query: 'q', documents: ['a', 'b'] };
    const reply: Reply = await post(`${gateway.url}/v1/rerank`, asked, gateway.auth);
    expect(reply.status).toBe(200);
    expect(at(reply.json, 'results')).toEqual([
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: -0.1 },
    ]);
  });
});
