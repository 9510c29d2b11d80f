import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/core/error';
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listAt, textAt } from '../helpers/json.js';
import {
  modelRows,
  picture,
  type SdkGateway,
  startSdkGateway,
  tooLong,
} from '../helpers/sdk-gateway.js';
import type { Step } from '../helpers/upstream.js';

let gateway: SdkGateway;
let client: OpenAI;
beforeEach(async () => {
  gateway = await startSdkGateway();
  client = new OpenAI({ apiKey: gateway.key, baseURL: gateway.baseURL, maxRetries: 0 });
});
afterEach(() => gateway.close());

const hello: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Say hello' }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

async function chunksOf(
  stream: AsyncIterable<ChatCompletionChunk>,
): Promise<ChatCompletionChunk[]> {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const textOf = (chunks: readonly ChatCompletionChunk[]): string =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');

/** What a call comes to: the error that it raised. */
async function raised(call: PromiseLike<unknown>): Promise<APIError> {
  const outcome = await Promise.resolve(call).then(
    () => null,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(APIError);
  return outcome as APIError;
}

describe.each(modelRows)('the openai SDK, with %s behind the gateway,', (_name, model) => {
  it('gets a completion with its text, finish reason and usage', async () => {
    gateway.upstream.script([
      { text: ['Grüß', ' Gott ', '👋'], usage: { prompt: 12, completion: 7, cached: 4 } },
    ]);
    const completion = await client.chat.completions.create({ model, messages: hello });
    expect(completion).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Grüß Gott 👋' },
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 7,
        total_tokens: 19,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    });
    expect(completion.id).toEqual(expect.stringMatching(/./));
    expect(completion.created).toBeGreaterThan(1_600_000_000);
    expect(model).toContain(completion.model.replace('-test', ''));
  });

  it('gets a stream of a role, the text, one finish reason, and no usage that it did not ask for', async () => {
    gateway.upstream.script([{ text: ['Hel', 'lo ', 'wörld'] }]);
    const chunks = await chunksOf(
      await client.chat.completions.create({ model, messages: hello, stream: true }),
    );
    expect(textOf(chunks)).toBe('Hello wörld');
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.filter((chunk) => chunk.choices[0]?.delta.role)).toHaveLength(1);
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? [])).toEqual(['stop']);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.filter((chunk) => chunk.usage)).toEqual([]);
  });

  it('gets chunks that all belong to the same answer', async () => {
    gateway.upstream.script([{ reasoning: ['hm'], text: ['a', 'b'] }]);
    const chunks = await chunksOf(
      await client.chat.completions.create({
        model,
        messages: hello,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    for (const field of ['id', 'model', 'created', 'object'] as const)
      expect(new Set(chunks.map((chunk) => chunk[field])), field).toHaveLength(1);
    expect(chunks[0]).toMatchObject({
      object: 'chat.completion.chunk',
      id: expect.stringMatching(/./),
    });
    for (const { choices } of chunks)
      for (const choice of choices) expect(choice.finish_reason).not.toBe(undefined);
  });

  it('gets usage in a last chunk without choices where it asks for it', async () => {
    gateway.upstream.script([{ usage: { prompt: 12, completion: 7, cached: 4 } }]);
    const chunks = await chunksOf(
      await client.chat.completions.create({
        model,
        messages: hello,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 7,
        total_tokens: 19,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    });
    expect(chunks.filter((chunk) => chunk.usage)).toHaveLength(1);
  });

  it('gets a cut answer with the reason for it', async () => {
    gateway.upstream.script([{ text: ['Once upon'], finish: 'length' }]);
    const whole = await client.chat.completions.create({
      model,
      messages: hello,
      max_completion_tokens: 2,
    });
    expect(whole.choices[0]?.finish_reason).toBe('length');
    const streamed = await client.chat.completions
      .stream({ model, messages: hello, max_completion_tokens: 2 })
      .finalChatCompletion();
    expect(streamed.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'Once upon' },
    });
  });

  it('gets tool calls whole', async () => {
    gateway.upstream.script([
      {
        toolCalls: [
          { name: 'weather', arguments: { city: 'Bern' } },
          { name: 'weather', arguments: { city: 'Zürich' } },
        ],
      },
    ]);
    const { choices } = await client.chat.completions.create({
      model,
      messages: hello,
      tools: [weather],
    });
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    const calls = choices[0]?.message.tool_calls ?? [];
    expect(
      calls.map(
        (call) =>
          call.type === 'function' && [call.function.name, JSON.parse(call.function.arguments)],
      ),
    ).toEqual([
      ['weather', { city: 'Bern' }],
      ['weather', { city: 'Zürich' }],
    ]);
    expect(new Set(calls.map(({ id }) => id))).toHaveLength(2);
  });

  it('puts tool deltas together with its stream helper', async () => {
    gateway.upstream.script([
      {
        text: ['Let me see.'],
        toolCalls: [
          { name: 'weather', arguments: { city: 'Bern' } },
          { name: 'weather', arguments: { city: 'Zürich' } },
        ],
      },
    ]);
    const stream = client.chat.completions.stream({
      model,
      messages: hello,
      tools: [weather],
      stream_options: { include_usage: true },
    });
    const done: unknown[] = [];
    stream.on(
      'tool_calls.function.arguments.done',
      ({ index, name, arguments: text }) => void done.push([index, name, JSON.parse(text)]),
    );
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Let me see.' },
    });
    expect(done).toEqual([
      [0, 'weather', { city: 'Bern' }],
      [1, 'weather', { city: 'Zürich' }],
    ]);
    expect(completion.usage).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
    });
  });

  it.each([[true], [false]])(
    'runs tools and sends their results back (stream: %s)',
    async (stream) => {
      gateway.upstream.script([
        { toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] },
        { text: ['Rain', ' in Bern.'] },
      ]);
      const asked: string[] = [];
      const tools = [
        {
          type: 'function' as const,
          function: {
            ...weather.function,
            parse: JSON.parse as (text: string) => { city: string },
            function: ({ city }: { city: string }) => {
              asked.push(city);
              return 'rain, 7 degrees';
            },
          },
        },
      ];
      const runner = stream
        ? client.chat.completions.runTools({ model, messages: hello, tools, stream: true })
        : client.chat.completions.runTools({ model, messages: hello, tools });
      expect(await runner.finalContent()).toBe('Rain in Bern.');
      expect(asked).toEqual(['Bern']);
      expect(gateway.upstream.requests).toHaveLength(2);
      expect(gateway.upstream.requests[1]?.raw.toString()).toContain('rain, 7 degrees');
    },
  );

  it('sends a picture', async () => {
    await client.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: picture } },
          ],
        },
      ],
    });
    expect(gateway.upstream.requests[0]?.raw.toString()).toContain(
      picture.slice(picture.indexOf(',') + 1),
    );
    expect(gateway.upstream.requests[0]?.raw.toString()).toContain('image/png');
  });

  it('gets an answer to a schema, parsed', async () => {
    gateway.upstream.script([{ text: ['{"city":', '"Bern"}'] }]);
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const format = {
      type: 'json_schema' as const,
      json_schema: { name: 'place', strict: true, schema },
    };
    const completion = await client.chat.completions.parse({
      model,
      messages: hello,
      response_format: format,
    });
    expect(completion.choices[0]?.message.parsed).toEqual({ city: 'Bern' });
    expect(gateway.upstream.requests[0]?.raw.toString()).toContain('"required":["city"]');
  });

  it.each([
    ['length', LengthFinishReasonError],
    ['content_filter', ContentFilterFinishReasonError],
  ] as const)(
    'raises the error of its parser where an answer to a schema ends with %s',
    async (finish, errorClass) => {
      gateway.upstream.script([{ text: ['{"city":'], finish }]);
      const asked = { model, messages: hello, response_format: { type: 'json_object' as const } };
      const parsed = client.chat.completions.parse(asked);
      await expect(parsed).rejects.toBeInstanceOf(errorClass);
    },
  );

  it('sees reasoning beside the text', async () => {
    gateway.upstream.script([{ reasoning: ['Think', 'ing.'], text: ['Yes'] }]);
    const completion = await client.chat.completions.create({ model, messages: hello });
    expect(completion.choices[0]?.message).toMatchObject({
      content: 'Yes',
      reasoning_content: 'Thinking.',
    });
    const chunks = await chunksOf(
      await client.chat.completions.create({ model, messages: hello, stream: true }),
    );
    expect(
      chunks.map((chunk) => textAt(chunk, 'choices', 0, 'delta', 'reasoning_content')).join(''),
    ).toBe('Thinking.');
    expect(textOf(chunks)).toBe('Yes');
  });

  it('raises RateLimitError, with the wait, when the provider limits it', async () => {
    gateway.upstream.script([{ status: 429, headers: { 'retry-after': '60' } }]);
    for (const stream of [false, true]) {
      const error = await raised(
        client.chat.completions.create({ model, messages: hello, stream }),
      );
      expect(error).toBeInstanceOf(RateLimitError);
      // Gemini says it in the body as well, and there it counts
      expect(error.headers?.get('retry-after')).toBe(model.startsWith('google') ? '2' : '60');
      expect(error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    }
  });

  it("raises BadRequestError with the provider's reason when it refuses the request", async () => {
    gateway.upstream.script([{ status: 400 }]);
    for (const stream of [false, true]) {
      const error = await raised(
        client.chat.completions.create({ model, messages: hello, stream }),
      );
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error.message).toContain('scripted 400');
      expect(error.type).toMatch(/invalid_request_error/);
    }
  });

  it('raises BadRequestError with context_length_exceeded when the conversation is too long', async () => {
    gateway.upstream.script([{ status: 400, body: tooLong[model] }]);
    for (const stream of [false, true]) {
      const error = await raised(
        client.chat.completions.create({ model, messages: hello, stream }),
      );
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
      // the text alone is what some frameworks read
      expect(String(error).match(/context_length_exceeded/g)).toHaveLength(1);
    }
  });

  it('keeps the code and parameter of the provider, where it has them', async () => {
    const isCompatible = model.startsWith('compatible');
    gateway.upstream.script([
      {
        status: 400,
        body: isCompatible
          ? {
              error: {
                message: "Unsupported value: 'temperature' does not support 0.2.",
                type: 'invalid_request_error',
                param: 'temperature',
                code: 'unsupported_value',
              },
            }
          : { error: { message: 'temperature: must be 1', type: 'invalid_request_error' } },
      },
    ]);
    const error = await raised(client.chat.completions.create({ model, messages: hello }));
    expect(error).toMatchObject({
      status: 400,
      param: 'temperature',
      code: isCompatible ? 'unsupported_value' : 'request_refused',
    });
  });

  it('raises NotFoundError with model_not_found when the provider does not have the model', async () => {
    gateway.upstream.script([{ status: 404 }]);
    const error = await raised(client.chat.completions.create({ model, messages: hello }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model' });
  });

  it("raises InternalServerError when the provider does not accept the gateway's key: that is no fault of the client", async () => {
    gateway.upstream.script([{ status: 401 }]);
    const error = await raised(client.chat.completions.create({ model, messages: hello }));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status: 502, code: 'all_failed' });
    expect(JSON.stringify(error.error)).not.toMatch(/(compatible|claude|google)-key/);
  });

  it.each(['unavailable', 'overloaded inside a 200'])(
    'does not repeat what the gateway has repeated (%s)',
    async (what) => {
      gateway.upstream.script([
        what === 'unavailable' ? { status: 503 } : { errorUnder200: 'first' },
      ]);
      const patient = new OpenAI({ apiKey: gateway.key, baseURL: gateway.baseURL, maxRetries: 2 });
      for (const [n, stream] of [false, true].entries()) {
        const error = await raised(
          patient.chat.completions.create({ model, messages: hello, stream }),
        );
        expect(error).toBeInstanceOf(InternalServerError);
        expect(error.status).toBe(503);
        expect(gateway.upstream.requests).toHaveLength(n + 1);
      }
    },
  );

  it.each([
    ['is reset', { reset: 'afterContent' }],
    ['breaks off with an error', { errorUnder200: 'afterContent' }],
    ['ends without its end', { endWithoutMarker: true }],
  ] as const)('raises, after the text that came, when the stream %s', async (_what, fault) => {
    gateway.upstream.script([fault]);
    const stream = await client.chat.completions.create({ model, messages: hello, stream: true });
    let text = '';
    const error = await raised(
      (async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      })(),
    );
    expect('Hello'.startsWith(text) && text).toBeTruthy();
    expect(error.error).toMatchObject({
      message: expect.any(String),
      code: expect.any(String),
      type: 'api_error',
    });
  });

  it('cancels the upstream call when it aborts a stream', async () => {
    gateway.upstream.script([{ hang: 'afterContent' }]);
    const stream = await client.chat.completions.create({ model, messages: hello, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    stream.controller.abort();
    await gateway.upstream.closed(0);
  });

  it.each([[false], [true]])(
    'cancels the upstream call when it aborts before the first token (stream: %s)',
    async (stream) => {
      gateway.upstream.script([{ hang: 'beforeHeaders' }]);
      const leaving = new AbortController();
      const outcome = raised(
        client.chat.completions.create(
          { model, messages: hello, stream },
          { signal: leaving.signal },
        ),
      );
      await gateway.upstream.received(0);
      leaving.abort();
      expect(await outcome).toBeInstanceOf(APIUserAbortError);
      await gateway.upstream.closed(0);
    },
  );
});

