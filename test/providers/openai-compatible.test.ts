import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.js';
import type { ProviderAdapter } from '../../src/providers/adapter.js';
import { dialects } from '../../src/providers/index.js';
import { redactKeys } from '../../src/providers/failure.js';
import {
  callOf,
  type CollectedStream,
  collectPieces,
  everyCut,
} from '../helpers/collect-stream.js';

const adapterOf = (api: string): ProviderAdapter =>
  dialects.get(api)!.create({ name: api, api, baseUrl: 'http://127.0.0.1:1/v1' });
const plain = adapterOf('openai-compatible');

const chunk = (delta: object, more: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const text = (content: string): object => chunk({ content });
const finish = (reason: string): object => chunk({}, { finish_reason: reason });
const usage = (reported: object): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [],
  usage: reported,
});
const events = (...chunks: object[]): string =>
  chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
const done = 'data: [DONE]\n\n';

const whole = (body: string, adapter = plain): CollectedStream =>
  collectPieces(adapter, [Buffer.from(body)]);
const stream = (...chunks: object[]): CollectedStream => whole(events(...chunks) + done);

function failureOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe("a stream in OpenAI's dialect", () => {
  const said = events(
    chunk({ role: 'assistant', content: '' }),
    text('Grüße, '),
    text('"Wëlt" \\ 🌍'),
    text('\n'),
    finish('stop'),
    usage({ prompt_tokens: 7, completion_tokens: 3 }),
  );
  const expected = {
    text: 'Grüße, "Wëlt" \\ 🌍\n',
    finishReason: 'stop',
    ends: 1,
    usage: { promptTokens: 7, completionTokens: 3 },
  };
  const crlf = (body: string): string => body.replaceAll('\n', '\r\n');
  const everyEvent = (change: (event: string) => string): string =>
    (said + done).split('\n\n').filter(Boolean).map(change).join('');

  it.each([
    ['as OpenAI sends it', said + done],
    ['with CRLF', crlf(said + done)],
    ['without a space after the colon', (said + done).replaceAll('data: ', 'data:')],
    ['with comments between the events', everyEvent((event) => `: keep-alive\n\n${event}\n\n`)],
    [
      'with comments inside the events',
      everyEvent((event) => `: OPENROUTER PROCESSING\n${event}\n: x\n\n`),
    ],
    [
      'with names, ids and retries',
      everyEvent((event) => `event: message\nid: 1\nretry: 3000\n${event}\n\n`),
    ],
    [
      'with empty events as signs of life',
      everyEvent((event) => `data:\n\ndata: \n\n${event}\n\n`),
    ],
    ['with spaces around [DONE]', `${said}data:  [DONE] \n\n`],
    ['with a byte order mark', `\ufeff${said}${done}`],
    [
      'with JSON over several data lines',
      everyEvent((event) => `${event.replace('"choices":', '\ndata: "choices":')}\n\n`),
    ],
    ['with spaces in the JSON', everyEvent((event) => `${event.replace('":', '" : ')} \n\n`)],
    ['with no empty line at its end', `${said}data: [DONE]`],
    [
      'with more after its end marker',
      `${said}${done}${done}${events(text('more'), finish('length'))}`,
    ],
    ['with several events in one line feed each', (said + done).replaceAll('\n\n', '\n')],
  ])('%s is read alike, wherever it is cut', (_name, body) => {
    for (const pieces of everyCut(body))
      expect(collectPieces(plain, pieces)).toMatchObject(expected);
  });

  it('is passed on frame by frame, each on its own line', () => {
    const frames: (string | null)[] = [];
    const sink = {
      text: (_escaped: string, frame: string | null) => void frames.push(frame),
      chunk: (_chunk: object, frame: string | null) => void frames.push(frame),
      end: () => undefined,
    };
    plain
      .readEvents(sink, callOf())
      .push(
        Buffer.from(
          `${events(text('ä'), text('b'))}data: {"choices":\ndata: [{"index":0,"delta":{"content":"c"}}]}\n\n`,
        ),
      );
    expect(frames).toEqual([
      ...[text('ä'), text('b')].map((one) => Buffer.from(JSON.stringify(one)).toString('latin1')),
      '{"choices": [{"index":0,"delta":{"content":"c"}}]}',
    ]);
  });

  it.each<[string, object[], Partial<CollectedStream>]>([
    [
      'fields that are null',
      [
        {
          id: null,
          choices: [
            {
              index: 0,
              delta: { role: null, content: null, tool_calls: null, refusal: null },
              logprobs: null,
              finish_reason: null,
            },
          ],
          usage: null,
        },
        text('a'),
      ],
      { text: 'a' },
    ],
    [
      'no delta at all',
      [{ choices: [{ index: 0 }] }, { choices: [{ index: 0, delta: null }] }, text('a')],
      { text: 'a' },
    ],
    ['no choices', [{ prompt_filter_results: [] }, { choices: null }, text('a')], { text: 'a' }],
    ['no index', [{ choices: [{ delta: { content: 'a' } }] }], { text: 'a' }],
    [
      'unknown fields',
      [chunk({ content: 'a', x: { content: 'no' } }, { y: 1 }), text('b')],
      { text: 'ab' },
    ],
    [
      'the finish beside the last text',
      [text('a'), chunk({ content: 'b' }, { finish_reason: 'stop' })],
      { text: 'ab' },
    ],
    [
      'usage before the finish',
      [usage({ prompt_tokens: 1, completion_tokens: 2 }), text('a')],
      { text: 'a' },
    ],
    [
      'reasoning under the name reasoning_content',
      [chunk({ reasoning_content: 'hm' }), text('a')],
      { text: 'a', reasoning: 'hm' },
    ],
    [
      'parts instead of a text',
      [
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
        chunk({ content: [{ type: 'text', text: 'a' }] }),
      ],
      { text: 'a', reasoning: 'hm' },
    ],
    [
      'text that looks like an envelope',
      [text('a'), text('","finish_reason":"stop'), text('\\')],
      { text: 'a","finish_reason":"stop\\' },
    ],
  ])('is read with %s', (_name, chunks, expected) => {
    expect(stream(...chunks, finish('stop'))).toMatchObject({
      ...expected,
      finishReason: 'stop',
      ends: 1,
    });
  });

  it('ends with tool_calls where it has whole calls and no finish reason', () => {
    expect(
      stream(
        chunk({
          tool_calls: [
            { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
          ],
        }),
      ).finishReason,
    ).toBe('tool_calls');
  });

  it.each([
    ['a text', text('a')],
    ['half of a call', chunk({ tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] })],
  ])('that ends with [DONE] after %s and no finish reason is a failure', (_name, said) => {
    expect(failureOf(() => stream(said))).toMatchObject({
      code: 'unreadable_answer',
      recovery: 'once',
      message: expect.stringContaining('without a finish reason') as string,
    });
  });

  it.each(['openai-compatible', 'openai', 'xai', 'perplexity', 'vllm'])(
    'that has a finish reason is whole without [DONE]: %s',
    (api) => {
      const said = events(text('a'), finish('stop'), usage({ prompt_tokens: 1 }));
      expect(whole(said, adapterOf(api))).toMatchObject({
        text: 'a',
        finishReason: 'stop',
        ends: 1,
        usage: { promptTokens: 1 },
      });
    },
  );

  it.each([
    ['before its finish reason', events(text('a'))],
    ['in the midst of an event', `${events(text('a'))}data: {"choices":[{"index":0,"del`],
    ['before anything came', ''],
    ['after words and numbers', 'data: 7\n\ndata: ping\n\n'],
    ['after a page in place of events', '<html>\n<body>Welcome</body>\n</html>'],
  ])('that stops %s is a failure', (_name, body) => {
    expect(failureOf(() => whole(body))).toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('before the answer was complete') as string,
    });
  });

  it.each([
    ['an event that is not JSON', 'data: {"oops\n\n'],
    ['one that is not JSON behind others', `${events(text('a'))}data: [oops\n\n`],
  ])('with %s is unreadable', (_name, body) => {
    expect(failureOf(() => whole(body + done)).code).toBe('unreadable_answer');
  });
});

