import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  chatModel,
  everyModel,
  finalOf,
  otherModels,
  outputOf,
  ownModel,
  type ResponsesWorld,
  startResponses,
  textOf,
  typesOf,
} from '../../helpers/responses.js';
import { at, listAt, textAt } from '../../helpers/json.js';

let world: ResponsesWorld;
beforeAll(async () => {
  world = await startResponses();
});
afterAll(() => world.close());
beforeEach(() => {
  world.upstream.script([]);
  world.upstream.requests.length = 0;
});

const weather = {
  type: 'function',
  name: 'weather',
  description: 'The weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
};

describe.each(everyModel)('a response of %s', (model) => {
  it('has text, ids and usage', async () => {
    const { status, json } = await world.ask({ model, input: 'Say hello' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      object: 'response',
      id: expect.stringMatching(/^resp_/),
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ text: 'Hello' }] }],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    });
  });

  it('is the same as a stream of numbered events that ends with the whole', async () => {
    const streamed = await world.stream({ model, input: 'Say hello' });
    const types = typesOf(streamed);
    expect(types[0]).toBe('response.created');
    expect(types).toContain('response.output_text.delta');
    expect(types.at(-1)).toBe('response.completed');
    expect(streamed.events.map((event) => at(event, 'sequence_number'))).toEqual(
      streamed.events.map((_event, index) => index),
    );
    expect(textOf(finalOf(streamed))).toBe('Hello');
    expect(finalOf(streamed)).toMatchObject({ status: 'completed', usage: { input_tokens: 10 } });
    expect(streamed.frames.map(({ event }) => event)).toEqual(
      streamed.events.map((event) => at(event, 'type')),
    );
  });

  it('calls a function, and takes what came of it', async () => {
    world.upstream.script([
      { toolCalls: [{ id: 'call_a', name: 'weather', arguments: { city: 'Oslo' } }] },
    ]);
    const first = await world.stream({ model, input: 'Weather?', tools: [weather] });
    const items = outputOf(finalOf(first));
    expect(items).toMatchObject([
      { type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' },
    ]);
    expect(typesOf(first)).toContain('response.function_call_arguments.delta');
    world.upstream.script([{ text: ['Sunny'] }]);
    const second = await world.ask({
      model,
      tools: [weather],
      input: [
        { role: 'user', content: 'Weather?' },
        ...items,
        { type: 'function_call_output', call_id: at(items[0], 'call_id'), output: 'sun' },
      ],
    });
    expect(textOf(second.json)).toBe('Sunny');
    expect(JSON.stringify(world.sent())).toContain('sun');
  });
});

describe.each(otherModels)('a translated response of %s', (model) => {
  it('has the events of the dialect, in their order', async () => {
    world.upstream.script([
      {
        reasoning: ['I ', 'think'],
        text: ['It ', 'is'],
        toolCalls: [{ id: 'call_a', name: 'weather', arguments: { city: 'Oslo' } }],
      },
    ]);
    const streamed = await world.stream({ model, input: 'Weather?', tools: [weather] });
    expect(typesOf(streamed)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const output = outputOf(finalOf(streamed));
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I think' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'It is', annotations: [] }] },
      { type: 'function_call', status: 'completed', name: 'weather' },
    ]);
    const isSigned = /claude/.test(model);
    expect(textAt(output[0], 'encrypted_content').startsWith('sbx1.')).toBe(isSigned);

    await world.ask({
      model,
      tools: [weather],
      input: [{ role: 'user', content: 'a' }, ...output],
    });
    expect(JSON.stringify(world.sent()).includes('signature')).toBe(isSigned);
    await world.ask({ model: ownModel, input: [{ role: 'user', content: 'a' }, ...output] });
    // without the reasoning, and with a result for the call
    expect(listAt(world.sent(), 'input')).toHaveLength(4);
  });

  it('is incomplete where the limit of tokens was reached', async () => {
    world.upstream.script([{ text: ['Hel'], finish: 'length' }]);
    const streamed = await world.stream({ model, input: 'Hi', max_output_tokens: 16 });
    expect(typesOf(streamed).at(-1)).toBe('response.incomplete');
    expect(finalOf(streamed)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
  });
});