describe('the openai SDK, with its own dialect behind the gateway,', () => {
  const model = 'compatible/gpt-test';

  it('gets several choices, whole and streamed', async () => {
    const whole = await client.chat.completions.create({ model, messages: hello, n: 2 });
    expect(whole.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'Hello'],
      [1, 'Hello'],
    ]);
    const helper = client.chat.completions.stream({ model, messages: hello, n: 2 });
    const { choices } = await helper.finalChatCompletion();
    expect(
      choices.map(({ index, message, finish_reason: reason }) => [index, message.content, reason]),
    ).toEqual([
      [0, 'Hello', 'stop'],
      [1, 'Hello', 'stop'],
    ]);
  });

  it('gets log probabilities, whole and streamed', async () => {
    const token = {
      token: 'Hi',
      logprob: -0.25,
      bytes: [72, 105],
      top_logprobs: [{ token: 'Hi', logprob: -0.25, bytes: [72, 105] }],
    };
    const head = { id: 'c', created: 1, model: 'gpt-test' };
    const body = {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null },
          logprobs: { content: [token], refusal: null },
          finish_reason: 'stop',
        },
      ],
    };
    const chunk = {
      ...head,
      object: 'chat.completion.chunk',
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', content: 'Hi' },
          logprobs: { content: [token], refusal: null },
          finish_reason: null,
        },
      ],
    };
    const last = {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }],
    };
    gateway.upstream.script([
      { raw: Buffer.from(JSON.stringify(body)), contentType: 'application/json' },
      {
        raw: Buffer.from(
          [chunk, last].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') +
            'data: [DONE]\n\n',
        ),
        contentType: 'text/event-stream',
      },
    ]);
    const question = { model, messages: hello, logprobs: true, top_logprobs: 1 };
    expect((await client.chat.completions.create(question)).choices[0]?.logprobs?.content).toEqual([
      token,
    ]);
    const chunks = await chunksOf(
      await client.chat.completions.create({ ...question, stream: true }),
    );
    expect(chunks.map(({ choices }) => choices[0]?.logprobs?.content)).toEqual([
      [token],
      undefined,
    ]);
    expect(gateway.upstream.requests[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 1 });
  });

  it('has fields that the gateway does not know passed on', async () => {
    const body: ChatCompletionCreateParamsNonStreaming & { own_field: object } = {
      model,
      messages: hello,
      logit_bias: { 7: 1 },
      own_field: { deep: [1] },
      service_tier: 'flex',
    };
    await client.chat.completions.create(body);
    expect(gateway.upstream.requests[0]?.body).toEqual({
      model: 'gpt-test',
      messages: hello,
      logit_bias: { 7: 1 },
      own_field: { deep: [1] },
      service_tier: 'flex',
    });
  });

  it.each(['max_tokens', 'max_completion_tokens'])(
    'may send %s: 0, which counts as no limit',
    async (field) => {
      await client.chat.completions.create({ model, messages: hello, [field]: 0 });
      expect(gateway.upstream.requests[0]?.body).toEqual({ model: 'gpt-test', messages: hello });
    },
  );

  it('has what is said to the gateway alone kept from the provider', async () => {
    const reply = await fetch(`${gateway.url}/api/v1/model-select`, {
      method: 'POST',
      headers: { ...gateway.auth, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: hello, llm_providers: [{ name: model }] }),
    });
    const { session_id: previousSession } = (await reply.json()) as { session_id: string };
    const body: ChatCompletionCreateParamsNonStreaming & Record<string, unknown> = {
      model,
      messages: hello,
      tradeoff: 'cost',
      fallback_models: [],
      preference_id: null,
      previous_session: previousSession,
    };
    await client.chat.completions.create(body);
    expect(gateway.upstream.requests[0]?.body).toEqual({ model: 'gpt-test', messages: hello });
  });
});