describe('the tool calls of a stream', () => {
  const call = (fields: object, name?: string, args?: unknown): object =>
    chunk({
      tool_calls: [
        {
          ...fields,
          type: 'function',
          function: {
            ...(name === undefined ? {} : { name }),
            ...(args === undefined ? {} : { arguments: args }),
          },
        },
      ],
    });
  const both = [
    { id: 'a', name: 'f', arguments: '{"x":1}' },
    { id: 'b', name: 'g', arguments: '{}' },
  ];

  it.each<[string, object[]]>([
    [
      'are numbered',
      [
        call({ index: 0, id: 'a' }, 'f', ''),
        call({ index: 0 }, undefined, '{"x"'),
        call({ index: 0 }, undefined, ':1}'),
        call({ index: 1, id: 'b' }, 'g', '{}'),
      ],
    ],
    [
      'arrive in alternating pieces',
      [
        call({ index: 0, id: 'a' }, 'f', '{"x"'),
        call({ index: 1, id: 'b' }, 'g', '{'),
        call({ index: 0 }, undefined, ':1}'),
        call({ index: 1 }, undefined, '}'),
      ],
    ],
    [
      'are all numbered 0',
      [call({ index: 0, id: 'a' }, 'f', '{"x":1}'), call({ index: 0, id: 'b' }, 'g', '{}')],
    ],
    [
      'are numbered from 1',
      [call({ index: 1, id: 'a' }, 'f', '{"x":1}'), call({ index: 2, id: 'b' }, 'g', '{}')],
    ],
    [
      'have no numbers',
      [call({ id: 'a' }, 'f', '{"x"'), call({}, undefined, ':1}'), call({ id: 'b' }, 'g', '{}')],
    ],
    [
      'have no index and arrive together',
      [
        chunk({
          tool_calls: [
            { id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 'b', function: { name: 'g', arguments: '{}' } },
          ],
        }),
      ],
    ],
    [
      'repeat their id',
      [
        call({ index: 0, id: 'a' }, 'f', '{"x"'),
        call({ index: 0, id: null }, undefined, ':1}'),
        call({ index: 1, id: 'b' }, 'g', '{}'),
      ],
    ],
    [
      'have an object for their arguments',
      [
        call({ index: 0, id: 'a' }, 'f', { x: 1 }),
        call({ index: 1, id: 'b' }, 'g', null),
        call({ index: 1 }, undefined, '{}'),
      ],
    ],
  ])('that %s are distinguished', (_name, chunks) => {
    expect(stream(...chunks, finish('tool_calls'))).toMatchObject({
      calls: both,
      finishReason: 'tool_calls',
    });
  });
});

