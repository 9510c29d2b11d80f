import { describe, expect, it } from 'vitest';
import {
  type ChatMessage,
  type ChatRequest,
  type CompletionSink,
  type ToolCall,
  unescapeJson,
  type Usage,
} from '../../src/completion.js';
import { hasContent } from '../../src/providers/has-content.js';
import { GatewayError } from '../../src/errors.js';
import type { ProviderSettings } from '../../src/providers/adapter.js';
import { anthropic } from '../../src/providers/anthropic/index.js';
import { withoutRefused } from '../../src/providers/anthropic/refused-blocks.js';
import { toAnthropicBody } from '../../src/providers/anthropic/request.js';
import { at, listAt, textAt } from '../helpers/json.js';

const settings: ProviderSettings = { name: 'claude', api: 'anthropic' };
const adapter = anthropic.create(settings);
const hello: ChatMessage[] = [{ role: 'user', content: 'Hello' }];
const body = (request: Partial<ChatRequest>, model = 'claude-sonnet-4-5-20250929') =>
  toAnthropicBody({ messages: hello, ...request }, model);
const turns = (...messages: ChatMessage[]) => body({ messages }).messages;
const failureOf = (act: () => unknown): GatewayError => {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('the request', () => {
  const send = async (given: Partial<ProviderSettings>, stream = true) =>
    adapterOf(given).buildRequest(
      { request: { messages: hello }, model: 'claude-haiku-4-5', stream },
      'sk-ant-1',
    );
  const adapterOf = (given: Partial<ProviderSettings>) =>
    anthropic.create({ ...settings, ...given });

  it('goes to /v1/messages with the key and the version', async () => {
    const request = await send({});
    expect(request).toMatchObject({ method: 'POST', url: 'https://api.anthropic.com/v1/messages' });
    expect(request.headers).toMatchObject({
      'x-api-key': 'sk-ant-1',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    });
    expect(JSON.parse(request.body as string)).toMatchObject({
      model: 'claude-haiku-4-5',
      stream: true,
      messages: [{ role: 'user' }],
    });
  });

  it.each([
    ['https://proxy.example', 'https://proxy.example/v1/messages'],
    ['https://proxy.example/v1', 'https://proxy.example/v1/messages'],
    ['https://proxy.example/anthropic/v1', 'https://proxy.example/anthropic/v1/messages'],
  ])('accepts the base URL %s', async (baseUrl, url) => {
    expect((await send({ baseUrl })).url).toBe(url);
  });

  it('carries the configured headers, version and deployment name', async () => {
    const request = await send(
      {
        apiVersion: '2024-01-01',
        headers: { 'anthropic-beta': 'x' },
        deployments: { 'claude-haiku-4-5': 'my-haiku' },
      },
      false,
    );
    expect(request.headers).toMatchObject({
      'anthropic-version': '2024-01-01',
      'anthropic-beta': 'x',
    });
    expect(JSON.parse(request.body as string)).toMatchObject({ model: 'my-haiku', stream: false });
  });
});

describe('messages', () => {
  it('collects the instructions before the first turn in `system`, with their cache_control', () => {
    const result = body({
      messages: [
        {
          role: 'system',
          content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        },
        { role: 'developer', content: 'Be kind.' },
        ...hello,
      ],
    });
    expect(result.system).toEqual([
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Be kind.' },
    ]);
    expect(result.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]);
  });

  it('leaves later instructions at their place, so that what comes before stays cached', () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    const result = body({
      messages: [
        { role: 'system', content: 'Be brief.' },
        ...hello,
        { role: 'system', content: 'Today is Monday.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'developer', content: 'Be kind.' },
        { role: 'tool', tool_call_id: 'c', content: 'broken', is_error: true },
      ],
    });
    expect(result.system).toEqual([{ type: 'text', text: 'Be brief.' }]);
    expect(result.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: 'Today is Monday.' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c',
            content: [{ type: 'text', text: 'broken' }],
            is_error: true,
          },
          { type: 'text', text: 'Be kind.' },
        ],
      },
    ]);
  });

  it.each<[string, ChatMessage['content'], string[], unknown]>([
    ['nothing', null, ['Error'], true],
    ['an empty text', '', ['Error'], true],
    [
      'an image',
      [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
      ['Error', 'image'],
      undefined,
    ],
  ])('has a text for a tool that failed with %s', (_what, content, told, isError) => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    const sent = turns(
      ...hello,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content, is_error: true },
    );
    const blocks = listAt(sent, 2, 'content', 0, 'content');
    expect(blocks.map((one) => textAt(one, 'text') || textAt(one, 'type'))).toEqual(told);
    expect(at(sent, 2, 'content', 0, 'is_error')).toBe(isError);
  });

  it('sends the instructions as a user turn where there is nothing else', () => {
    expect(body({ messages: [{ role: 'system', content: 'Say hi.' }] })).toMatchObject({
      messages: [{ role: 'user', content: [{ text: 'Say hi.' }] }],
    });
  });

  it('merges successive messages of one role and omits empty text', () => {
    expect(
      turns(
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: '' },
        { role: 'user', content: ' ' },
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  it('translates images from data URLs and from the web', () => {
    const [turn] = turns({
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/jpg;base64,QUJD' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ],
    });
    expect(turn!.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'QUJD' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    ]);
  });

  it('translates files to documents', () => {
    const [turn] = turns({
      role: 'user',
      content: [
        {
          type: 'file',
          file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' },
        },
        { type: 'file', file: { file_data: 'JVBERg==' } },
        { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain,caf%C3%A9' } },
      ],
    });
    expect(turn!.content).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
        title: 'a.pdf',
      },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
      },
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'café' },
        title: 'a.txt',
      },
    ]);
  });

  it('translates tool calls and merges their results into one user turn', () => {
    const call = (id: string, args: string): ToolCall => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: args },
    });
    expect(
      turns(
        ...hello,
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('call.1:0', '{"a":1}'), call('call_2', ''), call('call_3', '{"cut')],
        },
        { role: 'tool', tool_call_id: 'call.1:0', content: 'one' },
        { role: 'tool', tool_call_id: 'call_2', content: '' },
        {
          role: 'tool',
          tool_call_id: 'call_3',
          content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
        },
        { role: 'user', content: 'and?' },
      ).slice(1),
    ).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'call_1_0', name: 'look', input: { a: 1 } },
          { type: 'tool_use', id: 'call_2', name: 'look', input: {} },
          { type: 'tool_use', id: 'call_3', name: 'look', input: { invalid_arguments: '{"cut' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1_0',
            content: [{ type: 'text', text: 'one' }],
          },
          { type: 'tool_result', tool_use_id: 'call_2' },
          {
            type: 'tool_result',
            tool_use_id: 'call_3',
            content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
          },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
  });

  it("sends signed reasoning back, before the text, and omits other providers' reasoning", () => {
    const [, turn] = turns(...hello, {
      role: 'assistant',
      content: 'Hi',
      reasoning_details: [
        { type: 'reasoning.text', text: 'hm', signature: 'c2ln' },
        { type: 'reasoning.text', text: 'unsigned' },
        { type: 'reasoning.encrypted', data: 'b3Bh', format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'gAAA', format: 'openai-responses-v1' },
      ],
    });
    expect(turn!.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'b3Bh' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('trims an answer that the caller began', () => {
    expect(turns(...hello, { role: 'assistant', content: 'Well, ' })[1]!.content).toEqual([
      { type: 'text', text: 'Well,' },
    ]);
  });

  it.each<[string, ChatMessage]>([
    ['messages[0][role]', { role: 'robot', content: 'x' }],
    [
      'messages[0][content][0]',
      { role: 'user', content: [{ type: 'input_audio', input_audio: {} }] },
    ],
    [
      'messages[0][content][0][image_url]',
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'ftp://x' } }] },
    ],
    [
      'messages[0][content][0][file][file_data]',
      { role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] },
    ],
    [
      'messages[0][content][0][file][file_data]',
      {
        role: 'user',
        content: [{ type: 'file', file: { file_data: 'data:application/zip;base64,UEs=' } }],
      },
    ],
    [
      'messages[0][content][0][file][file_data]',
      { role: 'user', content: [{ type: 'file', file: { file_data: 'data:text/plain,%' } }] },
    ],
  ])(
    'refuses what Anthropic does not support, so that the next candidate is tried: %s',
    (field, message) => {
      expect(failureOf(() => turns(message))).toMatchObject({ code: 'request_refused', field });
    },
  );
});

