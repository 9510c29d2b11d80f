import { describe, expect, it } from 'vitest';
import {
  type Body,
  type Surface,
  surfaceNames as names,
  surfacesGateway,
} from '../helpers/sent-on-surfaces.js';

const { sent } = surfacesGateway();

const messages = [{ role: 'user', content: 'Hi' }];
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const called = { name: 'weather', description: 'Tells it' };
const toolForms: Record<string, unknown[]> = {
  "Anthropic's": [{ ...called, input_schema: schema }],
  "Anthropic's, of type custom": [{ type: 'custom', ...called, input_schema: schema }],
  "chat's": [{ type: 'function', function: { ...called, parameters: schema } }],
  "chat's without its type": [{ function: { ...called, parameters: schema } }],
  "Responses'": [{ type: 'function', ...called, parameters: schema }],
  "Responses' without its type": [{ ...called, parameters: schema }],
  "Gemini's": [
    {
      functionDeclarations: [
        {
          ...called,
          parameters: { ...schema, type: 'OBJECT', properties: { city: { type: 'STRING' } } },
        },
      ],
    },
  ],
  "Bedrock's": [{ toolSpec: { ...called, inputSchema: { json: schema } } }],
  "MCP's": [{ ...called, inputSchema: schema }],
};

describe.each(names)('tools in a body of %s', (surface) => {
  it.each(Object.entries(toolForms))('may be in the form: %s', async (form, tools) => {
    expect((await sent(surface, 'chat/m', { tools }))['tools']).toMatchObject([
      { type: 'function', function: { ...called, parameters: schema } },
    ]);
    expect((await sent(surface, 'claude/claude-sonnet-4-5', { tools }))['tools']).toMatchObject([
      { ...called, input_schema: schema },
    ]);
    expect((await sent(surface, 'answers/m', { tools }))['tools']).toMatchObject([
      {
        ...{ type: 'function', ...called, parameters: schema },
        // without it all arguments would be required
        ...(surface === 'Responses' && form === "Responses'" ? {} : { strict: false }),
      },
    ]);
  });

  it.each([
    ['any', 'required', { type: 'any' }],
    ['required', 'required', { type: 'any' }],
    ['auto', 'auto', { type: 'auto' }],
    ['none', 'none', { type: 'none' }],
  ])('may be chosen by %s, also in the form of an object', async (word, ofChat, ofAnthropic) => {
    const tools = toolForms["chat's"];
    for (const tool_choice of [word, { type: word }]) {
      const fields = { tools, tool_choice };
      expect((await sent(surface, 'chat/m', fields))['tool_choice']).toEqual(ofChat);
      expect((await sent(surface, 'answers/m', fields))['tool_choice']).toEqual(ofChat);
      const ofClaude = await sent(surface, 'claude/claude-sonnet-4-5', fields);
      expect(ofClaude['tool_choice']).toEqual(ofAnthropic);
    }
  });

  it.each([
    { type: 'tool', name: 'weather' },
    { type: 'function', name: 'weather' },
    { type: 'function', function: { name: 'weather' } },
  ])('may be chosen by their name: %j', async (tool_choice) => {
    const fields = { tools: toolForms["chat's"], tool_choice };
    expect((await sent(surface, 'chat/m', fields))['tool_choice']).toEqual({
      type: 'function',
      function: { name: 'weather' },
    });
    expect((await sent(surface, 'answers/m', fields))['tool_choice']).toEqual({
      type: 'function',
      name: 'weather',
    });
    const ofClaude = await sent(surface, 'claude/claude-sonnet-4-5', fields);
    expect(ofClaude['tool_choice']).toEqual({ type: 'tool', name: 'weather' });
  });
});

const asked = { name: 'place', schema };
const formats: Record<string, Body> = {
  "chat's": { response_format: { type: 'json_schema', json_schema: asked } },
  "chat's, flat": { response_format: { type: 'json_schema', ...asked } },
  "Responses'": { text: { format: { type: 'json_schema', ...asked } } },
  "Responses', nested": { text: { format: { type: 'json_schema', json_schema: asked } } },
  "Anthropic's": { output_config: { format: { type: 'json_schema', schema } } },
  "Anthropic's earlier one": { output_format: { type: 'json_schema', schema } },
};