describe('usage', () => {
  const counted = {
    promptTokens: 10,
    completionTokens: 5,
    reasoningTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    estimated: false,
  };
  const reported = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const variants: [string, object, object | null][] = [
    ['plain', reported, counted],
    [
      'with null details',
      { ...reported, prompt_tokens_details: null, completion_tokens_details: null },
      counted,
    ],
    [
      "with OpenAI's details",
      {
        ...reported,
        prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
      { ...counted, cachedTokens: 4, reasoningTokens: 2 },
    ],
    [
      "with OpenRouter's cache writes",
      { ...reported, prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 6 } },
      { ...counted, cacheWriteTokens: 6 },
    ],
    [
      "with DeepSeek's cache hits",
      { ...reported, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 2 },
      { ...counted, cachedTokens: 8 },
    ],
    [
      "with Moonshot's cached tokens",
      { ...reported, cached_tokens: 3 },
      { ...counted, cachedTokens: 3 },
    ],
    [
      "with Perplexity's reasoning",
      { ...reported, reasoning_tokens: 1, citation_tokens: 9 },
      { ...counted, reasoningTokens: 1 },
    ],
    [
      "with xAI's reasoning, which it counts beside the completion",
      { ...reported, total_tokens: 115, completion_tokens_details: { reasoning_tokens: 100 } },
      { ...counted, completionTokens: 105, reasoningTokens: 100 },
    ],
    ['spelled as the Responses API does', { input_tokens: 10, output_tokens: 5 }, counted],
    ['of one half only', { prompt_tokens: 10 }, { ...counted, completionTokens: 0 }],
    ['that is empty', {}, null],
    ['that is no object', 7 as never, null],
  ];

  it.each(variants)('%s is counted alike in a stream and in a body', (_name, given, expected) => {
    expect(stream(text('a'), finish('stop'), usage(given)).usage).toEqual(expected);
    expect(
      plain.readCompletion(
        JSON.stringify({ choices: [{ index: 0, message: { content: 'a' } }], usage: given }),
        callOf(),
      ).usage,
    ).toEqual(expected);
  });

  it.each<[string, object[]]>([
    [
      'in each chunk, the last one counts',
      [
        { ...text('a'), usage: { prompt_tokens: 10, completion_tokens: 1 } },
        { ...finish('stop'), usage: reported },
      ],
    ],
    ["under Groq's name", [text('a'), { ...finish('stop'), x_groq: { id: 'r', usage: reported } }]],
    ["in Moonshot's choice", [text('a'), chunk({}, { finish_reason: 'stop', usage: reported })]],
    [
      'before a chunk that has none',
      [text('a'), { ...finish('stop'), usage: reported }, usage(null as never)],
    ],
  ])('may arrive %s', (_name, chunks) => {
    expect(stream(...chunks).usage).toEqual(counted);
  });
});

