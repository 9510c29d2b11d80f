import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  embed,
  embedMany,
  generateText,
  jsonSchema,
  Output,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelRows, picture, type SdkGateway, startSdkGateway } from '../helpers/sdk-gateway.js';

let gateway: SdkGateway;
let provider: OpenAICompatibleProvider;
beforeEach(async () => {
  gateway = await startSdkGateway();
  provider = createOpenAICompatible({
    name: 'signalbox',
    apiKey: gateway.key,
    baseURL: gateway.baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
});
afterEach(() => gateway.close());

const cities: string[] = [];
const weather = tool({
  description: 'The weather in a city',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }),
  execute: ({ city }) => {
    cities.push(city);
    return { sky: 'rain', degrees: 7 };
  },
});

async function raised(call: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(call).then(
    () => null,
    (error: unknown) => error,
  );
}

describe.each(modelRows)('the AI SDK, with %s behind the gateway,', (_name, model) => {
  it('generates text with its finish reason and usage', async () => {
    gateway.upstream.script([
      {
        reasoning: ['Hm.'],
        text: ['Grüß', ' Gott'],
        usage: { prompt: 12, completion: 7, cached: 4 },
      },
    ]);
    const result = await generateText({ model: provider(model), prompt: 'Say hello' });
    expect(result).toMatchObject({
      text: 'Grüß Gott',
      reasoningText: 'Hm.',
      finishReason: 'stop',
      warnings: [],
    });
    expect(result.usage).toMatchObject({
      inputTokens: 12,
      outputTokens: 7,
      totalTokens: 19,
      cachedInputTokens: 4,
    });
  });

  it('streams text with its finish reason and usage', async () => {
    gateway.upstream.script([
      { reasoning: ['Hm.'], text: ['Grüß', ' Gott'], usage: { prompt: 12, completion: 7 } },
    ]);
    const result = streamText({ model: provider(model), prompt: 'Say hello' });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces).toEqual(['Grüß', ' Gott']);
    expect(await result.reasoningText).toBe('Hm.');
    expect(await result.finishReason).toBe('stop');
    expect(await result.usage).toMatchObject({ inputTokens: 12, outputTokens: 7, totalTokens: 19 });
  });

  it('runs tools over several steps', async () => {
    gateway.upstream.script([
      { toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] },
      { text: ['Rain.'] },
    ]);
    const result = await generateText({
      model: provider(model),
      prompt: 'How is Bern?',
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect(result.text).toBe('Rain.');
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(result.steps[0]?.toolCalls).toMatchObject([
      { toolName: 'weather', input: { city: 'Bern' } },
    ]);
    expect(gateway.upstream.requests[1]?.raw.toString()).toContain('degrees');
  });

  it('runs tools whose calls are streamed, text before them', async () => {
    cities.length = 0;
    gateway.upstream.script([
      {
        text: ['Let me see. '],
        toolCalls: [
          { name: 'weather', arguments: { city: 'Bern' } },
          { name: 'weather', arguments: { city: 'Basel' } },
        ],
      },
      { text: ['Rain.'] },
    ]);
    const result = streamText({
      model: provider(model),
      prompt: 'How are Bern and Basel?',
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    const parts: string[] = [];
    for await (const part of result.fullStream) parts.push(part.type);
    expect(parts).toContain('tool-input-delta');
    expect(parts).not.toContain('error');
    expect((await result.steps).map(({ text, finishReason }) => [text, finishReason])).toEqual([
      ['Let me see. ', 'tool-calls'],
      ['Rain.', 'stop'],
    ]);
    expect(cities).toEqual(['Bern', 'Basel']);
  });

  it('gets an object of a schema', async () => {
    gateway.upstream.script([{ text: ['{"city":"Bern"}'] }]);
    const schema = jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    });
    const { output } = await generateText({
      model: provider(model),
      prompt: 'Which city?',
      output: Output.object({ schema }),
    });
    expect(output).toEqual({ city: 'Bern' });
    expect(gateway.upstream.requests[0]?.raw.toString()).toContain('"city"');
  });

  it('sends a picture', async () => {
    await generateText({
      model: provider(model),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', image: picture },
          ],
        },
      ],
    });
    expect(gateway.upstream.requests[0]?.raw.toString()).toContain(
      picture.slice(picture.indexOf(',') + 1),
    );
  });

  it('raises what the gateway answers, and knows what may be tried again', async () => {
    gateway.upstream.script([{ status: 429, headers: { 'retry-after': '60' } }, { status: 400 }]);
    const limited = await raised(
      generateText({ model: provider(model), prompt: 'Hi', maxRetries: 0 }),
    );
    expect(limited).toBeInstanceOf(APICallError);
    expect(limited).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      data: { error: { type: 'rate_limit_error' } },
    });
    const refused = await raised(generateText({ model: provider(model), prompt: 'Hi' }));
    expect(refused).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: expect.stringContaining('scripted 400'),
      data: { error: { type: expect.stringContaining('invalid_request') } },
    });
    expect(gateway.upstream.requests).toHaveLength(2);
  });

  it('sees an error part, and no finish of "stop", where the stream breaks off', async () => {
    gateway.upstream.script([{ errorUnder200: 'afterContent' }]);
    const errors: unknown[] = [];
    const result = streamText({
      model: provider(model),
      prompt: 'Hi',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    const parts: string[] = [];
    for await (const part of result.fullStream)
      parts.push(part.type === 'finish' ? `finish: ${part.finishReason}` : part.type);
    expect(parts).toContain('text-delta');
    expect(parts).toContain('error');
    expect(parts).not.toContain('finish: stop');
    expect(errors).toHaveLength(1);
  });

  it('cancels the upstream call when it aborts', async () => {
    gateway.upstream.script([{ hang: 'afterContent' }]);
    const leaving = new AbortController();
    const result = streamText({
      model: provider(model),
      prompt: 'Hi',
      abortSignal: leaving.signal,
    });
    for await (const piece of result.textStream) if (piece) leaving.abort();
    await gateway.upstream.closed(0);
  });
});

