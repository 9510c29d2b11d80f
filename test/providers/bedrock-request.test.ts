import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest } from '../../src/completion.js';
import { GatewayError } from '../../src/errors.js';
import { traitsOf } from '../../src/providers/bedrock/model-traits.js';
import { toConverse } from '../../src/providers/bedrock/request.js';

const sonnet = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const opus = 'global.anthropic.claude-opus-4-7-v1';
const nova = 'us.amazon.nova-2-lite-v1:0';
const llama = 'meta.llama3-3-70b-instruct-v1:0';

interface Body {
  messages: { role: string; content: Record<string, unknown>[] }[];
  system?: unknown[];
  inferenceConfig?: Record<string, unknown>;
  toolConfig?: { tools: unknown[]; toolChoice?: unknown };
  outputConfig?: unknown;
  additionalModelRequestFields?: Record<string, unknown>;
}

const body = (request: Partial<ChatRequest>, model = sonnet): Body =>
  toConverse(
    { messages: [{ role: 'user', content: 'Hi' }], ...request },
    traitsOf(model),
    'bedrock',
  ) as { [field: string]: unknown } & Body;
const turns = (messages: ChatMessage[], model = sonnet): Body['messages'] =>
  body({ messages }, model).messages;
const user = (...parts: unknown[]): ChatMessage[] => [
  { role: 'user', content: parts as ChatMessage['content'] & object },
];

function refusalOf(request: Partial<ChatRequest>): string {
  try {
    body(request);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'request_refused') return error.message;
  }
  throw new Error('expected a refusal');
}

const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});

describe('a conversation for Converse', () => {
  it('has its first instructions apart, and later ones at their place, so that caches stay valid', () => {
    expect(
      body({
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'developer', content: 'In French.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Salut' },
          { role: 'system', content: 'Today is Monday.' },
        ],
      }),
    ).toEqual({
      system: [{ text: 'Be brief.' }, { text: 'In French.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hi' }] },
        { role: 'assistant', content: [{ text: 'Salut' }] },
        { role: 'user', content: [{ text: 'Today is Monday.' }] },
      ],
    });
  });

  it('has what tools returned before an instruction that came between', () => {
    const [, , results] = turns([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('a', 'f', '{}'), call('b', 'f', '{}')],
      },
      { role: 'tool', tool_call_id: 'a', content: 'dry' },
      { role: 'system', content: 'Be brief.' },
      { role: 'tool', tool_call_id: 'b', content: 'wet' },
    ]);
    const [first, second, third] = results?.content ?? [];
    expect([first, second]).toMatchObject([
      { toolResult: { toolUseId: 'a' } },
      { toolResult: { toolUseId: 'b' } },
    ]);
    expect(third).toEqual({ text: 'Be brief.' });
  });

  it("has instructions without messages as a user's turn", () => {
    expect(body({ messages: [{ role: 'system', content: 'Say hello.' }] })).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Say hello.' }] }],
    });
  });

  it('alternates: successive messages of one role are one turn; blank text and empty turns are omitted', () => {
    expect(
      turns([
        { role: 'user', content: 'One' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'two' },
            { type: 'text', text: ' \n' },
          ],
        },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'three' },
        { role: 'assistant', content: 'Four' },
      ]),
    ).toEqual([
      { role: 'user', content: [{ text: 'One' }, { text: 'two' }, { text: 'three' }] },
      { role: 'assistant', content: [{ text: 'Four' }] },
    ]);
  });

  it('ends an answer that was begun without white space', () => {
    expect(
      turns([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Dear ' },
      ])[1]?.content,
    ).toEqual([{ text: 'Dear' }]);
  });

  it('carries tool calls and their results, all results of one turn together', () => {
    expect(
      turns([
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: 'Let me see.',
          tool_calls: [call('call:1|x', 'weather', '{"city":"Oslo"}'), call('b', 'now', '')],
        },
        { role: 'tool', tool_call_id: 'call:1|x', content: '15°' },
        { role: 'tool', tool_call_id: 'b', content: '' },
        { role: 'user', content: 'And?' },
      ]).slice(1),
    ).toEqual([
      {
        role: 'assistant',
        content: [
          { text: 'Let me see.' },
          { toolUse: { toolUseId: 'call_1_x', name: 'weather', input: { city: 'Oslo' } } },
          { toolUse: { toolUseId: 'b', name: 'now', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'call_1_x', content: [{ text: '15°' }] } },
          { toolResult: { toolUseId: 'b', content: [{ text: '(no output)' }] } },
          { text: 'And?' },
        ],
      },
    ]);
  });

  it('shows the model arguments that are not an object unchanged', () => {
    expect(
      turns([{ role: 'assistant', tool_calls: [call('a', 'f', '{"cut')] }])[1]?.content[0],
    ).toMatchObject({ toolUse: { input: { invalid_arguments: '{"cut' } } });
  });

  it('sends signed thinking back to Claude, before everything else in the turn', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln' },
      { type: 'reasoning.encrypted', data: 'EtkE' },
      { type: 'reasoning.text', text: 'unsigned' },
      { type: 'reasoning.encrypted', data: 'x', format: 'google-gemini-v1' },
    ];
    const messages: ChatMessage[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Yes', reasoning_content: 'Hm.', reasoning_details: details },
    ];
    expect(turns(messages)[1]?.content).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: Buffer.from('EtkE').toString('base64') } },
      { text: 'Yes' },
    ]);
    expect(turns(messages, llama)[1]?.content).toEqual([{ text: 'Yes' }]);
  });
});