describe('parameters', () => {
  it('refuses several answers', () => {
    expect(failureOf(() => body({ n: 2 }))).toMatchObject({ code: 'request_refused', field: 'n' });
  });

  it('omits fields that Anthropic does not have', () => {
    const fields = Object.keys(
      body({
        seed: 1,
        logprobs: true,
        logit_bias: {},
        presence_penalty: 1,
        n: 1,
        store: true,
        service_tier: 'flex',
      }),
    );
    expect(fields.sort()).toEqual(['max_tokens', 'messages']);
  });

  it.each([
    ['claude-3-haiku-20240307', 4096],
    ['claude-3-5-sonnet-20241022', 8192],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-sonnet-4@20250514', 32_000],
    ['eu.anthropic.claude-haiku-4-5-20251001-v1:0', 64_000],
    ['claude-opus-4-6', 128_000],
    ['claude-something-new', 128_000],
    ['MiniMax-M2', 8192],
  ])('allows %s up to %i tokens where the request has no limit', (model, limit) => {
    expect(body({}, model).max_tokens).toBe(limit);
  });

  it("uses the caller's limit, up to the model's maximum", () => {
    expect(body({ max_tokens: 10 }).max_tokens).toBe(10);
    expect(body({ max_tokens: 10, max_completion_tokens: 20 }).max_tokens).toBe(20);
    expect(body({ max_tokens: 100_000 }).max_tokens).toBe(64_000);
  });

  it('sends only the sampling parameters that the model accepts', () => {
    const sampling = { temperature: 1.7, top_p: 0.9, top_k: 5 };
    expect(body(sampling)).toMatchObject({ temperature: 1, top_k: 5 });
    expect(body(sampling)).not.toHaveProperty('top_p');
    expect(body({ top_p: 0.9 })).toMatchObject({ top_p: 0.9 });
    expect(body(sampling, 'MiniMax-M2')).toMatchObject({ temperature: 1, top_p: 0.9, top_k: 5 });
    expect(Object.keys(body(sampling, 'claude-opus-4-8')).sort()).toEqual([
      'max_tokens',
      'messages',
    ]);
  });

  it('passes on stop sequences and the user', () => {
    expect(body({ stop: 'END', user: 'u1' })).toMatchObject({
      stop_sequences: ['END'],
      metadata: { user_id: 'u1' },
    });
    expect(body({ stop: ['a', 'b'], metadata: { user_id: 'u2' } })).toMatchObject({
      stop_sequences: ['a', 'b'],
      metadata: { user_id: 'u2' },
    });
  });

  it('passes on the cache_control of the whole request', () => {
    expect(body({ cache_control: { type: 'ephemeral' } })).toMatchObject({
      cache_control: { type: 'ephemeral' },
    });
  });
});

