import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI, { BadRequestError, NotFoundError, RateLimitError } from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { everyModel, ownModel, type ResponsesWorld, startResponses } from '../helpers/responses.js';

let world: ResponsesWorld;
let client: OpenAI;
beforeAll(async () => {
  world = await startResponses();
  client = new OpenAI({ apiKey: world.key, baseURL: `${world.url}/v1`, maxRetries: 0 });
});
afterAll(() => world.close());
beforeEach(() => {
  world.upstream.script([]);
  world.upstream.requests.length = 0;
});

const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
};
const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'The weather in a city',
  parameters,
  strict: true,
};
const callsWeather = {
  toolCalls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } }],
};

describe.each(everyModel)("OpenAI's SDK, with %s behind the gateway,", (model) => {
  it('creates, retrieves, lists the input of, and deletes a response', async () => {
    const response = await client.responses.create({ model, input: 'Say hello' });
    expect(response.output_text).toBe('Hello');
    expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    const found = await client.responses.retrieve(response.id);
    expect(found.output_text).toBe('Hello');
    const items = await client.responses.inputItems.list(response.id);
    const content = [{ type: 'input_text', text: 'Say hello' }];
    expect(items.data).toMatchObject([{ type: 'message', role: 'user', content }]);
    await client.responses.delete(response.id);
    await expect(client.responses.retrieve(response.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  // the scripted upstream of this dialect sends fewer events than the SDK needs
  it.skipIf(model === ownModel)('streams, and puts the pieces together itself', async () => {
    world.upstream.script([{ reasoning: ['Hm'], text: ['Grüß ', 'Gott 🦉'], ...callsWeather }]);
    const stream = client.responses.stream({ model, input: 'Weather?', tools: [weather] });
    const types = new Set<ResponseStreamEvent['type']>();
    let text = '';
    for await (const event of stream) {
      types.add(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    const response = await stream.finalResponse();
    expect(text).toBe('Grüß Gott 🦉');
    expect(response.output_text).toBe(text);
    expect(response.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
    ]);
    expect(types).toContain('response.completed');
  });

  it('parses structured output', async () => {
    world.upstream.script([{ text: ['{"city":', '"Oslo"}'] }]);
    const response = await client.responses.parse({
      model,
      input: 'Where?',
      text: { format: { type: 'json_schema', name: 'place', schema: parameters, strict: true } },
    });
    expect(response.output_parsed).toEqual({ city: 'Oslo' });
  });

  it('runs a tool over two turns by the id of the first', async () => {
    world.upstream.script([callsWeather, { text: ['Rain'] }]);
    const first = await client.responses.create({ model, input: 'Weather?', tools: [weather] });
    const [call] = first.output;
    if (call?.type !== 'function_call') throw new Error('no call');
    const second = await client.responses.create({
      model,
      tools: [weather],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'rain' }],
    });
    expect(second.output_text).toBe('Rain');
  });

  it('raises the right class of error', async () => {
    world.upstream.script([{ status: 400 }, { status: 429 }]);
    const ask = (): Promise<unknown> => client.responses.create({ model, input: 'Hi' });
    await expect(ask()).rejects.toBeInstanceOf(BadRequestError);
    await expect(ask()).rejects.toBeInstanceOf(RateLimitError);
    await expect(
      client.responses.create({ model: 'nope/nope', input: 'Hi' }),
    ).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe.each(everyModel)(
  'the AI SDK in its default mode, with %s behind the gateway,',
  (model) => {
    const openai = () => createOpenAI({ apiKey: world.key, baseURL: `${world.url}/v1` })(model);
    const tools = {
      weather: tool({
        description: 'The weather in a city',
        inputSchema: jsonSchema<{ city: string }>(parameters),
        execute: ({ city }) => ({ city, sky: 'rain' }),
      }),
    };

    it('generates in steps with tools, which refer to stored items', async () => {
      world.upstream.script([
        { reasoning: ['Hm'], ...callsWeather },
        { text: ['Rain ', 'in Oslo'] },
      ]);
      const result = await generateText({
        model: openai(),
        prompt: 'Weather?',
        tools,
        stopWhen: stepCountIs(3),
        maxRetries: 0,
      });
      expect(result.text).toBe('Rain in Oslo');
      expect(result.steps).toHaveLength(2);
      expect(JSON.stringify(world.sent())).toContain('sky');
    });

    it('streams in steps with tools', async () => {
      world.upstream.script([callsWeather, { text: ['Rain ', 'in Oslo'] }]);
      const result = streamText({
        model: openai(),
        prompt: 'Weather?',
        tools,
        stopWhen: stepCountIs(3),
        maxRetries: 0,
      });
      expect(await result.text).toBe('Rain in Oslo');
      expect(await result.finishReason).toBe('stop');
      expect(await result.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    });

    it('reads an object', async () => {
      world.upstream.script([{ text: ['{"city":"Oslo"}'] }]);
      const { output } = await generateText({
        model: openai(),
        prompt: 'Where?',
        output: Output.object({ schema: jsonSchema<{ city: string }>(parameters) }),
        maxRetries: 0,
      });
      expect(output).toEqual({ city: 'Oslo' });
    });
  },
);

describe.each(everyModel)("LangChain's Responses, with %s behind the gateway,", (model) => {
  const chat = () =>
    new ChatOpenAI({
      model,
      apiKey: world.key,
      configuration: { baseURL: `${world.url}/v1` },
      maxRetries: 0,
      useResponsesApi: true,
    });

  it('invokes, streams, and calls tools', async () => {
    const message = await chat().invoke('Say hello');
    expect(message.text).toBe('Hello');
    expect(message.usage_metadata).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    let text = '';
    for await (const chunk of await chat().stream('Say hello')) text += chunk.text;
    expect(text).toBe('Hello');
    world.upstream.script([callsWeather]);
    const { tool_calls: calls } = await chat()
      .bindTools([{ type: 'function', function: { name: 'weather', parameters } }])
      .invoke('Weather?');
    expect(calls).toMatchObject([{ name: 'weather', args: { city: 'Oslo' } }]);
  });
});

it('an input can be counted and summed up', async () => {
  const { input_tokens: tokens } = await client.responses.inputTokens.count({
    model: ownModel,
    input: 'Say hello',
  });
  expect(tokens).toBeGreaterThan(1);
  world.upstream.script([{ text: ['Short'] }]);
  const summary = await client.responses.compact({ model: ownModel, input: 'A long story' });
  const response = await client.responses.create({
    model: ownModel,
    input: summary.output as never,
  });
  expect(response.output_text).toBe('Short');
});
