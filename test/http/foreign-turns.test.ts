import { describe, expect, it } from 'vitest';
import {
  type Body,
  type Surface,
  surfaceNames,
  surfacesGateway,
} from '../helpers/sent-on-surfaces.js';

const { raw, sent } = surfacesGateway();

const claude = 'claude/claude-sonnet-4-5';
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const url = `data:image/png;base64,${pixel}`;
const file = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' };
const call = (id: string, city: string): Body => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});

/** The same conversation in the words of three APIs. */
const conversations: Record<'chat' | 'Messages' | 'Responses', Body[]> = {
  chat: [
    { role: 'system', content: 'Be kind' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url } },
        { type: 'file', file },
      ],
    },
    {
      role: 'assistant',
      content: 'I ask.',
      reasoning_content: 'Hm',
      refusal: null,
      annotations: [],
      tool_calls: [call('c1', 'Rome'), call('c2', 'Oslo')],
    },
    { role: 'tool', tool_call_id: 'c1', name: 'weather', content: 'Sunny' },
    { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'Rainy' }] },
    { role: 'user', name: 'Jane', content: 'And?' },
  ],
  Messages: [
    { role: 'system', content: 'Be kind' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        {
          type: 'document',
          title: 'a.pdf',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQ=' },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: '' },
        { type: 'text', text: 'I ask.' },
        { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Rome' } },
        { type: 'tool_use', id: 'c2', name: 'weather', input: { city: 'Oslo' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'Sunny' },
        { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'Rainy' }] },
        { type: 'text', text: 'And?' },
      ],
    },
  ],
  Responses: [
    { role: 'developer', content: 'Be kind' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look' },
        { type: 'input_image', image_url: url },
        { type: 'input_file', ...file },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }] },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I ask.', annotations: [] }],
    },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' },
    { type: 'function_call', call_id: 'c2', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'Sunny' },
    {
      type: 'function_call_output',
      call_id: 'c2',
      output: [{ type: 'input_text', text: 'Rainy' }],
    },
    { role: 'user', content: 'And?' },
  ],
};
const fieldOf = (surface: Surface): string => (surface === 'Responses' ? 'input' : 'messages');

describe.each(['chat', 'native', 'Messages', 'Responses'] as const)(
  'a conversation in a body of %s',
  (surface) => {
    // the native API has no blocks of other APIs
    const known = Object.entries(conversations).filter(
      ([words]) => surface !== 'native' || words !== 'Messages',
    );
    it.each(known)('may be in the words of %s', async (words, turns) => {
      const fields = { [fieldOf(surface)]: turns };
      const { messages: ofChat } = await sent(surface, 'chat/m', fields);
      expect(ofChat).toMatchObject([
        { role: 'system', content: 'Be kind' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url } },
            { type: 'file', file },
          ],
        },
        {
          role: 'assistant',
          content: 'I ask.',
          reasoning_content: 'Hm',
          tool_calls: [call('c1', 'Rome'), call('c2', 'Oslo')],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
        { role: 'tool', tool_call_id: 'c2' },
        { role: 'user', content: 'And?' },
      ]);
      expect(JSON.stringify(ofChat)).toContain('Rainy');

      const { messages: ofClaude } = await sent(surface, claude, fields);
      const said = (ofClaude as Body[]).filter(({ role }) => role !== 'system');
      expect(said[0]).toMatchObject({
        content: [
          { type: 'text' },
          { type: 'image', source: { data: pixel } },
          { type: 'document' },
        ],
      });
      expect(said[1]!['content']).toMatchObject([
        { type: 'text', text: 'I ask.' },
        { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Rome' } },
        { type: 'tool_use', id: 'c2', name: 'weather', input: { city: 'Oslo' } },
      ]);
      expect(said[2]!['content']).toMatchObject([
        { type: 'tool_result', tool_use_id: 'c1' },
        { type: 'tool_result', tool_use_id: 'c2' },
        ...(said.length === 3 ? [{ type: 'text', text: 'And?' }] : []),
      ]);
      // Anthropic refuses fields of turns that it does not know
      for (const turn of said) expect(Object.keys(turn).sort()).toEqual(['content', 'role']);

      const { input } = await sent(surface, 'answers/m', fields);
      const items = (input as Body[]).filter(({ type }) => type !== 'reasoning');
      expect(items).toMatchObject([
        ...(items.length === 8 ? [{ content: 'Be kind' }] : []),
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: url },
            { type: 'input_file', file_data: file.file_data },
          ],
        },
        { role: 'assistant' },
        { type: 'function_call', call_id: 'c1', arguments: '{"city":"Rome"}' },
        { type: 'function_call', call_id: 'c2', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'Sunny' },
        { type: 'function_call_output', call_id: 'c2' },
        { role: 'user' },
      ]);
    });
  },
);