describe('a failed answer', () => {
  const answers: [string, number, object | string, string, string][] = [
    [
      'openai',
      401,
      {
        error: {
          message: 'Incorrect API key provided: sk-abc*def.',
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_api_key',
        },
      },
      'provider_auth',
      'Incorrect API key provided: sk-abc*def.',
    ],
    [
      'openai',
      429,
      {
        error: {
          message: 'You exceeded your current quota',
          type: 'insufficient_quota',
          param: null,
          code: 'insufficient_quota',
        },
      },
      'quota_exhausted',
      'You exceeded your current quota',
    ],
    [
      'openai',
      404,
      {
        error: {
          message: 'The model `x` does not exist',
          type: 'invalid_request_error',
          param: null,
          code: 'model_not_found',
        },
      },
      'model_not_found',
      'The model `x` does not exist',
    ],
    [
      'openai',
      400,
      {
        error: {
          message: "Unsupported parameter: 'stop'",
          type: 'invalid_request_error',
          param: 'stop',
          code: 'unsupported_parameter',
        },
      },
      'request_refused',
      "Unsupported parameter: 'stop'",
    ],
    [
      'openai',
      400,
      {
        error: {
          message: "Unsupported value: 'stream' does not support true with this model.",
          type: 'invalid_request_error',
          param: 'stream',
          code: 'unsupported_value',
        },
      },
      'stream_refused',
      'Unsupported value',
    ],
    [
      'azure-openai',
      400,
      {
        error: {
          message: 'The response was filtered',
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: {},
        },
      },
      'request_refused',
      'The response was filtered',
    ],
    [
      'azure-openai',
      404,
      { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' } },
      'model_not_found',
      'The API deployment does not exist.',
    ],
    [
      'azure-openai',
      401,
      { statusCode: 401, message: 'Unauthorized. Access token is missing.' },
      'provider_auth',
      'Unauthorized. Access token is missing.',
    ],
    [
      'xai',
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: xa***de. You can obtain one.',
      },
      'provider_auth',
      'Incorrect API key provided: xa***de. You can obtain one.',
    ],
    [
      'xai',
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'Argument not supported on this model: stop',
      },
      'request_refused',
      'Argument not supported on this model: stop',
    ],
    ['mistral', 401, { detail: 'Invalid API Key' }, 'provider_auth', 'Invalid API Key'],
    [
      'mistral',
      422,
      {
        object: 'error',
        message: {
          detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }],
        },
        type: 'invalid_request_error',
        code: null,
      },
      'request_refused',
      'body.messages Field required',
    ],
    [
      'mistral',
      400,
      { object: 'error', message: 'Invalid model: x', type: 'invalid_model', code: '1500' },
      'request_refused',
      'Invalid model: x',
    ],
    [
      'vllm',
      422,
      {
        detail: [
          { loc: ['body', 'n'], msg: 'too large', type: 'value_error' },
          { loc: ['body'], msg: 'odd' },
        ],
      },
      'request_refused',
      'body.n too large; body odd',
    ],
    [
      'vllm',
      404,
      {
        object: 'error',
        message: 'The model `x` does not exist.',
        type: 'NotFoundError',
        param: null,
        code: 404,
      },
      'model_not_found',
      'The model `x` does not exist.',
    ],
    [
      'groq',
      400,
      {
        error: {
          message: 'Tool call validation failed',
          type: 'invalid_request_error',
          code: 'tool_use_failed',
          failed_generation: '{}',
        },
      },
      'request_refused',
      'Tool call validation failed',
    ],
    [
      'openrouter',
      402,
      { error: { message: 'Insufficient credits', code: 402 }, user_id: 'u' },
      'quota_exhausted',
      'Insufficient credits',
    ],
    [
      'openrouter',
      429,
      {
        error: {
          message: 'Provider returned error',
          code: 429,
          metadata: { raw: '…', provider_name: 'Google' },
        },
      },
      'rate_limited',
      'Provider returned error',
    ],
    [
      'perplexity',
      400,
      {
        error: {
          message: 'The total length of all messages is too long.',
          type: 'too_many_prompt_tokens',
          code: 400,
        },
      },
      'request_refused',
      'The total length',
    ],
    [
      'perplexity',
      401,
      '<html><head><title>401 Authorization Required</title></head></html>',
      'provider_auth',
      'perplexity answered 401',
    ],
    [
      'together',
      503,
      {
        error: {
          message: 'The server is overloaded',
          type: 'service_unavailable',
          param: null,
          code: 'service_unavailable',
        },
      },
      'upstream_overloaded',
      'The server is overloaded',
    ],
    [
      'huggingface',
      400,
      { error: ['Input is too long', 'and odd'], warnings: [] },
      'request_refused',
      'Input is too long; and odd',
    ],
    [
      'huggingface',
      503,
      { error: 'Model m is currently loading', estimated_time: 20 },
      'upstream_overloaded',
      'Model m is currently loading',
    ],
    [
      'ollama',
      404,
      { error: 'model "x" not found, try pulling it first' },
      'model_not_found',
      'model "x" not found',
    ],
    [
      'bedrock',
      403,
      { message: 'The security token included in the request is invalid.' },
      'provider_auth',
      'The security token',
    ],
    [
      'cohere',
      401,
      { id: 'e', message: 'invalid api token' },
      'provider_auth',
      'invalid api token',
    ],
    [
      'gemini',
      400,
      {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
        },
      },
      'provider_auth',
      'API key not valid.',
    ],
    ['openai-compatible', 500, 'Internal Server Error', 'upstream_error', 'Internal Server Error'],
    ['openai-compatible', 502, '', 'upstream_error', 'openai-compatible answered 502'],
    [
      'openai-compatible',
      400,
      [{ error: { message: 'in a list' } }],
      'request_refused',
      'in a list',
    ],
    [
      'openai-compatible',
      400,
      { errors: [{ message: 'one' }, 'two'] },
      'request_refused',
      'one; two',
    ],
    [
      'openai-compatible',
      400,
      { error: { error: { message: 'inside' } } },
      'request_refused',
      'inside',
    ],
    ['openai-compatible', 400, { error_code: 336, error_msg: 'bad' }, 'request_refused', 'bad'],
    [
      'openai-compatible',
      400,
      { error: { message: null, type: null } },
      'request_refused',
      'openai-compatible answered 400',
    ],
  ];

  it.each(answers)('of %s with status %i %j is %s', (api, status, body, code, reason) => {
    const adapter = dialects
      .get(api)!
      .create({ name: api, api, baseUrl: 'http://127.0.0.1:1', region: 'eu-west-1' });
    const failure = adapter.readFailure(
      status,
      {},
      typeof body === 'string' ? body : JSON.stringify(body),
    );
    expect(failure).toMatchObject({ code, upstreamStatus: status });
    expect(failure.message).toContain(reason);
  });

  it.each([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['a zero in ms', { 'retry-after-ms': '0', 'retry-after': '30' }, 0],
    ['a fraction', { 'retry-after': '0.5' }, 500],
    ['nothing', {}, null],
  ])('states how long to wait in %s', (_name, headers, ms) => {
    expect(plain.readFailure(429, headers, '{}').retryAfterMs).toBe(ms);
  });

  it('keeps words of a message that only begin like a key', () => {
    expect(
      redactKeys('skipping the pkcs12store of hfmodels, sk-abcdef123456 and gsk_abcdef123456'),
    ).toBe('skipping the pkcs12store of hfmodels, sk-[redacted] and gsk-[redacted]');
  });
});