describe('content for Converse', () => {
  it('accepts inline images, and images in S3', () => {
    expect(
      turns(
        user(
          { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 's3://bucket/a.png' } },
        ),
      )[0]?.content,
    ).toEqual([
      { image: { format: 'jpeg', source: { bytes: 'AAAA' } } },
      { image: { format: 'png', source: { s3Location: { uri: 's3://bucket/a.png' } } } },
    ]);
  });

  it('accepts documents, each under a unique name that Bedrock allows, and never without text', () => {
    const file = (filename: string, url: string): unknown => ({
      type: 'file',
      file: { filename, file_data: url },
    });
    expect(
      turns(
        user(
          file('Q3 report_(final).pdf', 'data:application/pdf;base64,AAAA'),
          file('Q3 report (final).pdf', 'AAAA'),
          file('notes.md', 'data:application/octet-stream;base64,AAAA'),
          file('', 'data:text/plain,a%20b'),
        ),
      )[0]?.content,
    ).toEqual([
      { document: { format: 'pdf', name: 'Q3 report (final)', source: { bytes: 'AAAA' } } },
      { document: { format: 'pdf', name: 'Q3 report (final) 2', source: { bytes: 'AAAA' } } },
      { document: { format: 'md', name: 'notes', source: { bytes: 'AAAA' } } },
      {
        document: {
          format: 'txt',
          name: 'document',
          source: { bytes: Buffer.from('a b').toString('base64') },
        },
      },
      { text: 'Q3 report (final)' },
    ]);
  });

  it('accepts audio, video and an image sent as a file', () => {
    expect(
      turns(
        user(
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
          { type: 'file', file: { file_data: 'data:image/png;base64,AAAA' } },
        ),
      )[0]?.content,
    ).toEqual([
      { audio: { format: 'mp3', source: { bytes: 'AAAA' } } },
      { video: { format: 'mp4', source: { bytes: 'AAAA' } } },
      { image: { format: 'png', source: { bytes: 'AAAA' } } },
    ]);
  });

  it.each([
    [
      'an image at a web address',
      user({ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }),
      'fetching an image from a web address',
    ],
    [
      'an image in a format of its own',
      user({ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }),
      'the image format image/tiff',
    ],
    [
      'a file by id',
      user({ type: 'file', file: { file_id: 'file-1' } }),
      'exist only at another provider',
    ],
    [
      'a file at a web address',
      user({ type: 'file', file: { file_data: 'https://example.org/a.pdf' } }),
      'fetching a file from a web address',
    ],
    [
      'a file of an unknown type',
      user({ type: 'file', file: { file_data: 'data:application/zip;base64,AAAA' } }),
      'files of type application/zip',
    ],
    ['an unknown part', user({ type: 'hologram' }), 'does not support content of type hologram'],
  ])('refuses %s and says why', (_what, messages, reason) => {
    expect(refusalOf({ messages })).toContain(reason);
  });

  it('sets one cache point where a message and its last part are marked, as four are allowed', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const content = [{ type: 'text' as const, text: 'Long', ...mark }];
    const both = { content, ...mark };
    const { system, messages } = body({
      messages: [
        { role: 'system', ...both },
        { role: 'user', ...both },
        { role: 'user', ...both },
      ],
    });
    const once = [{ text: 'Long' }, { cachePoint: { type: 'default' } }];
    expect(system).toEqual(once);
    expect(messages).toEqual([{ role: 'user', content: [...once, ...once] }]);
  });

  it('sets cache points at cache_control, for models that support them', () => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const point = { cachePoint: { type: 'default', ttl: '1h' } };
    const request: Partial<ChatRequest> = {
      messages: [
        { role: 'system', content: 'Long', ...mark },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Longer', ...mark },
            { type: 'text', text: 'Hi' },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'r', ...mark }] },
      ],
      tools: [{ type: 'function', function: { name: 'f' }, ...mark }],
    };
    const { system, messages, toolConfig } = body(request);
    expect(system).toEqual([{ text: 'Long' }, point]);
    expect(messages[0]?.content).toEqual([{ text: 'Longer' }, point, { text: 'Hi' }]);
    expect(messages[2]?.content).toEqual([
      { toolResult: { toolUseId: 'a', content: [{ text: 'r' }] } },
      point,
    ]);
    expect(toolConfig?.tools).toEqual([
      { toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } },
      point,
    ]);
    expect(JSON.stringify(body(request, llama))).not.toContain('cachePoint');
    // these know one time, and Nova takes no cache points among tools
    const older = 'us.anthropic.claude-sonnet-4-20250514-v1:0';
    expect(JSON.stringify(body(request, older)).match(/cachePoint/g)).toHaveLength(4);
    expect(JSON.stringify(body(request, nova)).match(/cachePoint/g)).toHaveLength(3);
    for (const model of [older, nova])
      expect(JSON.stringify(body(request, model))).not.toContain('ttl');
    expect(JSON.stringify(body(request, nova).toolConfig)).not.toContain('cachePoint');
    expect(
      JSON.stringify(
        body(request, 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc'),
      ),
    ).toContain('cachePoint');
  });
});