describe.each(names)('the schema of an answer, in a body of %s,', (surface) => {
  it.each(Object.entries(formats))('may be in the form: %s', async (_form, fields) => {
    const ofChat = await sent(surface, 'chat/m', fields);
    expect(ofChat).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema } },
    });
    expect(ofChat).not.toHaveProperty('text');
    expect(ofChat).not.toHaveProperty('output_config');
    const ofResponses = await sent(surface, 'answers/m', fields);
    expect(ofResponses).toMatchObject({ text: { format: { type: 'json_schema', schema } } });
    expect(ofResponses).not.toHaveProperty('response_format');
    const ofClaude = await sent(surface, 'claude/claude-sonnet-4-5', fields);
    const { output_config: config, output_format: format } = ofClaude;
    expect({ format, ...(config as Body | undefined) }).toMatchObject({
      format: { type: 'json_schema', schema: { properties: schema.properties } },
    });
    expect(ofClaude).not.toHaveProperty('response_format');
  });
});

it('the schema of an answer may be in the form of llama.cpp, which servers like it get', async () => {
  const response_format = { type: 'json_object', schema };
  const form = { type: 'json_schema', schema: { properties: schema.properties } };
  const of = (model: string): Promise<Body> => sent('chat', model, { response_format });
  expect((await of('chat/m'))['response_format']).toEqual(response_format);
  expect(await of('answers/m')).toMatchObject({ text: { format: { ...form, name: 'answer' } } });
  expect(await of('claude/claude-sonnet-4-5')).toMatchObject({ output_config: { format: form } });
  expect(await of('google/gemini-2.5-flash')).toMatchObject({
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  });
  expect(JSON.stringify(await of('aws/anthropic.claude-sonnet-4-5-v1:0'))).toContain('city');
  expect(await of('coral/command-a')).toMatchObject({
    response_format: { type: 'json_object', json_schema: schema },
  });
});

it.each<[Surface, Body]>([
  ['chat', formats["chat's"]!],
  ['Responses', formats["Responses'"]!],
  ['Messages', formats["Anthropic's"]!],
])(
  'the schema of an answer in the words of %s comes before one in others',
  async (surface, own) => {
    const other = { type: 'json_schema', schema: { ...schema, title: 'Other' } };
    const all = {
      response_format: other,
      text: { format: other },
      output_config: { format: other },
    };
    const { response_format: format } = await sent(surface, 'chat/m', { ...all, ...own });
    expect(format).toMatchObject({ json_schema: { schema } });
    expect(format).not.toHaveProperty('json_schema.schema.title');
  },
);

it.each(['chat', 'Responses'] as const)(
  "%s takes an effort in Anthropic's words",
  async (surface) => {
    const fields = { output_config: { effort: 'high', format: { type: 'json_schema', schema } } };
    expect(await sent(surface, 'chat/m', fields)).toMatchObject({ reasoning_effort: 'high' });
  },
);

it('Responses forwards what names no level of effort: some providers have such a field', async () => {
  for (const fields of [{ thinking: { type: 'enabled' } }, { enable_thinking: true }])
    expect(await sent('Responses', 'answers/m', fields)).toMatchObject(fields);
});

it('types in capitals are written small in schemas alone', async () => {
  const values = { enum: [{ type: 'A' }], default: { type: 'A' } };
  const parameters = { type: 'OBJECT', properties: { type: { type: 'STRING', ...values } } };
  const tools = [{ functionDeclarations: [{ ...called, parameters }] }];
  expect((await sent('chat', 'chat/m', { tools }))['tools']).toMatchObject([
    {
      function: {
        parameters: { type: 'object', properties: { type: { type: 'string', ...values } } },
      },
    },
  ]);
});

