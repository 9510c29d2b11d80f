import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DialectGateway,
  dialectRows,
  startDialectGateway,
} from '../helpers/dialect-gateway.js';

let gateway: DialectGateway;
beforeEach(async () => {
  gateway = await startDialectGateway();
});
afterEach(() => gateway.close());

const model = (name: string): ReturnType<ReturnType<typeof createAnthropic>> =>
  createAnthropic({ apiKey: gateway.key, baseURL: `${gateway.url}/v1` })(name);

const tools = {
  weather: tool({
    description: 'The weather in a city',
    inputSchema: jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    }),
    execute: ({ city }) => `rain in ${city}`,
  }),
};

describe.each(dialectRows)(
  "the AI SDK's Anthropic provider, with %s behind the gateway,",
  (_, name) => {
    it('answers, with usage', async () => {
      gateway.upstream.script([{ text: ['Grüß', ' Gott'], usage: { prompt: 12, completion: 7 } }]);
      const { text, finishReason, usage } = await generateText({
        model: model(name),
        prompt: 'Hi',
        maxRetries: 0,
      });
      expect({ text, finishReason }).toEqual({ text: 'Grüß Gott', finishReason: 'stop' });
      expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 7 });
    });

    it('streams reasoning, runs tools in steps and sends its reasoning back', async () => {
      gateway.upstream.script([
        { reasoning: ['Hm.'], toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] },
        { text: ['Rain.'] },
      ]);
      const result = streamText({
        model: model(name),
        prompt: 'How is Bern?',
        tools,
        stopWhen: stepCountIs(3),
        maxRetries: 0,
      });
      expect(await result.text).toBe('Rain.');
      const [first] = await result.steps;
      expect(first?.reasoningText).toBe('Hm.');
      expect(first?.toolResults).toMatchObject([{ output: 'rain in Bern' }]);
      expect(gateway.upstream.requests[1]?.raw.toString()).toContain('rain in Bern');
    });
  },
);