describe('tools', () => {
  const tools: ChatRequest['tools'] = [
    {
      type: 'function',
      function: {
        name: 'look',
        description: 'Looks',
        parameters: { type: 'object', properties: { a: { type: 'string' } } },
        strict: true,
      },
    },
    { type: 'function', function: { name: 'wait' }, cache_control: { type: 'ephemeral' } },
  ];

  it('translates definitions', () => {
    expect(body({ tools })).toMatchObject({
      tools: [
        {
          name: 'look',
          description: 'Looks',
          input_schema: { type: 'object', properties: { a: { type: 'string' } } },
        },
        {
          name: 'wait',
          input_schema: { type: 'object', properties: {} },
          cache_control: { type: 'ephemeral' },
        },
      ],
    });
    expect(body({ tools })).not.toHaveProperty('tool_choice');
  });

  it.each<[ChatRequest['tool_choice'], boolean | undefined, unknown]>([
    ['none', undefined, { type: 'none' }],
    ['auto', undefined, { type: 'auto' }],
    ['required', undefined, { type: 'any' }],
    [{ type: 'function', function: { name: 'look' } }, undefined, { type: 'tool', name: 'look' }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
  ])('translates the choice %j with parallel calls %s', (choice, parallel, expected) => {
    expect(
      body({ tools, tool_choice: choice ?? null, parallel_tool_calls: parallel ?? null })[
        'tool_choice'
      ],
    ).toEqual(expected);
  });

  it('sends no choice without tools', () => {
    expect(body({ tools: [], tool_choice: 'auto' })).not.toHaveProperty('tool_choice');
  });

  it('defines the tools of the history where the request has none, and forbids calling them', () => {
    const messages: ChatMessage[] = [
      ...hello,
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'seen' },
    ];
    expect(body({ messages })).toMatchObject({
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });
});

describe('reasoning', () => {
  const asked = (effort: string, model: string, more: Partial<ChatRequest> = {}) => {
    const { thinking, output_config: output } = body({ reasoning_effort: effort, ...more }, model);
    return { ...(thinking ? { thinking } : {}), ...(output ? { output } : {}) };
  };

  it.each<[string, string, object]>([
    ['claude-3-5-haiku-20241022', 'high', {}],
    ['claude-haiku-4-5', 'none', {}],
    ['claude-haiku-4-5', 'minimal', { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['claude-haiku-4-5', 'high', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
    ['claude-opus-4-6', 'minimal', { thinking: { type: 'adaptive' }, output: { effort: 'low' } }],
    ['claude-opus-4-6', 'xhigh', { thinking: { type: 'adaptive' }, output: { effort: 'max' } }],
    [
      'claude-opus-4-8',
      'xhigh',
      { thinking: { type: 'adaptive', display: 'summarized' }, output: { effort: 'xhigh' } },
    ],
    ['claude-opus-4-8', 'none', {}],
    ['claude-sonnet-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5-5', 'none', { thinking: { type: 'between_tools' } }],
    ['claude-opus-5-5', 'none', { output: { effort: 'low' } }],
    ['claude-fable-5', 'none', { output: { effort: 'low' } }],
    [
      'claude-fable-5',
      'medium',
      { thinking: { type: 'adaptive', display: 'summarized' }, output: { effort: 'medium' } },
    ],
  ])('translates for %s the effort %s', (model, effort, expected) => {
    expect(asked(effort, model)).toEqual(expected);
  });

  it('keeps a budget within the limit, and omits it where there is no room', () => {
    expect(asked('high', 'claude-haiku-4-5', { max_tokens: 5000 })).toEqual({
      thinking: { type: 'enabled', budget_tokens: 4000 },
    });
    expect(asked('high', 'claude-haiku-4-5', { max_tokens: 1200 })).toEqual({});
  });

  it('omits the budget where Anthropic would refuse one', () => {
    const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'look' } }];
    const loop = (details: unknown[]): ChatMessage[] => [
      ...hello,
      {
        role: 'assistant',
        reasoning_details: details,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'seen' },
    ];
    expect(asked('low', 'claude-haiku-4-5', { tools, tool_choice: 'required' })).toEqual({});
    expect(asked('low', 'claude-haiku-4-5', { tools, messages: loop([]) })).toEqual({});
    expect(
      asked('low', 'claude-haiku-4-5', {
        tools,
        messages: loop([{ type: 'reasoning.text', text: 'hm', signature: 's' }]),
      }),
    ).toHaveProperty('thinking');
  });

  it("passes Anthropic's own `thinking` on, and then sends no sampling parameters", () => {
    const result = body({
      thinking: { type: 'enabled', budget_tokens: 2000 },
      temperature: 0.2,
      top_k: 3,
    });
    expect(result['thinking']).toEqual({ type: 'enabled', budget_tokens: 2000 });
    expect(result).not.toHaveProperty('temperature');
    expect(result).not.toHaveProperty('top_k');
  });
});

describe('structured output', () => {
  it("is Anthropic's own, with closed objects and unenforceable limits in descriptions", () => {
    const schema = {
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 0, description: 'In years' },
        pattern: {
          type: 'array',
          maxItems: 3,
          items: {
            anyOf: [
              { type: 'string', format: 'phone' },
              { type: 'object', properties: { x: { enum: [{ minimum: 1 }] } } },
            ],
          },
        },
      },
      required: ['age'],
    };
    const given = structuredClone(schema);
    expect(
      body({
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } },
      })['output_config'],
    ).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            age: { type: 'integer', description: 'In years (minimum: 0)' },
            pattern: {
              type: 'array',
              description: '(maxItems: 3)',
              items: {
                anyOf: [
                  { type: 'string', description: '(format: "phone")' },
                  {
                    type: 'object',
                    properties: { x: { enum: [{ minimum: 1 }] } },
                    additionalProperties: false,
                  },
                ],
              },
            },
          },
          required: ['age'],
          additionalProperties: false,
        },
      },
    });
    expect(schema).toEqual(given);
  });

  it('is sent beside the effort', () => {
    expect(
      body(
        {
          reasoning_effort: 'low',
          response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
        },
        'claude-opus-5',
      )['output_config'],
    ).toEqual({ effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } });
  });

  it('becomes an instruction where there is no schema', () => {
    expect(body({ response_format: { type: 'json_object' } }).system).toMatchObject([
      { type: 'text', text: expect.stringContaining('JSON object') },
    ]);
  });
});