describe('tools for Converse', () => {
  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'f',
        description: 'does f',
        parameters: { type: 'object', properties: {} },
        strict: true,
      },
    },
  ];
  const spec = {
    toolSpec: {
      name: 'f',
      description: 'does f',
      inputSchema: { json: { type: 'object', properties: {} } },
    },
  };
  const past: ChatMessage[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', tool_calls: [call('a', 'g', '{}')] },
    { role: 'tool', tool_call_id: 'a', content: 'r' },
  ];

  it.each([
    [undefined, undefined],
    [null, undefined],
    ['auto', { auto: {} }],
    ['required', { any: {} }],
    [{ type: 'function', function: { name: 'f' } }, { tool: { name: 'f' } }],
  ] as const)('are offered with the choice %j', (choice, expected) => {
    expect(body({ tools, tool_choice: choice }).toolConfig).toEqual({
      tools: [spec],
      ...(expected ? { toolChoice: expected } : {}),
    });
  });

  it('have no description that is blank', () => {
    const blank = tools.map((tool) => ({
      ...tool,
      function: { ...tool.function, description: ' \n' },
    }));
    const { description: _blank, ...bare } = spec.toolSpec;
    expect(body({ tools: blank }).toolConfig).toEqual({ tools: [{ toolSpec: bare }] });
  });

  it('are omitted where none may be called', () => {
    expect(body({ tools, tool_choice: 'none' })).not.toHaveProperty('toolConfig');
  });

  it('are still defined where the conversation contains calls, because Bedrock requires it', () => {
    expect(body({ messages: past }).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'g', inputSchema: { json: { type: 'object' } } } }],
    });
    expect(body({ messages: past, tools, tool_choice: 'none' }).toolConfig).toEqual({
      tools: [spec],
    });
  });

  it('may be run by AWS itself', () => {
    expect(
      body({
        tools: [
          { type: 'function', function: { name: '' }, systemTool: { name: 'nova_grounding' } },
        ],
      }).toolConfig?.tools,
    ).toEqual([{ systemTool: { name: 'nova_grounding' } }]);
  });
});

