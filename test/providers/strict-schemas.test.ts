import { describe, expect, it } from 'vitest';
import type { ChatRequest, ToolDefinition } from '../../src/completion.js';
import { callOf } from '../helpers/collect-stream.js';
import { adapterOf } from './accepts/adapters.js';

type Schema = Record<string, unknown>;
const text = { type: 'string' };

/** What a provider gets of a strict tool and of a strict answer, and what each lost. */
async function sent(api: string, model: string, schema: Schema) {
  const adapter = adapterOf(api);
  const got = async (request: Partial<ChatRequest>) => {
    const call = { ...callOf(request), model };
    const before = JSON.stringify(call.request);
    const { body } = await adapter.buildRequest(call, 'k');
    expect(JSON.stringify(call.request)).toBe(before);
    const lost = adapter.leftOut?.(call.request, model) ?? [];
    return { body: JSON.parse(body.toString()) as Partial<ChatRequest>, lost };
  };
  const tool = { type: 'function', function: { name: 'look', strict: true, parameters: schema } };
  const format = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } };
  // some take a form of an answer only without tools
  const called = await got({ tools: [tool as ToolDefinition] });
  const formed = await got({ response_format: format });
  const { strict, parameters } = called.body.tools![0]!.function;
  const answer = formed.body.response_format!.json_schema!;
  return {
    tool: { strict, schema: parameters },
    answer: { strict: answer.strict, schema: answer.schema },
    lost: [...new Set([...formed.lost, ...called.lost])],
  };
}

const ofOpenAI: [api: string, model: string][] = [
  ['openai', 'gpt-5-mini'],
  ['azure-openai', 'gpt-4o'],
  ['groq', 'openai/gpt-oss-120b'],
  ['openrouter', 'openai/gpt-5-mini'],
  ['openai-compatible', 'openai/gpt-4o'],
];

describe.each(ofOpenAI)('a strict schema for %s, as its %s takes it', (api, model) => {
  it('is closed, inside too, where each field is required', async () => {
    const inner = { type: 'object', properties: { default: text }, required: ['default'] };
    const open = {
      type: ['object', 'null'],
      properties: {
        a: { type: 'array', items: { anyOf: [inner, { $ref: '#/$defs/b' }] } },
        b: { ...text, default: 'x', enum: ['x', { type: 'object' }] },
      },
      required: ['a', 'b'],
      $defs: { b: inner },
    };
    const closed = { ...inner, additionalProperties: false };
    const expected = {
      strict: true,
      schema: {
        ...open,
        type: ['object', 'null'],
        properties: {
          a: { type: 'array', items: { anyOf: [closed, { $ref: '#/$defs/b' }] } },
          b: { ...text, enum: ['x', { type: 'object' }] },
        },
        additionalProperties: false,
        $defs: { b: closed },
      },
    };
    const { tool, answer, lost } = await sent(api, model, open);
    expect(answer).toEqual(expected);
    expect(tool).toEqual(expected);
    expect(lost).toEqual([]);
  });

  it.each<[string, Schema]>([
    ['optional fields', { properties: { a: text, b: text }, required: ['a'] }],
    ['fields that are all optional', { properties: { a: text } }],
    ['other fields', { properties: { a: text }, required: ['a'], additionalProperties: true }],
    ['fields of any name', { additionalProperties: text }],
    [
      'an object of which nothing is said',
      { properties: { a: { type: 'object' } }, required: ['a'] },
    ],
    ['alternatives', { properties: { a: { oneOf: [text] } }, required: ['a'] }],
  ])('with %s stays as it is, and is no longer strict', async (_name, rest) => {
    const schema = { type: 'object', ...rest };
    const { tool, answer, lost } = await sent(api, model, schema);
    expect(answer).toEqual({ strict: false, schema });
    expect(tool).toEqual({ strict: false, schema });
    expect(lost).toEqual(['response_format', 'tools']);
  });
});

it.each([
  ['mistral', 'mistral-large-latest'],
  ['xai', 'grok-4.6'],
  ['openrouter', 'anthropic/claude-sonnet-4.6'],
])('a strict schema for %s goes as it is, which it takes', async (api, model) => {
  const schema = { type: 'object', properties: { a: text, b: text }, required: ['a'] };
  const { tool, answer, lost } = await sent(api, model, schema);
  expect([tool, answer]).toEqual([
    { strict: true, schema },
    { strict: true, schema },
  ]);
  expect(lost).toEqual([]);
});

it('a strict tool without parameters has none, also at Responses', async () => {
  const tools: ChatRequest['tools'] = [
    { type: 'function', function: { name: 'now', strict: true } },
    { type: 'function', function: { name: 'then' } },
  ];
  const call = { ...callOf({ tools }), model: 'gpt-5-mini' };
  const body = async (api: string): Promise<unknown> =>
    (JSON.parse((await adapterOf(api).buildRequest(call, 'k')).body.toString()) as ChatRequest)
      .tools;
  const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false };
  expect(await body('openai')).toEqual([
    { type: 'function', function: { name: 'now', strict: true, parameters } },
    { type: 'function', function: { name: 'then' } },
  ]);
  expect(await body('openai-responses')).toMatchObject([
    { type: 'function', name: 'now', strict: true, parameters },
    { type: 'function', name: 'then', strict: false },
  ]);
});

it.each([
  ['groq', 'openai/gpt-oss-20b', { type: 'array', items: text, minItems: 1 }],
  ['cerebras', 'gpt-oss-120b', { type: 'array', items: text, maxItems: 3 }],
  ['cerebras', 'gpt-oss-120b', { ...text, pattern: '^a' }],
  ['cerebras', 'gpt-oss-120b', { ...text, format: 'date' }],
])('a strict schema for %s is no longer strict with words that it refuses', async (...row) => {
  const [api, model, field] = row;
  const schema = { type: 'object', properties: { a: field }, required: ['a'] };
  const { answer } = await sent(api, model, schema);
  expect(answer).toEqual({ strict: false, schema });
  expect((await sent('openai', 'gpt-5-mini', schema)).answer.strict).toBe(true);
});

it('tools of Cohere at OpenRouter are not strict, which Cohere refuses', async () => {
  const schema = { type: 'object', properties: { a: text }, required: ['a'] };
  const { tool, lost } = await sent('openrouter', 'cohere/command-a', schema);
  expect(tool).toEqual({ schema });
  expect(lost).toEqual(['tools']);
});