describe('the openai SDK, with a translated provider behind the gateway,', () => {
  it('is told where a provider cannot give several choices', async () => {
    const error = await raised(
      client.chat.completions.create({ model: 'claude/claude-sonnet-4-5', messages: hello, n: 2 }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.code).toBe('unsupported_value');
    expect(error.message).toContain('one answer');
  });
});

describe('the openai SDK asks for embeddings', () => {
  it.each([['compatible/embed'], ['google/gemini-embedding-001']])(
    'and decodes what it asked for as base64 (%s)',
    async (model) => {
      const vectors = [
        [0.25, -0.5, 0],
        [0.25, -0.5, 1],
      ];
      if (model.startsWith('google'))
        gateway.upstream.script([
          {
            raw: Buffer.from(JSON.stringify({ embeddings: vectors.map((values) => ({ values })) })),
            contentType: 'application/json',
          },
        ]);
      const { data, object } = await client.embeddings.create({ model, input: ['a', 'b'] });
      expect(object).toBe('list');
      expect(data.map(({ index, embedding }) => [index, [...embedding]])).toEqual([
        [0, vectors[0]],
        [1, vectors[1]],
      ]);
    },
  );

  it('and gets numbers where it asks for them', async () => {
    const { data, usage } = await client.embeddings.create({
      model: 'compatible/embed',
      input: 'a',
      encoding_format: 'float',
      dimensions: 3,
    });
    expect(data[0]?.embedding).toEqual([0.25, -0.5, 0]);
    expect(usage).toEqual({ prompt_tokens: 10, total_tokens: 10 });
    expect(gateway.upstream.requests[0]?.body).toEqual({
      model: 'embed',
      input: 'a',
      encoding_format: 'float',
      dimensions: 3,
    });
  });

  it('and raises where the provider has none', async () => {
    const error = await raised(
      client.embeddings.create({ model: 'claude/claude-sonnet-4-5', input: 'a' }),
    );
    expect(error).toMatchObject({ status: 400, param: 'model', code: 'bad_request' });
    expect(error.message).toContain('claude has no embeddings');
  });
});

describe('the openai SDK asks for models', () => {
  it('and lists them, auto first', async () => {
    const { data } = await client.models.list();
    expect(data[0]).toMatchObject({ id: 'auto', object: 'model' });
    expect(data.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'compatible/gpt-test',
        'claude/claude-sonnet-4-5',
        'google/gemini-2.5-flash',
      ]),
    );
  });

  it('and retrieves one, whose name has a slash', async () => {
    expect(await client.models.retrieve('claude/claude-sonnet-4-5')).toMatchObject({
      id: 'claude/claude-sonnet-4-5',
      object: 'model',
      owned_by: 'claude',
    });
    expect(await client.models.retrieve('claude-sonnet-4-5')).toMatchObject({
      id: 'claude/claude-sonnet-4-5',
    });
    expect(await raised(client.models.retrieve('claude/nothing'))).toBeInstanceOf(NotFoundError);
  });
});