describe('a request', () => {
  it('is forwarded to a provider of its dialect with all that it has, and stored by none', async () => {
    const body = {
      model: ownModel,
      input: [{ role: 'user', content: 'Hi', new_field: { deep: [1] } }],
      truncation: 'auto',
      something_new: { a: null },
      store: true,
    };
    await world.ask(body);
    expect(world.sent()).toEqual({
      ...body,
      model: 'gpt-test',
      store: false,
      include: ['reasoning.encrypted_content'],
    });
  });

  it('has the calls of one turn in one message, also with reasoning between them', async () => {
    const call = (id: string): object => ({
      type: 'function_call',
      call_id: id,
      name: 'f',
      arguments: '{}',
    });
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] };
    const output = (id: string): object => ({
      type: 'function_call_output',
      call_id: id,
      output: id,
    });
    await world.ask({
      input: [
        { role: 'user', content: 'Hi' },
        ...[thought, call('a'), thought, call('b'), output('a'), output('b')],
      ],
    });
    expect(listAt(world.sent(), 'messages')).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', tool_call_id: 'a' },
      { role: 'tool', tool_call_id: 'b' },
    ]);
  });

  it('reads a part of a message that is no list', async () => {
    const part = (type: string, text: string): object => ({ content: { type, text } });
    await world.ask({
      input: [
        { role: 'user', ...part('input_text', 'Hi') },
        { role: 'assistant', ...part('output_text', 'Hello') },
        { role: 'user', content: 'Go on' },
      ],
    });
    expect(at(world.sent(), 'messages')).toMatchObject(
      ['Hi', 'Hello', 'Go on'].map((content) => ({ content })),
    );
  });

  it('gives other dialects its instructions, format and effort', async () => {
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const format = { type: 'json_schema', name: 'a', schema, strict: true };
    await world.ask({
      instructions: 'Be brief',
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'Use metres' }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
          ],
        },
      ],
      text: { format, verbosity: 'low' },
      reasoning: { effort: 'low', summary: 'auto' },
      max_output_tokens: 99,
      client_metadata: { installation: 'secret-install' },
      metadata: { note: 'secret-note' },
      prompt_cache_key: 'thread',
    });
    expect(world.sent()).toEqual({
      model: 'gpt-test',
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'system', content: 'Use metres' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          ],
        },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema, strict: true },
      },
      reasoning_effort: 'low',
      verbosity: 'low',
      max_completion_tokens: 99,
      prompt_cache_key: 'thread',
    });
  });

  it('gives other dialects the effort and the form that its input changed last', async () => {
    const update = (settings: object) => ({ type: 'configuration_update', ...settings });
    const input = [
      { role: 'user', content: 'One' },
      update({ reasoning: { effort: 'high' }, text: { format: { type: 'json_object' } } }),
      { role: 'user', content: 'Two' },
      update({ id: 'cu_1', reasoning: { effort: 'medium' } }),
      update({ reasoning: null, text: null }),
      update({ reasoning: { effort: 5 }, text: { format: 'text' } }),
    ];
    const asked = { text: { verbosity: 'low' }, reasoning: { effort: 'low' }, input };
    expect(await world.ask(asked)).toMatchObject({ status: 200 });
    expect(world.sent()).toEqual({
      model: 'gpt-test',
      messages: [
        { role: 'user', content: 'One' },
        { role: 'user', content: 'Two' },
      ],
      response_format: { type: 'json_object' },
      reasoning_effort: 'medium',
      verbosity: 'low',
    });
  });

  it.each([
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['conversation', { conversation: 'conv_1' }],
  ])('with %s is refused with a reason', async (field, body) => {
    expect(await world.ask({ input: 'Hi', ...body })).toMatchObject({
      status: 400,
      json: {
        error: {
          code: 'bad_request',
          param: field,
          message: expect.stringMatching(`${field}: is not supported: `),
        },
      },
    });
  });

  it('is told what a model does not take of it, by the names of the dialect', async () => {
    world.upstream.script([]);
    const asked = { input: 'Hi', temperature: 0.5, max_output_tokens: 50, top_p: 0.5 };
    const left = async (model: string) =>
      at(finalOf(await world.stream({ ...asked, model })), 'warnings');
    expect(await left(chatModel)).toBeUndefined();
    expect(await left(`${chatModel.split('/')[0]}/o3`)).toMatchObject([
      { field: 'temperature' },
      { field: 'top_p' },
    ]);
  });

  it('goes to the next model where the first does not answer', async () => {
    world.upstream.script([{ status: 500 }, {}]);
    const streamed = await world.stream({
      model: ownModel,
      fallback_models: [chatModel],
      input: 'Hi',
    });
    expect(world.upstream.requests.map(({ path }) => path)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
    ]);
    expect(textOf(finalOf(streamed))).toBe('Hello');
    expect(typesOf(streamed).filter((type) => type === 'response.created')).toHaveLength(1);
  });
});