const answer = (fields: object) =>
  JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5-20251001',
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 4 },
    ...fields,
  });
const read = (fields: object) =>
  adapter.readCompletion(answer(fields), {
    request: { messages: hello },
    model: 'm',
    stream: false,
  });

describe('a whole answer', () => {
  it('becomes a completion', () => {
    const { completion, usage } = read({
      content: [
        { type: 'text', text: 'Good ' },
        { type: 'text', text: 'day' },
      ],
    });
    expect(completion).toMatchObject({
      id: 'msg_1',
      object: 'chat.completion',
      model: 'claude-haiku-4-5-20251001',
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Good day' } },
      ],
    });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 3,
      completion_tokens: 4,
      total_tokens: 7,
    });
    expect(usage).toMatchObject({ promptTokens: 3, completionTokens: 4, estimated: false });
  });

  it('counts cached tokens into the prompt and thinking into the completion', () => {
    expect(
      read({
        content: [],
        usage: {
          input_tokens: 1,
          cache_read_input_tokens: 20,
          cache_creation_input_tokens: 300,
          output_tokens: 50,
          output_tokens_details: { thinking_tokens: 40 },
        },
      }).usage,
    ).toEqual({
      promptTokens: 321,
      completionTokens: 50,
      reasoningTokens: 40,
      cachedTokens: 20,
      cacheWriteTokens: 300,
      estimated: false,
    });
    expect(read({ content: [], usage: null }).usage).toBeNull();
  });

  it('keeps thinking and its signatures', () => {
    const { message } = read({
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'b3Bh' },
        { type: 'text', text: 'Hi' },
      ],
    }).completion.choices[0]!;
    expect(message).toMatchObject({
      reasoning_content: 'hm',
      reasoning_details: [
        { type: 'reasoning.text', text: 'hm', signature: 'c2ln' },
        { type: 'reasoning.encrypted', data: 'b3Bh' },
      ],
    });
    expect(turns(...hello, message as ChatMessage)[1]!.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'b3Bh' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it("shows the client's tool calls and not those that Anthropic ran itself", () => {
    const { message, finish_reason: reason } = read({
      stop_reason: 'tool_use',
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { a: 1 } },
        { type: 'tool_use', id: 'toolu_2', name: 'wait', input: {} },
      ],
    }).completion.choices[0]!;
    expect(reason).toBe('tool_calls');
    expect(message.content).toBeNull();
    expect(message.tool_calls).toEqual([
      { id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } },
      { id: 'toolu_2', type: 'function', function: { name: 'wait', arguments: '{}' } },
    ]);
  });

  it('has the citations of each part of its text', () => {
    const { message } = read({
      content: [
        { type: 'text', text: 'So: ' },
        {
          type: 'text',
          text: 'it rains',
          citations: [
            {
              type: 'web_search_result_location',
              url: 'https://example.com/w',
              title: 'Weather',
              cited_text: 'Rain.',
            },
          ],
        },
        {
          type: 'text',
          text: ', it says',
          citations: [
            {
              type: 'page_location',
              document_index: 1,
              document_title: 'a.pdf',
              start_page_number: 3,
              cited_text: 'p',
            },
            { type: 'search_result_location', source: 'https://example.com/s', title: 'S' },
            { type: 'unheard_of' },
          ],
        },
      ],
    }).completion.choices[0]!;
    expect(message.annotations).toEqual([
      {
        type: 'url_citation',
        url_citation: {
          url: 'https://example.com/w',
          title: 'Weather',
          content: 'Rain.',
          start_index: 4,
          end_index: 12,
        },
      },
      {
        type: 'url_citation',
        url_citation: {
          url: 'document:1#page=3',
          title: 'a.pdf',
          content: 'p',
          start_index: 12,
          end_index: 21,
        },
      },
      {
        type: 'url_citation',
        url_citation: { url: 'https://example.com/s', title: 'S', start_index: 12, end_index: 21 },
      },
    ]);
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
  ])('translates the stop reason %s to %s', (stopReason, finishReason) => {
    // an answer that ends for calls has some
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
    const content = stopReason === 'tool_use' ? [call] : [];
    expect(read({ content, stop_reason: stopReason }).completion.choices[0]!.finish_reason).toBe(
      finishReason,
    );
  });

  it('gives the reason of a refusal', () => {
    expect(
      read({
        content: [],
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', explanation: 'Not this.' },
      }).completion.choices[0]!.message.refusal,
    ).toBe('Not this.');
  });

  it('throws the error sent with status 200', () => {
    expect(
      failureOf(() =>
        read({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      ),
    ).toMatchObject({ code: 'upstream_overloaded', upstreamStatus: 529 });
  });

  it.each(['', 'null', '[]', '{"a":1}', '<html>'])('cannot read %j', (text) => {
    expect(
      failureOf(() =>
        adapter.readCompletion(text, { request: { messages: hello }, model: 'm', stream: false }),
      ).code,
    ).toBe('unreadable_answer');
  });
});

