import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../src/completion.js';
import { callOf } from '../helpers/collect-stream.js';
import { at } from '../helpers/json.js';
import { adapterOf } from './accepts/adapters.js';

/** What a provider gets of a request. */
async function sent(api: string, model: string, request: Partial<ChatRequest>) {
  const { body } = await adapterOf(api).buildRequest({ ...callOf(request), model }, 'k');
  return JSON.parse(body.toString()) as Partial<ChatRequest>;
}

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const bySchema = { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } };
const byObject = { response_format: { type: 'json_object' } };
const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'look' } }];
const said = ({ messages }: Partial<ChatRequest>): string => JSON.stringify(messages);

describe('the form of an answer', () => {
  it.each([
    ['deepseek', 'deepseek-v4-pro'],
    ['zai', 'glm-5'],
    ['groq', 'qwen/qwen3-32b'],
  ])('by a schema is at %s a JSON object and the schema in words: %s', async (api, model) => {
    const got = await sent(api, model, bySchema);
    expect(got.response_format).toEqual({ type: 'json_object' });
    expect(got.messages?.[0]).toMatchObject({ role: 'system' });
    expect(got.messages?.[0]?.content).toContain(JSON.stringify(schema));
    expect(adapterOf(api).leftOut?.({ ...callOf(bySchema).request }, model)).toContain(
      'response_format',
    );
  });

  it.each([
    ['groq', 'openai/gpt-oss-120b'],
    ['mistral', 'mistral-large-latest'],
    ['perplexity', 'sonar'],
    ['alibaba', 'qwen-plus'],
    ['openai', 'gpt-4o'],
  ])('by a schema stays at %s: %s', async (api, model) => {
    const got = await sent(api, model, bySchema);
    expect(got).toMatchObject(bySchema);
    expect(said(got)).not.toMatch(/json/i);
  });

  it('as an object is asked for in words at Perplexity, which has schemas alone', async () => {
    const got = await sent('perplexity', 'sonar', byObject);
    expect(got).not.toHaveProperty('response_format');
    expect(got.messages?.[0]?.content).toMatch(/JSON/);
  });

  it.each(['openai', 'azure-openai', 'groq', 'deepseek', 'alibaba'])(
    'as an object has the word JSON at %s, which refuses it otherwise',
    async (api) => {
      const model = api === 'groq' ? 'openai/gpt-oss-20b' : 'some-model';
      const system = { role: 'system', content: 'Be kind' };
      const messages = [system, { role: 'user', content: 'Hi' }];
      const got = await sent(api, model, { ...byObject, messages });
      expect(got).toMatchObject(byObject);
      expect(got.messages).toMatchObject([{ role: 'system' }, { content: 'Hi' }]);
      expect(got.messages?.[0]?.content).toMatch(/^Be kind\n\n.*JSON/);
      const named = [system, { role: 'user', content: [{ type: 'text', text: 'As json' }] }];
      expect(said(await sent(api, model, { ...byObject, messages: named }))).not.toMatch(/JSON/);
    },
  );

  it('beside tools or a search is asked for in words at Gemini before 3, which refuses both', async () => {
    const searching = { web_search_options: {} };
    for (const form of [bySchema, byObject])
      for (const beside of [{ tools }, searching]) {
        const old: object = await sent('gemini', 'gemini-2.5-flash', { ...form, ...beside });
        expect(old).toHaveProperty('tools');
        expect(old).not.toHaveProperty('generationConfig');
        expect(JSON.stringify(at(old, 'systemInstruction'))).toMatch(/JSON/);
        const newer: object = await sent('gemini', 'gemini-3-pro-preview', { ...form, ...beside });
        expect(at(newer, 'generationConfig', 'responseMimeType')).toBe('application/json');
        expect(newer).not.toHaveProperty('systemInstruction');
      }
  });

  it('beside tools is asked for in words at Groq, which refuses both', async () => {
    for (const form of [bySchema, byObject]) {
      const got = await sent('groq', 'openai/gpt-oss-120b', { ...form, tools });
      expect(got).not.toHaveProperty('response_format');
      expect(got).toHaveProperty('tools');
      expect(got.messages?.[0]?.content).toMatch(/JSON/);
    }
  });
});

describe('sampling', () => {
  it.each(['mistral', 'deepseek', 'zai', 'perplexity', 'nvidia', 'vllm'])(
    'by a top_p of 0 has at %s the lowest that it takes',
    async (api) => {
      expect(await sent(api, 'some-model', { top_p: 0 })).toMatchObject({ top_p: 0.01 });
      expect(await sent(api, 'some-model', { top_p: 0.5 })).toMatchObject({ top_p: 0.5 });
    },
  );

  it('without choice has no top_p at Mistral, which takes no other than 1 then', async () => {
    const greedy = { temperature: 0, top_p: 0.9 };
    const got = await sent('mistral', 'mistral-small-latest', greedy);
    expect(got).toMatchObject({ temperature: 0 });
    expect(got).not.toHaveProperty('top_p');
  });

  it.each(['groq', 'deepseek', 'perplexity', 'zai'])(
    'of several answers is refused for %s, so that another model gives them',
    async (api) => {
      await expect(sent(api, 'some-model', { n: 2 })).rejects.toMatchObject({
        code: 'request_refused',
        field: 'n',
      });
      expect(await sent(api, 'some-model', { n: 1 })).toMatchObject({ n: 1 });
    },
  );
});

it('Groq gets no names of users, which it refuses', async () => {
  const messages = [{ role: 'user', name: 'Jane', content: 'Hi' }];
  const { messages: got } = await sent('groq', 'openai/gpt-oss-20b', { messages });
  expect(got?.[0]).not.toHaveProperty('name');
});