/** What is no schema of 2020-12, and what it is to one: reports on Claude, OpenAI, Grok and Gemini. */
const olderSchemas: [string, Body, Body][] = [
  ['a list without items', { type: 'array' }, { type: 'array', items: {} }],
  [
    'a list without items, or none',
    { type: ['array', 'null'], items: null },
    { type: ['array', 'null'], items: {} },
  ],
  [
    'a list of items, as in draft 7',
    { type: 'array', items: [{ type: 'INTEGER' }], additionalItems: false },
    { type: 'array', items: false, prefixItems: [{ type: 'integer' }] },
  ],
  [
    'a limit that is excluded, as in draft 4',
    { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    { type: 'number', exclusiveMinimum: 0, maximum: 9 },
  ],
  ['a mark that it is required', { type: 'string', required: true }, { type: 'string' }],
  [
    'types of Python',
    { anyOf: [{ type: 'str' }, { type: 'None' }, { type: 'any' }] },
    { anyOf: [{ type: 'string' }, { type: 'null' }, {}] },
  ],
  [
    'keywords that are null or of another type',
    { type: 'string', description: null, enum: [], minLength: '1', default: null, anyOf: [] },
    { type: 'string', default: null },
  ],
  [
    'fields that are no schemas, and fields named as keywords are',
    { type: 'object', properties: { a: 'text', items: true, enum: { type: 'INT' } } },
    { type: 'object', properties: { a: {}, items: true, enum: { type: 'integer' } } },
  ],
  [
    'what has no meaning',
    { type: 'integer', maximum: 9e15, 'x-hint': { type: 'ANY', required: true } },
    { type: 'integer', maximum: 9e15, 'x-hint': { type: 'ANY', required: true } },
  ],
];

describe.each(names)('schemas of older drafts, in a body of %s,', (surface) => {
  it.each(olderSchemas)('are those of 2020-12: %s', async (_what, written, right) => {
    const parametersOf = (field: Body) => ({ type: 'object', properties: { field } });
    const tools = [{ ...called, description: null, input_schema: parametersOf(written) }];
    const parameters = parametersOf(right);
    const { tools: ofChat } = await sent(surface, 'chat/m', { tools });
    expect(ofChat).toMatchObject([{ function: { name: called.name } }]);
    const [{ function: told }] = ofChat as [{ function: Body }];
    expect(told['parameters']).toEqual(parameters);
    expect(told).not.toHaveProperty('description');
    const ofClaude = await sent(surface, 'claude/claude-sonnet-4-5', { tools });
    expect(ofClaude['tools']).toEqual([{ name: called.name, input_schema: parameters }]);
    const ofResponses = await sent(surface, 'answers/m', { tools });
    expect(ofResponses['tools']).toMatchObject([{ parameters }]);
  });
});

it.each(olderSchemas)(
  'the schema of an answer is one of 2020-12: %s',
  async (_what, list, right) => {
    const form = {
      type: 'json_schema',
      json_schema: { name: 'a', schema: { properties: { list } } },
    };
    const { response_format: sentForm } = await sent('chat', 'chat/m', { response_format: form });
    expect(sentForm).toMatchObject({ json_schema: { schema: { properties: { list: right } } } });
  },
);

describe.each(names)('empty objects that PHP wrote as lists, in a body of %s,', (surface) => {
  const inner = { type: 'object', properties: { deep: { type: 'object', properties: [] } } };
  it.each<[string, unknown, Body]>([
    ['the parameters of a tool', [], { type: 'object', properties: {} }],
    ['their fields', { type: 'object', properties: [] }, { type: 'object', properties: {} }],
    [
      'fields of fields',
      { type: 'object', properties: { list: { type: 'array', items: inner } } },
      { properties: { list: { items: { properties: { deep: { properties: {} } } } } } },
    ],
  ])('are objects: %s', async (_what, written, parameters) => {
    const forms = [
      { type: 'function', function: { ...called, parameters: written } },
      { type: 'function', ...called, parameters: written },
      { ...called, input_schema: written },
    ];
    for (const form of forms) {
      const tools = [structuredClone(form)];
      const ofChat = await sent(surface, 'chat/m', { tools });
      expect(ofChat['tools']).toMatchObject([{ function: { parameters } }]);
      const ofClaude = await sent(surface, 'claude/claude-sonnet-4-5', { tools });
      expect(ofClaude['tools']).toMatchObject([{ input_schema: parameters }]);
      const ofResponses = await sent(surface, 'answers/m', { tools });
      expect(ofResponses['tools']).toMatchObject([{ parameters }]);
    }
  });

  it('are left out among the fields of the body', async () => {
    const fields = { metadata: [], logit_bias: [], stream_options: [] };
    for (const model of ['chat/m', 'claude/claude-sonnet-4-5', 'answers/m']) {
      const body = await sent(surface, model, fields);
      for (const field of ['metadata', 'logit_bias']) expect(body).not.toHaveProperty(field);
      expect(body['stream_options'] ?? {}).not.toEqual([]);
    }
  });
});

const text = (said: string): Body => ({
  type: 'text',
  text: said,
  cache_control: { type: 'ephemeral' },
});
const item = (said: string, type: string): Body => ({
  ...{ type: 'message', role: 'developer' },
  content: type === 'text' ? said : [{ type, text: said }],
});
it.each([
  { instructions: [text('Be kind'), text('Be brief')] },
  { system: [text('Be kind'), text('Be brief')] },
  { instructions: [item('Be kind', 'input_text'), item('Be brief', 'text')] },
])('Responses takes instructions as a list of blocks, and of items: %j', async (list) => {
  expect(await sent('Responses', 'answers/m', list)).toMatchObject({
    instructions: 'Be kind\nBe brief',
  });
  expect((await sent('Responses', 'chat/m', list))['messages']).toMatchObject([
    { role: 'system', content: 'Be kind\nBe brief' },
    { role: 'user' },
  ]);
});

describe.each(['chat', 'Messages', 'Responses'] as const)(
  'an effort in a body of %s',
  (surface) => {
    it.each([
      [{ reasoning_effort: 'high' }, 'high'],
      [{ reasoning: { effort: 'high' } }, 'high'],
      [{ thinking: { type: 'enabled', budget_tokens: 4_000 } }, 'medium'],
    ])('may be %j', async (fields, effort) => {
      const ofOpenAI = await sent(surface, 'openai/gpt-5-mini', fields);
      expect(ofOpenAI).toMatchObject({ reasoning_effort: effort });
      expect(ofOpenAI).not.toHaveProperty('reasoning');
      expect(ofOpenAI).not.toHaveProperty('thinking');
      const ofResponses = await sent(surface, 'answers/gpt-5-mini', fields);
      expect(ofResponses).toMatchObject({ reasoning: { effort } });
      expect(ofResponses).not.toHaveProperty('reasoning_effort');
      const ofClaude = await sent(surface, 'claude/claude-sonnet-4-5', fields);
      expect(ofClaude).toMatchObject({ thinking: { type: 'enabled' } });
      expect(ofClaude).not.toHaveProperty('reasoning');
      expect(ofClaude).not.toHaveProperty('reasoning_effort');
    });
  },
);

it('leaves the words of OpenRouter to OpenRouter alone, which refuses an effort beside them', async () => {
  const reasoning = { max_tokens: 2_000, exclude: true };
  const ofRouter = await sent('chat', 'router/x-ai/grok-4', { reasoning });
  expect(ofRouter).toMatchObject({ reasoning });
  expect(ofRouter).not.toHaveProperty('reasoning_effort');
});

it.each<[Surface, Body, Body]>([
  ['chat', { max_output_tokens: 50, stop_sequences: ['x'] }, { max_tokens: 50, stop: ['x'] }],
  ['Messages', { max_tokens: undefined, max_completion_tokens: 50 }, { max_tokens: 50 }],
  ['Messages', { instructions: 'Be kind' }, { messages: [{ role: 'system', content: 'Be kind' }] }],
  ['Responses', { max_completion_tokens: 50 }, { max_completion_tokens: 50 }],
  ['Responses', { system: 'Be kind' }, { messages: [{ content: 'Be kind' }] }],
])('%s takes the names that others have for its fields: %j', async (surface, fields, expected) => {
  const ofChat = await sent(surface, 'chat/m', fields);
  if (!expected['messages']) expect(ofChat).toMatchObject(expected);
  else
    expect(ofChat['messages']).toMatchObject([
      ...(expected['messages'] as Body[]),
      { role: 'user' },
    ]);
});

it.each(['chat', 'native'] as const)('%s takes arguments of calls as objects', async (surface) => {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'weather', arguments: { city: 'Rome', id: 1 } },
  };
  const history = [
    ...messages,
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
  ];
  const { messages: got } = await sent(surface, 'chat/m', { messages: history });
  const called = { name: 'weather', arguments: '{"city":"Rome","id":1}' };
  expect(got).toMatchObject([{}, { tool_calls: [{ function: called }] }, { role: 'tool' }]);
});