describe('the openai SDK raises', () => {
  it('AuthenticationError for a wrong key, whatever it asks', async () => {
    const stranger = new OpenAI({ apiKey: 'sk_wrong', baseURL: gateway.baseURL, maxRetries: 0 });
    const calls = [
      stranger.chat.completions.create({ model: 'auto', messages: hello }),
      stranger.chat.completions.create({ model: 'auto', messages: hello, stream: true }),
      stranger.models.list(),
      stranger.embeddings.create({ model: 'compatible/embed', input: 'a' }),
    ];
    for (const error of await Promise.all(calls.map(raised))) {
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(error).toMatchObject({ type: 'authentication_error', code: 'invalid_api_key' });
      expect(error.requestID).toEqual(expect.stringMatching(/./));
      expect(error.message).not.toContain('sk_wrong');
    }
    expect(gateway.upstream.requests).toEqual([]);
  });

  it.each([
    ['no messages', { model: 'compatible/gpt-test', messages: [] }, 'messages'],
    [
      'an unknown role',
      { model: 'compatible/gpt-test', messages: [{ role: 'robot', content: 'x' }] },
      'messages[0][role]',
    ],
  ])('BadRequestError, which names the field, for %s', async (_what, fields, param) => {
    const body = Object.assign({ messages: hello }, fields);
    const error = await raised(
      client.chat.completions.create(body as ChatCompletionCreateParamsNonStreaming),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ type: 'invalid_request_error', param, code: 'bad_request' });
    expect(error.message).toContain(param);
  });
});