interface Heard {
  text: string;
  reasoning: string;
  details: unknown[];
  calls: { id: string | undefined; name: string | undefined; arguments: string }[];
  annotations: unknown[];
  refusal: string;
  opening: boolean[];
  end: [string | null, Usage | null] | null;
}

function listener(): { heard: Heard; sink: CompletionSink } {
  const heard: Heard = {
    text: '',
    reasoning: '',
    details: [],
    calls: [],
    annotations: [],
    refusal: '',
    opening: [],
    end: null,
  };
  const sink: CompletionSink = {
    text(escaped) {
      heard.text += unescapeJson(escaped);
    },
    chunk(chunk) {
      expect(chunk).toMatchObject({
        id: 'msg_1',
        object: 'chat.completion.chunk',
        model: 'claude-opus-4-6',
      });
      const { delta } = chunk.choices[0]!;
      if (delta.role) heard.opening.push(hasContent(chunk));
      heard.reasoning += delta.reasoning_content ?? '';
      heard.refusal += delta.refusal ?? '';
      heard.details.push(...(delta.reasoning_details ?? []));
      heard.annotations.push(...(delta.annotations ?? []));
      for (const call of delta.tool_calls ?? []) {
        const known = (heard.calls[call.index] ??= {
          id: call.id,
          name: call.function?.name,
          arguments: '',
        });
        known.arguments += call.function?.arguments ?? '';
      }
    },
    end(finishReason, usage) {
      expect(heard.end).toBeNull();
      heard.end = [finishReason, usage];
    },
  };
  return { heard, sink };
}