const others: [block: Body | null, ofClaude: Body | null][] = [
  [{ type: 'thinking', thinking: 'Hm', signature: '' }, null],
  [{ type: 'thinking', thinking: 'Hm' }, null],
  [{ type: 'redacted_thinking', data: '' }, null],
  [{ type: 'text', text: '' }, null],
  [
    { type: 'thinking', thinking: 'Hm', signature: 's', cache_control: { type: 'ephemeral' } },
    { type: 'thinking', thinking: 'Hm', signature: 's' },
  ],
  [
    { type: 'text', text: ' \n' },
    { type: 'text', text: ' \n' },
  ],
  [
    { type: 'thinking', thinking: '', signature: 's' },
    { type: 'thinking', thinking: '', signature: 's' },
  ],
  [
    { type: 'tool_use', id: 'c1', name: 'weather', input: {} },
    { type: 'tool_use', id: 'c1', name: 'weather', input: {} },
  ],
];
it('what Claude refuses of a history in Messages is left out for Claude, and nothing for others', async () => {
  const content = [...others.map(([block]) => block), { type: 'text', text: 'I ask.' }];
  const result = (text: string): Body => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text }] }],
  });
  const empty = { role: 'assistant', content: [{ type: 'text', text: '' }] };
  const system = [
    { type: 'text', text: '' },
    { type: 'text', text: 'Be kind' },
  ];
  const messages = [
    { role: 'user', content: 'Hi' },
    empty,
    { role: 'assistant', content: '' },
    { role: 'user', content: 'Go on' },
    { role: 'assistant', content },
    result(''),
  ];
  expect(await sent('Messages', claude, { messages, system })).toMatchObject({
    system: [{ type: 'text', text: 'Be kind' }],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Go on' },
      {
        role: 'assistant',
        content: [...others.flatMap(([, block]) => block ?? []), { type: 'text', text: 'I ask.' }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [] }] },
    ],
  });
  expect(await sent('Messages', 'claude/kimi-k2.5', { messages, system })).toMatchObject({
    system,
    messages,
  });
});

it('Claude goes on with a turn of others that began unsigned, without a budget for thinking', async () => {
  const thinking = { type: 'enabled', budget_tokens: 2_000 };
  const loop = (signature: string): Body[] => [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature },
        { type: 'tool_use', id: 'c1', name: 'weather', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'Sunny' }] },
  ];
  const sentOf = (messages: Body[]): Promise<Body> =>
    sent('Messages', claude, { messages, thinking });
  expect(await sentOf(loop(''))).not.toHaveProperty('thinking');
  expect(await sentOf([...loop(''), { role: 'user', content: 'And?' }])).toMatchObject({
    thinking,
  });
  expect(await sentOf(loop('s'))).toMatchObject({ thinking, messages: loop('s') });
});

it('what a client itself says to Claude is never left out', async () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello, ' },
    { role: 'user', content: [{ type: 'text', text: '' }] },
  ];
  expect(await sent('Messages', claude, { messages })).toMatchObject({ messages });
});

it.each<[Surface, Body]>([
  ['chat', { messages: undefined, input: 'Hi', instructions: 'Be kind' }],
  ['chat', { messages: undefined, input: conversations.Responses.slice(1, 2) }],
  ['chat', { system: 'Be kind' }],
  ['Messages', { messages: undefined, input: 'Hi', system: 'Be kind' }],
  ['Responses', { input: undefined, messages: conversations.chat.slice(0, 2) }],
])('%s takes the conversation by the name that others have for it', async (surface, fields) => {
  const { messages, ...body } = await sent(surface, 'chat/m', fields);
  const said = JSON.stringify(messages);
  expect(said).toMatch(/Hi|Look/);
  if (JSON.stringify(fields).includes('Be kind'))
    expect(messages).toMatchObject([{ role: 'system', content: 'Be kind' }, { role: 'user' }]);
  for (const field of ['input', 'system', 'instructions']) expect(body).not.toHaveProperty(field);
});

