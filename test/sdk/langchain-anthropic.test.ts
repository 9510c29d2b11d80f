import { ChatAnthropic } from '@langchain/anthropic';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DialectGateway,
  dialectRows,
  startDialectGateway,
} from '../helpers/dialect-gateway.js';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.close());
beforeEach(() => gateway.upstream.script([]));

const chat = (model: string): ChatAnthropic =>
  new ChatAnthropic({
    model,
    apiKey: gateway.auth.authorization.replace('Bearer ', ''),
    anthropicApiUrl: gateway.url,
    maxRetries: 0,
    maxTokens: 100,
  });
const weather = {
  name: 'weather',
  description: 'The weather in a city',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;
const calling = { toolCalls: [{ id: 'c1', name: 'weather', arguments: { city: 'Rome' } }] };
const usage = { prompt: 12, completion: 7 };

describe.each(dialectRows)("LangChain's ChatAnthropic, over %s,", (dialect, model) => {
  it('invokes and streams: text and usage', async () => {
    gateway.upstream.script([{ text: ['Grüß', ' Gott'], usage }]);
    const message = await chat(model).invoke([
      ['system', 'Be brief.'],
      ['human', 'Say hello'],
    ]);
    expect(message.text).toBe('Grüß Gott');
    expect(message.usage_metadata).toMatchObject({ input_tokens: 12, output_tokens: 7 });
    const pieces = [];
    for await (const piece of await chat(model).stream('Say hello')) pieces.push(piece);
    const whole = pieces.reduce((before, piece) => before.concat(piece));
    expect(whole.text).toBe('Grüß Gott');
    // LangChain adds what a provider of Messages states at the start and at the end
    expect(whole.usage_metadata?.output_tokens).toBe(dialect === 'Anthropic' ? 8 : 7);
  });

  it('calls tools, and gets objects of a schema', async () => {
    gateway.upstream.script([calling]);
    const message = await chat(model).bindTools([weather]).invoke('The weather in Rome?');
    expect(message.tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Rome' } }]);
    gateway.upstream.script([
      { toolCalls: [{ id: 'c2', name: 'place', arguments: { city: 'Rome' } }] },
    ]);
    const structured = chat(model).withStructuredOutput(weather.schema, {
      name: 'place',
      method: 'functionCalling',
    });
    expect(await structured.invoke('Where?')).toEqual({ city: 'Rome' });
  });

  it('raises what the provider refuses', async () => {
    gateway.upstream.script([{ status: 400, body: { error: { message: 'no such thing' } } }]);
    await expect(chat(model).invoke('Hi')).rejects.toMatchObject({ status: 400 });
  });
});