type Event = Record<string, unknown> & { type: string };
const sse = (events: Event[]) =>
  Buffer.from(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
const start = (usage: object = { input_tokens: 10, output_tokens: 1 }): Event => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-6',
    content: [],
    stop_reason: null,
    usage,
  },
});
const block = (index: number, content: object, ...deltas: object[]): Event[] => [
  { type: 'content_block_start', index, content_block: content },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const words = (...texts: string[]) => texts.map((text) => ({ type: 'text_delta', text }));
const finish = (
  stopReason: string,
  usage: object = { output_tokens: 20 },
  details: unknown = null,
): Event[] => [
  {
    type: 'message_delta',
    delta: { stop_reason: stopReason, stop_sequence: null, stop_details: details },
    usage,
  },
  { type: 'message_stop' },
];

function hear(...pieces: Buffer[]): Heard {
  const { heard, sink } = listener();
  const reader = adapter.readEvents(sink, {
    request: { messages: hello },
    model: 'm',
    stream: true,
  });
  for (const piece of pieces) reader.push(piece);
  reader.close();
  return heard;
}

const everything = [
  start({
    input_tokens: 10,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 2,
    output_tokens: 1,
  }),
  { type: 'ping' },
  ...block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Höhe' },
    { type: 'thinking_delta', thinking: '?' },
    { type: 'signature_delta', signature: 'c2ln' },
  ),
  ...block(1, { type: 'redacted_thinking', data: 'b3Bh' }),
  ...block(2, { type: 'text', text: '' }, ...words('Grüße 👋🏽', ' "quoted"\n', '')),
  ...block(
    3,
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    { type: 'input_json_delta', partial_json: '{"query":"x"}' },
  ),
  ...block(4, {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url: 'https://example.com', title: 'T' }],
  }),
  ...block(
    5,
    { type: 'text', text: '', citations: [] },
    {
      type: 'citations_delta',
      citation: {
        type: 'web_search_result_location',
        url: 'https://example.com',
        title: 'T',
        cited_text: 'c',
      },
    },
    ...words('cited'),
  ),
  ...block(
    6,
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    { type: 'input_json_delta', partial_json: '' },
    { type: 'input_json_delta', partial_json: '{"wo' },
    { type: 'input_json_delta', partial_json: 'rd":"é"}' },
  ),
  ...block(
    7,
    { type: 'tool_use', id: 'toolu_2', name: 'wait', input: {} },
    { type: 'input_json_delta', partial_json: '' },
  ),
  { type: 'something_new', index: 8 },
  ...finish('tool_use', {
    input_tokens: 11,
    cache_read_input_tokens: null,
    output_tokens: 30,
    output_tokens_details: { thinking_tokens: 9 },
  }),
];