describe('the AI SDK', () => {
  it.each([['compatible/embed'], ['google/gemini-embedding-001']])(
    'embeds with %s',
    async (model) => {
      if (model.startsWith('google'))
        gateway.upstream.script([
          ({ body }) => ({
            raw: Buffer.from(
              JSON.stringify({
                embeddings: (body?.['requests'] as unknown[]).map((_, index) => ({
                  values: [0.25, -0.5, index],
                })),
              }),
            ),
            contentType: 'application/json',
          }),
        ]);
      const { embedding } = await embed({ model: provider.embeddingModel(model), value: 'a' });
      expect(embedding).toEqual([0.25, -0.5, 0]);
      const { embeddings } = await embedMany({
        model: provider.embeddingModel(model),
        values: ['a', 'b'],
      });
      expect(embeddings).toEqual([
        [0.25, -0.5, 0],
        [0.25, -0.5, 1],
      ]);
    },
  );

  it('leaves the choice to the gateway, from a list in its provider options', async () => {
    const result = await generateText({
      model: provider('auto'),
      prompt: 'Hi',
      providerOptions: {
        signalbox: { models: ['compatible/gpt-test', 'google/gemini-2.5-flash'] },
      },
    });
    expect(result.text).toBe('Hello');
    expect(result.response.headers?.['x-signalbox-model']).toBe('google/gemini-2.5-flash');
    const streamed = streamText({ model: provider('auto'), prompt: 'Hi' });
    expect(await streamed.text).toBe('Hello');
    expect(gateway.upstream.requests[1]?.path).toBe('/v1/messages');
  });

  it('raises a wrong key and a wrong model as errors that are not tried again', async () => {
    const stranger = createOpenAICompatible({
      name: 'signalbox',
      apiKey: 'sk_wrong',
      baseURL: gateway.baseURL,
    });
    expect(await raised(generateText({ model: stranger('auto'), prompt: 'Hi' }))).toMatchObject({
      statusCode: 401,
      isRetryable: false,
    });
    expect(
      await raised(generateText({ model: provider('no-such-model'), prompt: 'Hi' })),
    ).toMatchObject({
      statusCode: 404,
      isRetryable: false,
      message: expect.stringContaining('model'),
    });
  });
});
