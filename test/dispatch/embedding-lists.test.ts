import { beforeEach, describe, expect, it } from 'vitest';
import { at, listAt } from '../helpers/json.js';
import { rawGateway } from '../helpers/raw-provider.js';
import { post, type Reply } from '../helpers/sse.js';

const raw = rawGateway((baseUrl) => ({
  limits: { maxRetries: 0 },
  providers: { qwen: { api: 'alibaba', apiKey: 'k', baseUrl, listModels: false } },
  models: { 'google/gemini-embedding-001': { inputPrice: 1, outputPrice: 0 } },
  auth: {
    keys: [
      { name: 'test', key: 'sk_test_0123456789abcdef' },
      { name: 'rich', key: 'sk_rich_0123456789abcdef', limits: { dayBudgetUsd: 0.005 } },
    ],
  },
}));
beforeEach(() => void raw.provider.texts.splice(0));

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`);
const embed = (model: string, input: unknown): Promise<Reply> =>
  post(
    `${raw.gateway.url}/v1/embeddings`,
    { model, input, encoding_format: 'float' },
    raw.gateway.auth,
  );
const vectorsIn = (json: unknown): unknown[] =>
  listAt(json, 'data').map((item) => at(item, 'embedding', 0));

/** Answers with a vector for each text, whose number is the text's. */
function gemini(max: number): void {
  raw.provider.answer((_path, body) => {
    const requests = listAt(JSON.parse(body), 'requests');
    if (requests.length > max)
      return { status: 400, json: '{"error":{"code":400,"message":"at most 100 requests"}}' };
    const embeddings = requests.map((one) => ({
      values: [Number(at(one, 'content', 'parts', 0, 'text'))],
    }));
    const usageMetadata = { promptTokenCount: requests.length };
    return { json: JSON.stringify({ embeddings, usageMetadata }) };
  });
}

describe('a list of texts that is longer than the provider takes', () => {
  it('is sent to Gemini in parts of 100, joined in order, with the usage of all', async () => {
    gemini(100);
    const { status, json } = await embed('google/gemini-embedding-001', texts(250));
    expect(status).toBe(200);
    expect(raw.provider.texts).toHaveLength(3);
    expect(vectorsIn(json)).toEqual(texts(250).map(Number));
    expect(listAt(json, 'data').map((item) => at(item, 'index'))).toEqual(texts(250).map(Number));
    expect(at(json, 'usage')).toEqual({ prompt_tokens: 250, total_tokens: 250 });
  });

  it('is one call where it is not longer', async () => {
    gemini(100);
    expect((await embed('google/gemini-embedding-001', texts(100))).status).toBe(200);
    expect(raw.provider.texts).toHaveLength(1);
  });

  it("is sent to Titan one by one, and to Alibaba's models ten by ten", async () => {
    raw.provider.answer((_path, body) => {
      const { inputText, input } = JSON.parse(body) as { inputText?: string; input?: string[] };
      const data = (input ?? []).map((text, index) => ({ index, embedding: [Number(text)] }));
      return {
        json: JSON.stringify(
          input
            ? { object: 'list', model: 'm', data, usage: { prompt_tokens: data.length } }
            : { embedding: [Number(inputText)], inputTextTokenCount: 2 },
        ),
      };
    });
    const titan = await embed('aws/amazon.titan-embed-text-v2:0', texts(3));
    expect(vectorsIn(titan.json)).toEqual([0, 1, 2]);
    expect(at(titan.json, 'usage', 'prompt_tokens')).toBe(6);
    raw.provider.texts.splice(0);
    const qwen = await embed('qwen/text-embedding-v3', texts(25));
    expect(vectorsIn(qwen.json)).toEqual(texts(25).map(Number));
    expect(raw.provider.texts).toHaveLength(3);
  });

  it('is one text where it is a list of token numbers', async () => {
    raw.provider.answer(() => ({
      json: '{"object":"list","model":"m","data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":20}}',
    }));
    await embed(
      'qwen/text-embedding-v3',
      texts(20).map((text) => Number(text)),
    );
    expect(raw.provider.texts).toHaveLength(1);
  });

  it('fails as a whole where a part fails, and its budget pays for the parts that were done', async () => {
    raw.provider.answer((_path, body) =>
      body.includes('"150"')
        ? { status: 400, json: '{"error":{"code":400,"message":"no"}}' }
        : {
            json: JSON.stringify({
              embeddings: listAt(JSON.parse(body), 'requests').map(() => ({ values: [1] })),
              usageMetadata: { promptTokenCount: 4000 },
            }),
          },
    );
    const rich = { authorization: 'Bearer sk_rich_0123456789abcdef' };
    const body = { model: 'google/gemini-embedding-001', input: texts(250) };
    const send = () => post(`${raw.gateway.url}/v1/embeddings`, body, rich);
    expect((await send()).status).toBe(400);
    expect(raw.provider.texts).toHaveLength(2);
    // 4,000 tokens for a dollar a million are spent: another list could cost more than what is left
    expect((await send()).status).toBe(429);
    expect(raw.provider.texts).toHaveLength(2);
  });
});