describe('an error under status 200', () => {
  const errors: [string, object, string, number, string][] = [
    [
      "of OpenAI's kind",
      { error: { message: 'The server had an error', type: 'server_error', code: null } },
      'upstream_error',
      500,
      'The server had an error',
    ],
    [
      "of Azure's filter",
      { error: { message: 'filtered', code: 'content_filter', status: 400 } },
      'request_refused',
      400,
      'filtered',
    ],
    [
      "of Groq's tool check",
      {
        error: {
          message: 'no call',
          type: 'invalid_request_error',
          code: 'tool_use_failed',
          status_code: 400,
        },
      },
      'request_refused',
      400,
      'no call',
    ],
    [
      "of OpenRouter's kind",
      {
        id: 'x',
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
        error: { code: 502, message: 'upstream gone' },
      },
      'upstream_error',
      502,
      'upstream gone',
    ],
    [
      'inside a choice',
      {
        id: 'x',
        choices: [{ index: 0, error: { code: 429, message: 'slow down' }, finish_reason: 'error' }],
      },
      'rate_limited',
      429,
      'slow down',
    ],
    [
      'that is only a finish reason',
      { choices: [{ index: 0, delta: {}, finish_reason: 'error' }] },
      'upstream_error',
      500,
      'broke off its answer with the finish reason error',
    ],
    [
      "of vLLM's kind",
      { object: 'error', message: 'too long', type: 'BadRequestError', param: null, code: 400 },
      'request_refused',
      400,
      'too long',
    ],
    ['that is only text', { error: 'overloaded' }, 'upstream_error', 500, 'overloaded'],
    [
      'that is only a message',
      { message: 'no capacity left' },
      'upstream_error',
      500,
      'no capacity left',
    ],
    [
      'that is overload',
      { error: { type: 'overloaded_error', message: 'Overloaded' } },
      'upstream_overloaded',
      503,
      'Overloaded',
    ],
    [
      'whose code is text',
      { error: { code: '429', message: 'slow down' } },
      'rate_limited',
      429,
      'slow down',
    ],
  ];

  it.each(errors)(
    '%s is the failure that it means, in a body, as the first event and after some text',
    (_name, body, code, status, reason) => {
      const expected = {
        code,
        upstreamStatus: status,
        message: expect.stringContaining(reason) as string,
      };
      expect(failureOf(() => plain.readCompletion(JSON.stringify(body), callOf()))).toMatchObject(
        expected,
      );
      expect(failureOf(() => whole(`event: error\n${events(body)}`))).toMatchObject(expected);
      expect(failureOf(() => whole(events(text('a'), body)))).toMatchObject(expected);
    },
  );

  it('is not seen where `error` is null', () => {
    expect(stream({ ...text('a'), error: null }, finish('stop')).text).toBe('a');
    expect(
      plain.readCompletion(
        JSON.stringify({
          error: null,
          choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }],
        }),
        callOf(),
      ).completion.choices[0]?.message.content,
    ).toBe('a');
  });
});