describe('a streamed answer', () => {
  it('gives text, reasoning, tool calls, citations, usage and the finish reason', () => {
    expect(hear(sse(everything))).toEqual({
      text: 'Grüße 👋🏽 "quoted"\ncited',
      reasoning: 'Höhe?',
      details: [
        { type: 'reasoning.text', text: 'Höhe?', signature: 'c2ln', format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'b3Bh', format: 'anthropic-claude-v1' },
      ],
      calls: [
        { id: 'toolu_1', name: 'look', arguments: '{"word":"é"}' },
        { id: 'toolu_2', name: 'wait', arguments: '{}' },
      ],
      annotations: [
        {
          type: 'url_citation',
          url_citation: {
            url: 'https://example.com',
            title: 'T',
            content: 'c',
            start_index: 20,
            end_index: 25,
          },
        },
      ],
      refusal: '',
      opening: [false],
      end: [
        'tool_calls',
        {
          promptTokens: 18,
          completionTokens: 30,
          reasoningTokens: 9,
          cachedTokens: 5,
          cacheWriteTokens: 2,
          estimated: false,
        },
      ],
    } satisfies Heard);
  });

  it('is the same wherever its bytes are cut', () => {
    const bytes = sse(everything);
    const whole = hear(bytes);
    for (let cut = 1; cut < bytes.length; cut++)
      expect(hear(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(whole);
    expect(hear(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(whole);
  });

  it("may contain its content whole, in the opening event or at a block's start", () => {
    const opening = start();
    (opening['message'] as { content: unknown[] }).content = [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { b: 2 } },
    ];
    const heard = hear(
      sse([
        opening,
        ...block(0, { type: 'text', text: 'c' }),
        ...block(1, { type: 'thinking', thinking: 'hm', signature: 's' }),
        ...finish('end_turn'),
      ]),
    );
    expect(heard).toMatchObject({
      text: 'ac',
      reasoning: 'hm',
      calls: [{ arguments: '{"b":2}' }],
      details: [{ text: 'hm', signature: 's' }],
    });
  });

  it('keeps the signature of thinking whose text is withheld', () => {
    const heard = hear(
      sse([
        start(),
        ...block(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'signature_delta', signature: 'c2ln' },
        ),
        ...finish('end_turn'),
      ]),
    );
    expect(heard).toMatchObject({
      reasoning: '',
      details: [{ type: 'reasoning.text', text: '', signature: 'c2ln' }],
    });
  });

  it('gives the reason of a refusal', () => {
    expect(
      hear(sse([start(), ...finish('refusal', {}, { type: 'refusal', explanation: 'Not this.' })])),
    ).toMatchObject({
      refusal: 'Not this.',
      end: ['content_filter', { promptTokens: 10, completionTokens: 1 }],
    });
  });

  it('ignores a repeated opening event, and refuses two answers in one stream', () => {
    expect(
      hear(
        sse([
          start(),
          start(),
          ...block(0, { type: 'text', text: '' }, ...words('a')),
          ...finish('end_turn'),
        ]),
      ),
    ).toMatchObject({ text: 'a', opening: [false] });
    const other = { type: 'message_start', message: { id: 'msg_2', content: [] } };
    expect(failureOf(() => hear(sse([start(), other]))).code).toBe('unreadable_answer');
  });

  it('ignores what follows its end', () => {
    expect(hear(sse([start(), ...finish('end_turn'), ...finish('max_tokens')])).end?.[0]).toBe(
      'stop',
    );
  });

  it('is incomplete without message_stop, however much text has arrived', () => {
    const bytes = sse([
      start(),
      ...block(0, { type: 'text', text: '' }, ...words('a')),
      finish('end_turn')[0]!,
    ]);
    expect(failureOf(() => hear(bytes))).toMatchObject({
      code: 'connection_failed',
      message: 'claude ended its stream before the answer was complete',
    });
    expect(failureOf(() => hear()).code).toBe('connection_failed');
  });

  it('is unreadable where an event is not JSON', () => {
    expect(failureOf(() => hear(Buffer.from('event: ping\ndata: {"type"\n\n')))).toMatchObject({
      code: 'unreadable_answer',
    });
  });

  it.each([
    ['overloaded_error', 'upstream_overloaded', 529],
    ['rate_limit_error', 'rate_limited', 429],
    ['api_error', 'upstream_error', 500],
    ['timeout_error', 'upstream_error', 504],
    ['authentication_error', 'provider_auth', 401],
    ['permission_error', 'provider_auth', 403],
    ['billing_error', 'provider_auth', 402],
    ['not_found_error', 'model_not_found', 404],
    ['invalid_request_error', 'request_refused', 400],
    ['request_too_large', 'request_refused', 413],
    ['a_new_error', 'upstream_error', 500],
  ])('fails with %s as %s', (type, code, status) => {
    const error = failureOf(() =>
      hear(sse([start(), { type: 'error', error: { type, message: 'So it is' } }])),
    );
    expect(error).toMatchObject({
      code,
      upstreamStatus: status,
      message: `claude answered ${status}: So it is`,
    });
  });
});

describe('a failed answer', () => {
  it('may have its error as a text', () => {
    const error = failureOf(() => hear(sse([start(), { type: 'error', error: 'So it is' }])));
    expect(error).toMatchObject({
      code: 'upstream_error',
      message: 'claude answered 500: So it is',
    });
    expect(adapter.readFailure(400, {}, '{"error":"So it is"}').message).toBe(
      'claude answered 400: So it is',
    );
  });

  const fail = (status: number, type: string, message: string, headers = {}) =>
    adapter.readFailure(
      status,
      headers,
      JSON.stringify({ type: 'error', error: { type, message } }),
    );

  it.each([
    [400, 'invalid_request_error', 'max_tokens: is required', 'request_refused'],
    [400, 'invalid_request_error', 'Your credit balance is too low to be used', 'quota_exhausted'],
    [
      400,
      'invalid_request_error',
      'You have reached your specified API usage limits',
      'quota_exhausted',
    ],
    [401, 'authentication_error', 'invalid x-api-key', 'provider_auth'],
    [403, 'permission_error', 'no', 'provider_auth'],
    [404, 'not_found_error', 'model: claude-0', 'model_not_found'],
    [405, 'invalid_request_error', 'no', 'request_refused'],
    [413, 'request_too_large', 'no', 'request_refused'],
    [429, 'rate_limit_error', 'slow down', 'rate_limited'],
    [500, 'api_error', 'oops', 'upstream_error'],
    [503, 'overloaded_error', 'Overloaded', 'upstream_overloaded'],
    [529, 'overloaded_error', 'Overloaded', 'upstream_overloaded'],
  ])('with %i %s (%s) is %s', (status, type, message, code) => {
    expect(fail(status, type, message)).toMatchObject({
      code,
      upstreamStatus: status,
      message: `claude answered ${status}: ${message}`,
    });
  });

  it('obeys x-should-retry and retry-after', () => {
    expect(
      fail(529, 'overloaded_error', 'x', { 'x-should-retry': 'true', 'retry-after': '31' }),
    ).toMatchObject({ recovery: 'retry', retryAfterMs: 31_000 });
    expect(fail(529, 'overloaded_error', 'x', { 'x-should-retry': 'false' }).recovery).toBe(
      'fallback',
    );
  });

  it('may come from a proxy in another format', () => {
    expect(adapter.readFailure(502, {}, '<html>Bad gateway</html>')).toMatchObject({
      code: 'upstream_error',
      message: 'claude answered 502',
    });
    expect(adapter.readFailure(503, {}, 'upstream down')).toMatchObject({
      code: 'upstream_overloaded',
      message: 'claude answered 503: upstream down',
    });
    expect(adapter.readFailure(429, {}, '{"error":null}').code).toBe('rate_limited');
    expect(adapter.readFailure(401, {}, '').code).toBe('provider_auth');
  });
});

describe('what Claude refuses in a body that is forwarded', () => {
  it('is left out however deep results lie in one another, each block read once', () => {
    const nested = (leaf: object, depth: number): object =>
      depth === 0 ? leaf : { type: 'tool_result', content: [nested(leaf, depth - 1)] };
    const bodyOf = (leaf: object[]) => ({
      messages: [{ role: 'user', content: [nested({ type: 'tool_result', content: leaf }, 200)] }],
    });
    const [kept, empty] = [
      { type: 'text', text: 'kept' },
      { type: 'text', text: '' },
    ];
    expect(withoutRefused(bodyOf([empty, kept]))).toEqual(bodyOf([kept]));
  });
});