describe('the openai SDK raises NotFoundError with model_not_found', () => {
  it.each([
    ['a name that no provider has', { model: 'nobody-has-this' }, 'model'],
    ['a provider that is not configured', { model: 'nobody/gpt-test' }, 'model'],
    [
      'a list of models of which none is configured',
      { model: 'auto', models: ['nobody/a', 'nobody/b'] },
      'models[0]',
    ],
  ])('for %s', async (_what, fields, param) => {
    const body = { messages: hello, ...fields } as ChatCompletionCreateParamsNonStreaming;
    const error = await raised(client.chat.completions.create(body));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ type: 'invalid_request_error', param, code: 'model_not_found' });
    expect(error.message).toContain('nobody');
  });

  it('for embeddings of such a provider', async () => {
    const error = await raised(client.embeddings.create({ model: 'nobody/embed', input: 'a' }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ param: 'model', code: 'model_not_found' });
  });
});

describe('the openai SDK raises BadRequestError', () => {
  it("with context_length_exceeded where the gateway's own check finds the conversation too long", async () => {
    const small = await startSdkGateway({
      models: { 'compatible/small': { contextLength: 100 } },
    });
    const openai = new OpenAI({ apiKey: small.key, baseURL: small.baseURL, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'word '.repeat(1_000) }];
    const error = await raised(
      openai.chat.completions.create({ model: 'compatible/small', messages }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
    // some clients read the message alone
    expect(String(error)).toContain('context_length_exceeded');
    await small.close();
  });

  it("with content_filter where Azure's filter refuses the prompt", async () => {
    gateway.upstream.script([
      {
        status: 400,
        body: {
          error: {
            message: "The response was filtered due to Azure OpenAI's content management policy.",
            type: null,
            param: 'prompt',
            code: 'content_filter',
            status: 400,
            innererror: { code: 'ResponsibleAIPolicyViolation' },
          },
        },
      },
    ]);
    const body = { model: 'compatible/gpt-test', messages: hello };
    const error = await raised(client.chat.completions.create(body));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'content_filter', param: 'prompt' });
  });
});