describe.each(['chat', 'native', 'Messages', 'Responses'] as const)(
  'a result that is an object, in a body of %s,',
  (surface) => {
    const content = { degrees: 20, id: 1 };
    const results: Record<string, Body[]> = {
      chat: [{ role: 'tool', tool_call_id: 'c1', content }],
      Messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content }] }],
      Responses: [{ type: 'function_call_output', call_id: 'c1', output: content }],
    };
    const calls = {
      chat: { role: 'assistant', content: null, tool_calls: [call('c1', 'Rome')] },
      Messages: {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Rome' } }],
      },
      Responses: {
        type: 'function_call',
        call_id: 'c1',
        name: 'weather',
        arguments: '{"city":"Rome"}',
      },
    };
    const own = surface === 'native' ? 'chat' : surface;

    it('becomes its JSON', async () => {
      const turns = [{ role: 'user', content: 'Hi' }, calls[own], ...results[own]!];
      const fields = { [fieldOf(surface)]: turns };
      const text = JSON.stringify(content);
      expect((await sent(surface, 'chat/m', fields))['messages']).toMatchObject([
        {},
        {},
        { role: 'tool', tool_call_id: 'c1', content: text },
      ]);
      const ofClaude = JSON.stringify((await sent(surface, claude, fields))['messages']);
      expect(ofClaude).toContain(JSON.stringify(text));
      const { input } = await sent(surface, 'answers/m', fields);
      expect((input as Body[]).at(-1)).toMatchObject({ call_id: 'c1', output: text });
    });
  },
);

const asked = { role: 'user', content: 'Hi' };
/** Two calls of one function, each with its result. */
const withoutIds: Record<string, Body[]> = {
  "OpenAI's older form": [
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
    { role: 'function', name: 'f', content: 'one' },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":2}' } },
    { role: 'function', name: 'f', content: 'two' },
  ],
  "Ollama's form": [
    { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
    { role: 'tool', tool_name: 'f', content: 'one' },
    {
      role: 'assistant',
      tool_calls: [
        { function: { name: 'g', arguments: {} } },
        { function: { name: 'f', arguments: { a: 2 } } },
      ],
    },
    { role: 'tool', tool_name: 'f', content: 'two' },
    { role: 'tool', tool_name: 'g', content: 'three' },
  ],
};

describe.each(Object.entries(withoutIds))('calls in %s', (_form, turns) => {
  it.each(surfaceNames)('have an id each, which their results name, from %s', async (surface) => {
    const fields = { [fieldOf(surface)]: [asked, ...turns] };
    const { messages } = await sent(surface, claude, fields);
    const blocks = (messages as Body[]).flatMap(({ content }) => content as Body[]);
    const { input } = await sent(surface, 'answers/m', fields);
    const known = [
      ...blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, input: args }) => ({ id, args: JSON.stringify(args) })),
      ...(input as Body[])
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id: id, arguments: args }) => ({ id, args })),
    ];
    const results = [
      ...blocks
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id: id, content }) => ({ id, said: JSON.stringify(content) })),
      ...(input as Body[])
        .filter(({ type }) => type === 'function_call_output')
        .map(({ call_id: id, output }) => ({ id, said: JSON.stringify(output) })),
    ];
    const half = known.length / 2;
    expect(new Set(known.slice(0, half).map(({ id }) => id)).size).toBe(half);
    const answerTo = (args: string) => {
      const ids = known.filter((one) => one.args === args).map(({ id }) => id);
      expect(ids).toHaveLength(2);
      return ids.map((id) => results.find((one) => one.id === id)?.said);
    };
    for (const said of answerTo('{"a":1}')) expect(said).toContain('one');
    for (const said of answerTo('{"a":2}')) expect(said).toContain('two');
  });
});

const imageAt = { url: 'https://images.example/a.png' };