describe('settings for Converse', () => {
  it("are renamed, and brought within Bedrock's range", () => {
    expect(
      body(
        {
          max_tokens: 5,
          max_completion_tokens: 7,
          temperature: 1.8,
          top_p: 0.5,
          stop: 'END',
          seed: 1,
        },
        nova,
      ).inferenceConfig,
    ).toEqual({ maxTokens: 7, temperature: 1, topP: 0.5, stopSequences: ['END'] });
  });

  it('omit what Claude refuses: top_p beside temperature, and both from 4.7 on', () => {
    expect(body({ temperature: 0.2, top_p: 0.5, top_k: 3 })).toMatchObject({
      inferenceConfig: { temperature: 0.2 },
      additionalModelRequestFields: { top_k: 3 },
    });
    expect(body({ temperature: 0.2, top_p: 0.5 }).inferenceConfig).not.toHaveProperty('topP');
    expect(body({ temperature: 0.2, top_p: 0.5, top_k: 3 }, opus)).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    });
  });

  it('omit temperature and top_p for Grok, which refuses them there', () => {
    const { inferenceConfig } = body(
      { temperature: 0.2, top_p: 0.5, max_tokens: 7 },
      'global.xai.grok-4.6',
    );
    expect(inferenceConfig).toEqual({ maxTokens: 7 });
  });

  it("pass on Bedrock's own fields", () => {
    const own = {
      guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1' },
      performanceConfig: { latency: 'optimized' },
      additionalModelRequestFields: { top_k: 9 },
    };
    expect(body({ ...own, unknown: 1 })).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      ...own,
    });
  });

  it('turn a schema into structured output, and json_object into an instruction', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    };
    expect(
      body({
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'A', description: 'an A', schema },
        },
      }).outputConfig,
    ).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: {
          jsonSchema: { name: 'A', description: 'an A', schema: JSON.stringify(schema) },
        },
      },
    });
    expect(body({ response_format: { type: 'json_object' } }).system).toEqual([
      { text: expect.stringContaining('JSON object') },
    ]);
  });

  it('refuse several answers', () => {
    expect(refusalOf({ n: 2 })).toContain('more than one answer');
  });
});

describe('reasoning_effort for Converse', () => {
  const fields = (
    request: Partial<ChatRequest>,
    model: string,
  ): Body['additionalModelRequestFields'] => body(request, model).additionalModelRequestFields;

  it.each([
    [sonnet, 'medium', { thinking: { type: 'enabled', budget_tokens: 8192 } }],
    [
      'anthropic.claude-opus-4-6-v1',
      'xhigh',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    ],
    [
      opus,
      'xhigh',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
    ],
    [sonnet, 'max', { thinking: { type: 'enabled', budget_tokens: 32_000 } }],
    [
      opus,
      'max',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } },
    ],
    ['openai.gpt-oss-120b-1:0', 'max', { reasoning_effort: 'high' }],
    [nova, 'minimal', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
    ['openai.gpt-oss-120b-1:0', 'high', { reasoning_effort: 'high' }],
    ['anthropic.claude-3-5-sonnet-20240620-v1:0', 'high', undefined],
    [llama, 'high', undefined],
    [sonnet, 'none', undefined],
  ])('%s, %s', (model, effort, expected) => {
    expect(fields({ reasoning_effort: effort }, model)).toEqual(expected);
  });

  it('removes the sampling parameters', () => {
    expect(
      body({ reasoning_effort: 'low', temperature: 0.3, top_p: 0.5, top_k: 2, max_tokens: 9000 }),
    ).toMatchObject({
      inferenceConfig: { maxTokens: 9000 },
      additionalModelRequestFields: { thinking: { budget_tokens: 2048 } },
    });
    expect(
      body({ reasoning_effort: 'low', temperature: 0.3, max_tokens: 9000 }).inferenceConfig,
    ).toEqual({ maxTokens: 9000 });
  });

  it('stays within the requested output limit', () => {
    expect(fields({ reasoning_effort: 'high', max_tokens: 5000 }, sonnet)).toEqual({
      thinking: { type: 'enabled', budget_tokens: 4000 },
    });
    expect(fields({ reasoning_effort: 'high', max_tokens: 1000 }, sonnet)).toBeUndefined();
    expect(fields({ reasoning_effort: 'high', max_tokens: 1000 }, nova)).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    });
  });

  it('is omitted with a forced tool, and after tool calls without signed thinking', () => {
    const tools = [{ type: 'function' as const, function: { name: 'f' } }];
    expect(
      fields({ reasoning_effort: 'low', tools, tool_choice: 'required' }, sonnet),
    ).toBeUndefined();
    const past: ChatMessage[] = [
      { role: 'assistant', tool_calls: [call('a', 'f', '{}')] },
      { role: 'tool', tool_call_id: 'a', content: 'r' },
    ];
    expect(fields({ reasoning_effort: 'low', tools, messages: past }, sonnet)).toBeUndefined();
  });

  it('is not sent twice where the answer has a schema, because Bedrock refuses that', () => {
    const response_format = {
      type: 'json_schema',
      json_schema: { schema: { type: 'object', properties: {} } },
    };
    expect(fields({ reasoning_effort: 'low', response_format }, opus)).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
    });
  });

  it("may be Anthropic's own field", () => {
    expect(fields({ thinking: { type: 'enabled', budget_tokens: 1500 } }, sonnet)).toEqual({
      thinking: { type: 'enabled', budget_tokens: 1500 },
    });
    expect(fields({ thinking: { type: 'enabled' } }, llama)).toBeUndefined();
  });
});