describe('tools that only some dialects have', () => {
  const tools = [
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Patches',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    },
    { type: 'namespace', name: 'agents', description: '', tools: [{ ...weather, name: 'close' }] },
    { type: 'tool_search' },
    { type: 'web_search' },
  ];

  it.each(otherModels)('are functions for %s, and themselves again in its calls', async (model) => {
    world.upstream.script([
      {
        toolCalls: [
          { id: 'call_a', name: 'apply_patch', arguments: { input: 'x "y"' } },
          { id: 'call_b', name: 'agents__close', arguments: { target: 't' } },
        ],
      },
    ]);
    const streamed = await world.stream({ model, input: 'Do', tools });
    const response = finalOf(streamed);
    const [patch, close] = outputOf(response);
    expect(patch).toMatchObject({ type: 'custom_tool_call', name: 'apply_patch', input: 'x "y"' });
    expect(close).toMatchObject({
      type: 'function_call',
      namespace: 'agents',
      name: 'close',
      arguments: '{"target":"t"}',
    });
    expect(
      streamed.events.filter((event) => String(at(event, 'type')).includes('custom_tool_call')),
    ).toMatchObject([{ delta: 'x "y"' }, { input: 'x "y"' }]);
    expect(at(response, 'warnings')).toMatchObject([
      { field: 'tools: tool_search' },
      { field: 'tools: web_search' },
    ]);

    world.upstream.script([]);
    await world.ask({
      model,
      tools,
      input: [
        { role: 'user', content: 'Do' },
        patch,
        close,
        { type: 'custom_tool_call_output', call_id: at(patch, 'call_id'), output: 'patched' },
        { type: 'function_call_output', call_id: at(close, 'call_id'), output: 'closed' },
      ],
    });
    const sent = JSON.stringify(world.sent());
    for (const part of ['agents__close', 'apply_patch', 'patched', 'closed', 'lark'])
      expect(sent).toContain(part);
    expect(sent).not.toContain('tool_search');
  });

  it('may be nested as in chat completions', async () => {
    const { type, ...named } = weather;
    const choice = { type, function: { name: 'weather' } };
    await world.ask({ input: 'Do', tools: [{ type, function: named }], tool_choice: choice });
    expect(world.sent()).toMatchObject({
      tools: [{ type, function: { name: 'weather', parameters: weather.parameters } }],
      tool_choice: choice,
    });
  });

  it.each([
    [
      { type: 'function', function: { name: 'weather' } },
      { type: 'function', name: 'weather' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [{ type: 'function', function: { name: 'weather' } }],
        },
      },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'weather' }],
      },
    ],
    ['auto', 'auto'],
  ])(
    'go to a provider of this dialect in its own form, where they are nested: %j',
    async (choice, own) => {
      const { type, ...named } = weather;
      const nested = { type, function: { ...named, strict: null } };
      const search = { type: 'web_search', search_context_size: 'low' };
      const tools = [nested, weather, search];
      const { json } = await world.ask({
        model: ownModel,
        input: 'Do',
        tools,
        tool_choice: choice,
      });
      expect(at(json, 'error')).toBeNull();
      expect(at(world.sent(), 'tools')).toEqual([{ ...weather, strict: null }, weather, search]);
      expect(at(world.sent(), 'tool_choice')).toEqual(own);
    },
  );

  it('may come as items of the input', async () => {
    const items = [
      { type: 'additional_tools', role: 'developer', tools },
      { role: 'user', content: 'Do' },
    ];
    await world.ask({ input: items });
    expect(listAt(world.sent(), 'tools').map((tool) => at(tool, 'function', 'name'))).toEqual([
      'apply_patch',
      'agents__close',
    ]);
  });

  it('keep the request from other dialects where it cannot be answered without them', async () => {
    const body = { input: 'Hi', tools: [{ type: 'mcp', server_url: 'http://x' }] };
    expect(await world.ask(body)).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('`tools: mcp` of this request') } },
    });
    await world.ask({ ...body, model: chatModel, fallback_models: [ownModel] });
    expect(world.upstream.requests.map(({ path }) => path)).toEqual(['/v1/responses']);
  });
});

describe('probabilities of tokens', () => {
  const logprob = (token: string) => {
    const one = { token, logprob: -0.1, bytes: [...Buffer.from(token)] };
    return { ...one, top_logprobs: [one] };
  };
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`;
  const include = ['message.output_text.logprobs'];

  it('come with the delta of their text, and once more with the whole', async () => {
    const raw = [
      ...['Hel', 'lo'].map((content) =>
        chunk({ delta: { content }, logprobs: { content: [logprob(content)] } }),
      ),
      chunk({ delta: { content: '!' }, logprobs: null }),
      chunk({ delta: {}, finish_reason: 'stop' }),
      'data: [DONE]\n\n',
    ];
    world.upstream.script([{ raw: Buffer.from(raw.join('')), contentType: 'text/event-stream' }]);
    const { events } = await world.stream({ input: 'Hi', include });
    const ofType = (type: string) => events.filter((event) => at(event, 'type') === type);
    const deltas = ofType('response.output_text.delta').map((event) => at(event, 'logprobs'));
    expect(deltas).toEqual([[logprob('Hel')], [logprob('lo')], []]);
    const [done] = ofType('response.output_text.done');
    expect(at(done, 'logprobs')).toEqual([logprob('Hel'), logprob('lo')]);
  });
});