it('Messages takes a turn of the developer as one of the system', async () => {
  const history = [{ role: 'developer', content: 'Be kind' }, ...messages];
  const { messages: got } = await sent('Messages', 'chat/m', { messages: history });
  expect(got).toMatchObject([{ role: 'system', content: 'Be kind' }, { role: 'user' }]);
});

it.each(names.flatMap((surface) => ['', 'auto'].map((word) => [word, surface] as const)))(
  'an effort of "%s" is none, from %s',
  async (word, surface) => {
    const fields = {
      reasoning_effort: word,
      ...(surface === 'Responses' ? { reasoning: { effort: word, summary: 'auto' } } : {}),
    };
    const chat = await sent(surface, 'chat/m', fields);
    expect(chat).not.toHaveProperty('reasoning_effort');
    const claude = await sent(surface, 'claude/claude-sonnet-4-5', fields);
    expect(claude).not.toHaveProperty('thinking');
    const own = await sent(surface, 'answers/m', fields);
    expect(own['reasoning'] ?? {}).not.toHaveProperty('effort');
  },
);

it.each(['chat', 'Messages', 'Responses'] as const)(
  'a field extra_body has fields of the body, which come first, from %s',
  async (surface) => {
    const google = { thinking_config: { thinking_budget: 0 } };
    const extra_body = { top_p: 0.5, temperature: 0, google };
    const fields = { temperature: 1, extra_body };
    for (const model of ['openai/gpt-4o', 'answers/gpt-4o']) {
      const body = await sent(surface, model, fields);
      expect(body).toMatchObject({ temperature: 1, top_p: 0.5 });
      expect(Object.keys(body).join()).not.toMatch(/extra_body|google/);
    }
    const { generationConfig } = await sent(surface, 'google/gemini-2.5-flash', fields);
    expect(generationConfig).toMatchObject({ temperature: 1, topP: 0.5 });
    for (const model of ['chat/m', 'answers/m', 'claude/claude-sonnet-4-5'])
      expect(await sent(surface, model, { extra_body: {} })).not.toHaveProperty('extra_body');
  },
);

it('Responses takes numbers as results of tools, and calls that have their id in another field', async () => {
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'function_call', call_id: 'c1', name: 'count', arguments: '{}' },
    { type: 'function_call', id: 'c2', name: 'ask', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 7 },
    { type: 'function_call_output', call_id: 'c2', output: false },
  ];
  expect((await sent('Responses', 'chat/m', { input }))['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 'c1' }, { id: 'c2' }] },
    { role: 'tool', tool_call_id: 'c1', content: '7' },
    { role: 'tool', tool_call_id: 'c2', content: 'false' },
  ]);
});

it('Messages leaves out instructions that are an empty text', async () => {
  const { messages: turns } = await sent('Messages', 'chat/m', { system: '' });
  expect(turns).toEqual(messages);
});