describe('a whole answer', () => {
  const read = (body: unknown): ReturnType<ProviderAdapter['readCompletion']> =>
    plain.readCompletion(JSON.stringify(body), callOf());

  it('is passed on unchanged unless it had to be rewritten', () => {
    expect(
      read({
        choices: [
          { index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' },
        ],
      }).rewritten,
    ).toBe(false);
  });

  it('has a message where the provider omitted it, and text where it sent parts', () => {
    const left = read({ choices: [{ index: 0, finish_reason: 'content_filter' }] });
    expect(left).toMatchObject({
      rewritten: true,
      completion: { choices: [{ message: { role: 'assistant', content: null } }] },
    });
    const parts = read({
      choices: [
        {
          index: 0,
          message: {
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
              { type: 'text', text: 'a' },
            ],
          },
          finish_reason: 'stop',
        },
      ],
    });
    expect(parts).toMatchObject({
      rewritten: true,
      completion: { choices: [{ message: { content: 'a', reasoning_content: 'hm' } }] },
    });
  });

  it.each([
    ['no JSON', 'busy'],
    ['no object', '7'],
    ['no choices', '{"id":"x"}'],
    ['nothing', ''],
  ])('of %s is unreadable', (_name, body) => {
    expect(failureOf(() => plain.readCompletion(body, callOf())).code).toBe('unreadable_answer');
  });
});