it.each<[string, Surface, Body, Body[]]>([
  [
    'an input that PHP wrote as a list',
    'Messages',
    {
      messages: [
        asked,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: [] }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }] },
      ],
    },
    [{}, { tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{}' } }] }, {}],
  ],
  [
    'an input that is text',
    'Messages',
    {
      messages: [
        asked,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c1', name: 'f', input: '{"a":1}' }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }] },
      ],
    },
    [{}, { tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{"a":1}' } }] }, {}],
  ],
  [
    'a part without a message',
    'Responses',
    { input: [{ type: 'input_text', text: 'Hi' }] },
    [asked],
  ],
  [
    'arguments that are an object',
    'Responses',
    {
      input: [
        asked,
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: { a: 1 } },
        { type: 'function_call_output', call_id: 'c1', output: 'x' },
      ],
    },
    [{}, { tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{"a":1}' } }] }, {}],
  ],
  [
    'arguments that are encoded twice',
    'Responses',
    {
      input: [
        asked,
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '"{\\"a\\":1}"' },
        { type: 'function_call_output', call_id: 'c1', output: 'x' },
      ],
    },
    [{}, { tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{"a":1}' } }] }, {}],
  ],
  [
    'arguments that are encoded twice',
    'chat',
    {
      messages: [
        asked,
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '"{\\"a\\":1}"' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'x' },
      ],
    },
    [{}, { tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{"a":1}' } }] }, {}],
  ],
  [
    'what one agent of Codex tells another',
    'Responses',
    {
      input: [
        {
          ...{ type: 'agent_message', id: 'a1', author: '/root', recipient: '/root/child' },
          content: [
            { type: 'input_text', text: 'Task:' },
            { type: 'encrypted_content', encrypted_content: 'count the files' },
          ],
        },
      ],
    },
    [{ role: 'user', content: [{ text: 'Task:' }, { text: 'count the files' }] }],
  ],
  [
    "an image as chat's object",
    'Responses',
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: imageAt }] }] },
    [{ content: [{ type: 'image_url', image_url: imageAt }] }],
  ],
  [
    "the AI SDK's reasoning",
    'chat',
    {
      messages: [
        asked,
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm' },
            { type: 'text', text: 'Yes' },
          ],
        },
        asked,
      ],
    },
    [{}, { content: 'Yes', reasoning_content: 'Hm' }, {}],
  ],
  [
    'an image that a model made, and one among instructions',
    'chat',
    {
      messages: [
        { role: 'system', content: [{ type: 'image_url', image_url: imageAt }] },
        asked,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { ...imageAt, detail: null } },
          ],
        },
        asked,
      ],
    },
    [
      { role: 'system', content: '(An image follows.)' },
      { role: 'user', content: [{ type: 'image_url', image_url: imageAt }] },
      {},
      { role: 'assistant', content: [{ type: 'text', text: 'See' }] },
      { role: 'user', content: [{ type: 'image_url', image_url: imageAt }] },
      {},
    ],
  ],
  [
    'a call without a name',
    'chat',
    {
      messages: [
        asked,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: '', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'there is no such tool' },
      ],
    },
    [{}, { tool_calls: [{ id: 'c1', function: { name: 'unnamed', arguments: '{}' } }] }, {}],
  ],
  [
    'no arguments',
    'chat',
    {
      messages: [
        asked,
        { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'f' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'x' },
      ],
    },
    [{}, { tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{}' } }] }, {}],
  ],
])('reads %s, in a body of %s', async (_what, surface, fields, expected) => {
  expect((await sent(surface, 'chat/m', fields))['messages']).toMatchObject(expected);
  const ownModel = surface === 'Messages' ? claude : 'answers/m';
  const own = JSON.stringify(await sent(surface, ownModel, fields));
  expect(own).not.toMatch(/"input":("|\[\])|"arguments":\{|"image_url":\{|agent_message/);
});

it('Messages takes max_tokens of 0 to providers of its own, whose caches that fills', async () => {
  expect(await sent('Messages', claude, { max_tokens: 0 })).toMatchObject({ max_tokens: 0 });
  const response = await fetch(`${raw.gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { ...raw.gateway.auth, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat/m', messages: [asked], max_tokens: 0 }),
  });
  expect(`${response.status} ${await response.text()}`).toMatch(/^400 .*`max_tokens: 0`/);
});

it.each<[Surface, string]>([
  ['chat', 'max_tokens'],
  ['chat', 'max_completion_tokens'],
  ['chat', 'max_output_tokens'],
  ['Messages', 'max_tokens'],
  ['Responses', 'max_output_tokens'],
  ['Responses', 'max_tokens'],
])('a negative limit means none: %s, %s', async (surface, field) => {
  const body = await sent(surface, 'chat/m', { [field]: -1 });
  const limits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
  for (const limit of limits) expect(body[limit] ?? 1).toBeGreaterThan(0);
});

const long = `call_${'x'.repeat(80)}`;
it.each<[string, Body[], Body[]]>([
  [
    'ids of another maker',
    [
      { type: 'message', id: 'chatcmpl-1', role: 'assistant', content: 'I ask.' },
      { type: 'reasoning', id: 'x'.repeat(416), summary: [], encrypted_content: 'gAAAA' },
      { type: 'function_call', id: 'toolu_1', call_id: long, name: 'f', arguments: '{}' },
      { type: 'function_call', id: 'c2', name: 'f', arguments: '{}' },
      { type: 'function_call_output', id: null, call_id: long, output: 'x' },
      { type: 'function_call_output', call_id: 'c2', output: 'y' },
    ],
    [
      { type: 'message', role: 'assistant', content: 'I ask.' },
      { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
      { type: 'function_call', call_id: short(long), name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: short(long), output: 'x' },
      { type: 'function_call_output', call_id: 'c2', output: 'y' },
    ],
  ],
  [
    'reasoning that another server stored',
    [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
      { type: 'reasoning', id: 'rs_2', summary: [{ type: 'summary_text', text: 'Hm' }] },
      { type: 'message', id: 'msg_1', role: 'assistant', content: 'I say.' },
    ],
    // its id would ask for the reasoning
    [{ type: 'message', role: 'assistant', content: 'I say.' }],
  ],
  [
    'an id that comes again, and a result without an id,',
    [
      { type: 'message', id: 'msg_1', role: 'assistant', content: 'One' },
      { type: 'message', id: 'msg_1', role: 'assistant', content: 'Two' },
      { type: 'function_call_output', output: '42' },
    ],
    [
      { type: 'message', id: 'msg_1', role: 'assistant', content: 'One' },
      { type: 'message', role: 'assistant', content: 'Two' },
      { role: 'user', content: '42' },
    ],
  ],
  [
    'searches without the reasoning before them',
    [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
    ],
    [{ type: 'web_search_call', status: 'completed', action: { type: 'search' } }],
  ],
  [
    'items of types that it does not know, and results of such calls, as they are,',
    [
      { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1', action: { type: 'exec' } },
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
      { type: 'constructor', id: 'x' },
    ],
    [
      { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1', action: { type: 'exec' } },
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
      { type: 'constructor', id: 'x' },
    ],
  ],
  [
    'calls without a result, and results without a call',
    [
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'f', input: 'x' },
      { type: 'function_call', id: 'fc_2', call_id: 'c2', name: 'f', arguments: '{}' },
      { role: 'user', content: 'Stop' },
      { type: 'function_call_output', call_id: 'c3', output: [{ type: 'input_text', text: 'z' }] },
    ],
    [
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'f', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: '(no result)' },
      { type: 'function_call', id: 'fc_2', call_id: 'c2', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c2', output: '(no result)' },
      { role: 'user', content: 'Stop' },
      { role: 'user', content: [{ type: 'input_text', text: 'z' }] },
    ],
  ],
  [
    'texts on the wrong side',
    [
      { role: 'assistant', content: [{ type: 'input_text', text: 'I say.' }] },
      { role: 'user', content: [{ type: 'output_text', text: 'And?' }] },
    ],
    [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I say.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And?' }] },
    ],
  ],
])('Responses forwards %s in a form that OpenAI takes', async (_what, items, expected) => {
  const { input } = await sent('Responses', 'answers/m', { input: [asked, ...items] });
  expect(input).toEqual([asked, ...expected]);
});

/** An id of at most 64 characters, the same for the same one. */
function short(id: string): unknown {
  return expect.stringMatching(new RegExp(`^${id.slice(0, 55)}_[0-9a-f]{8}$`));
}