describe('the openai SDK leaves the choice to the gateway', () => {
  const asked = (n = 0): string => gateway.upstream.requests[n]?.path ?? '';

  it('with model auto: the best of the configured models answers, and the answer says which', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'auto', messages: hello })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('Hello');
    expect(data.model).toBe('claude-sonnet-4-5');
    expect(response.headers.get('x-signalbox-model')).toBe('claude/claude-sonnet-4-5');
    expect(asked()).toBe('/v1/messages');
  });

  it('with model auto and a list of models: the best of these', async () => {
    const body = {
      model: 'auto',
      models: ['compatible/gpt-test', 'google/gemini-2.5-flash'],
      messages: hello,
    };
    expect((await client.chat.completions.create(body)).choices[0]?.message.content).toBe('Hello');
    expect(asked(0)).toContain('gemini-2.5-flash:generateContent');
    const streamed = client.chat.completions.stream({ ...body });
    expect(await streamed.finalContent()).toBe('Hello');
    expect(asked(1)).toContain('gemini-2.5-flash:streamGenerateContent');
    expect(gateway.upstream.requests[0]?.body).not.toHaveProperty('models');
  });

  it('with a tradeoff of cost: the cheapest that is good enough', async () => {
    const models = Object.fromEntries(
      [
        ['compatible/gpt-test', 2],
        ['claude/claude-sonnet-4-5', 1],
        ['google/gemini-2.5-flash', 3],
      ].map(([name, price]) => [name, { inputPrice: price, outputPrice: price, quality: 0.5 }]),
    );
    const equals = await startSdkGateway({
      models: models as Record<string, { quality: number }>,
      routing: { tolerance: 0.1 },
    });
    try {
      const frugal = new OpenAI({ apiKey: equals.key, baseURL: equals.baseURL });
      const body: ChatCompletionCreateParamsNonStreaming & { tradeoff: string } = {
        model: 'auto',
        messages: hello,
        tradeoff: 'cost',
      };
      expect((await frugal.chat.completions.create(body)).model).toBe('claude-sonnet-4-5');
    } finally {
      await equals.close();
    }
  });

  it('and another provider answers where the best one does not', async () => {
    gateway.upstream.script([
      (call): Step => (call.path === '/v1/messages' ? { status: 503 } : {}),
    ]);
    const { response } = await client.chat.completions
      .create({ model: 'auto', messages: hello })
      .withResponse();
    expect(response.headers.get('x-signalbox-model')).toBe('google/gemini-2.5-flash');
    const streamed = await chunksOf(
      await client.chat.completions.create({ model: 'auto', messages: hello, stream: true }),
    );
    expect(textOf(streamed)).toBe('Hello');
    expect(listAt(streamed, 0, 'choices')).toHaveLength(1);
  });
});
