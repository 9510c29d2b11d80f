import { describe, expect, test } from 'vitest';
import { gemini } from '../../src/providers/gemini/index.js';
import { createVertex } from '../../src/providers/gemini/vertex.js';
import { textAt } from '../helpers/json.js';

const embeddings = gemini.create({ name: 'gemini', api: 'gemini' }).embeddings!;
const ask = async (
  body: Record<string, unknown>,
): Promise<{ url: string; headers: Record<string, string>; body: { requests: unknown[] } }> => {
  const request = await embeddings.buildRequest(body, 'gemini-embedding-001', 'k');
  return { ...request, body: JSON.parse(request.body.toString()) as { requests: unknown[] } };
};
const answer = (
  body: unknown,
  request: Record<string, unknown> = {},
): { answer: unknown; promptTokens: number | null } =>
  embeddings.readAnswer(JSON.stringify(body), 'gemini-embedding-001', request);

describe('embeddings of the Gemini API', () => {
  test('texts are sent in one batch, with dimensions and a task where they are given', async () => {
    const request = await ask({
      input: ['a', 'b'],
      dimensions: 3,
      taskType: 'CLUSTERING',
      encoding_format: 'float',
    });
    expect(request.url).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents',
    );
    expect(request.headers).toMatchObject({ 'x-goog-api-key': 'k' });
    expect(request.body).toEqual({
      requests: ['a', 'b'].map((text) => ({
        model: 'models/gemini-embedding-001',
        content: { parts: [{ text }] },
        outputDimensionality: 3,
        taskType: 'CLUSTERING',
      })),
    });
    expect((await ask({ input: 'a' })).body.requests).toHaveLength(1);
  });

  test.each([[undefined], [[]], [[1, 2]], [[[1, 2]]]])('the input %j is refused', async (input) => {
    await expect(ask({ input })).rejects.toMatchObject({ code: 'request_refused', field: 'input' });
  });

  test("the answer is in OpenAI's format", () => {
    expect(
      answer({
        embeddings: [{ values: [0.5, -1] }, { values: [1, 2] }],
        usageMetadata: { promptTokenCount: 3 },
      }),
    ).toEqual({
      answer: {
        object: 'list',
        model: 'gemini-embedding-001',
        usage: { prompt_tokens: 3, total_tokens: 3 },
        data: [
          { object: 'embedding', index: 0, embedding: [0.5, -1] },
          { object: 'embedding', index: 1, embedding: [1, 2] },
        ],
      },
      promptTokens: 3,
    });
    expect(answer({ embeddings: [] }).promptTokens).toBeNull();
  });

  test('base64 holds little-endian floats of 32 bits', () => {
    const packed = Buffer.from(
      textAt(
        answer({ embeddings: [{ values: [0.5, -1] }] }, { encoding_format: 'base64' }),
        'answer',
        'data',
        0,
        'embedding',
      ),
      'base64',
    );
    expect([packed.readFloatLE(0), packed.readFloatLE(4), packed.length]).toEqual([0.5, -1, 8]);
  });

  test('an error and an unexpected body are failures', () => {
    expect(() => answer({ error: { code: 429, message: 'slow down' } })).toThrow(
      expect.objectContaining({ code: 'rate_limited' }),
    );
    expect(() => answer({ totalTokens: 1 })).toThrow(
      expect.objectContaining({ code: 'unreadable_answer' }),
    );
    expect(() => answer(null)).toThrow(expect.objectContaining({ code: 'unreadable_answer' }));
  });
});

test('Vertex receives a request for predictions', async () => {
  const tokens = { configured: true, token: async () => 'tok', forget: () => undefined };
  const vertex = createVertex(
    { name: 'vertex', api: 'vertex', project: 'p', region: 'europe-west4' },
    tokens,
  ).embeddings!;
  const request = await vertex.buildRequest(
    { input: 'a', dimensions: 2, taskType: 'CLUSTERING' },
    'text-embedding-005',
    null,
  );
  expect(request.url).toMatch(/publishers\/google\/models\/text-embedding-005:predict$/);
  expect(JSON.parse(request.body.toString())).toEqual({
    instances: [{ content: 'a', task_type: 'CLUSTERING' }],
    parameters: { outputDimensionality: 2 },
  });
  const body = {
    predictions: [
      { embeddings: { values: [1, 2], statistics: { token_count: 4 } } },
      { embeddings: { values: [3, 4], statistics: { token_count: 5 } } },
    ],
  };
  expect(vertex.readAnswer(JSON.stringify(body), 'm', {})).toMatchObject({
    promptTokens: 9,
    answer: { data: [{ embedding: [1, 2] }, { embedding: [3, 4] }] },
  });
});
