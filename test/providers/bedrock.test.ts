import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ProviderSettings, UpstreamRequest } from '../../src/providers/adapter.js';
import { bedrockEmbeddings } from '../../src/providers/bedrock/embeddings.js';
import { bedrock, createBedrock } from '../../src/providers/bedrock/index.js';

const nowMs = Date.UTC(2026, 4, 17, 12, 34, 56, 789);
const settings: ProviderSettings = {
  name: 'aws',
  api: 'bedrock',
  region: 'eu-central-1',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const adapter = (extra: Partial<ProviderSettings> = {}, env: Record<string, string> = {}) =>
  createBedrock({ ...settings, ...extra }, { env, now: () => nowMs });
const ask = (model: string, stream = false) => ({
  request: { messages: [{ role: 'user', content: 'Grüße 🚂' }] },
  model,
  stream,
});

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text, 'utf8').digest();

/** Signature Version 4, implemented separately from AWS's description of it. */
function signatureOf(
  { url, headers, body }: UpstreamRequest,
  region: string,
  secret: string,
): string {
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers['authorization'] ?? '') ?? [];
  const { host, pathname } = new URL(url);
  const encode = (part: string): string =>
    encodeURIComponent(part).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const path = pathname.split('/').map(encode).join('/');
  const lines = names
    .split(';')
    .map((name) => `${name}:${name === 'host' ? host : (headers[name] ?? '').trim()}\n`)
    .join('');
  const canonical = ['POST', path, '', lines, names, sha256(body.toString())].join('\n');
  const date = headers['x-amz-date'] ?? '';
  const scope = `${date.slice(0, 8)}/${region}/bedrock/aws4_request`;
  const key = [date.slice(0, 8), region, 'bedrock', 'aws4_request'].reduce<string | Buffer>(
    (from, part) => hmac(from, part),
    `AWS4${secret}`,
  );
  return hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex');
}

describe('a request to Bedrock', () => {
  it('goes to the region, to one path for whole answers and one for streams', async () => {
    expect(await adapter().buildRequest(ask('amazon.nova-lite-v1:0'), 'key')).toEqual({
      method: 'POST',
      url: 'https://bedrock-runtime.eu-central-1.amazonaws.com/model/amazon.nova-lite-v1%3A0/converse',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: 'Bearer key',
      },
      body: '{"messages":[{"role":"user","content":[{"text":"Grüße 🚂"}]}]}',
    });
    const streamed = await adapter({ region: 'cn-north-1' }).buildRequest(ask('m', true), 'key');
    expect(streamed.url).toBe(
      'https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/m/converse-stream',
    );
    expect(streamed.headers['accept']).toBe('application/vnd.amazon.eventstream');
  });

  it("goes to a configured address, with the configured headers and the model's configured name", async () => {
    const arn = 'arn:aws:bedrock:us-east-1:012345678901:application-inference-profile/abc';
    const request = await adapter({
      baseUrl: 'http://127.0.0.1:9/aws',
      headers: { 'x-team': 'a' },
      deployments: { 'claude-haiku-4-5': arn },
    }).buildRequest(ask('claude-haiku-4-5'), 'key');
    expect(request.url).toBe(`http://127.0.0.1:9/aws/model/${encodeURIComponent(arn)}/converse`);
    expect(request.headers['x-team']).toBe('a');
  });

  it.each([
    'amazon.nova-lite-v1:0',
    'arn:aws:bedrock:us-east-1:012345678901:inference-profile/us.anthropic.claude-sonnet-4-5-v1:0',
    "odd (model) *name* 'ü'",
  ])('is signed as AWS describes it: %s', async (model) => {
    const request = await adapter({ headers: { 'x-team': ' a ' } }).buildRequest(
      ask(model, true),
      null,
    );
    expect(request.headers['x-amz-date']).toBe('20260517T123456Z');
    expect(request.headers['authorization']).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260517/eu-central-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date;x-team, Signature=${signatureOf(request, 'eu-central-1', settings.secretAccessKey!)}`,
    );
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/vnd.amazon.eventstream',
    });
  });

  it('signs the session token too', async () => {
    const request = await adapter({ sessionToken: 'a/session+token==' }).buildRequest(
      ask('m'),
      null,
    );
    expect(request.headers['x-amz-security-token']).toBe('a/session+token==');
    expect(request.headers['authorization']).toContain(
      'SignedHeaders=host;x-amz-date;x-amz-security-token, ',
    );
    expect(request.headers['authorization']).toContain(
      signatureOf(request, 'eu-central-1', settings.secretAccessKey!),
    );
  });

  it('uses the region of the environment, and cannot be made without one', async () => {
    const make = (env: Record<string, string>, extra = {}) =>
      createBedrock({ name: 'aws', api: 'bedrock', ...extra }, { env, now: () => nowMs });
    expect(
      (await make({ AWS_REGION: 'us-west-2', AWS_DEFAULT_REGION: 'x' }).buildRequest(ask('m'), 'k'))
        .url,
    ).toContain('.us-west-2.');
    expect(
      (await make({ AWS_DEFAULT_REGION: 'us-west-1' }).buildRequest(ask('m'), 'k')).url,
    ).toContain('.us-west-1.');
    expect(() => make({})).toThrow(
      expect.objectContaining({ code: 'internal', message: expect.stringContaining('AWS_REGION') }),
    );
    const own = make({}, { baseUrl: 'http://127.0.0.1:9' });
    await expect(Promise.resolve(own.buildRequest(ask('m'), 'k'))).resolves.toBeDefined();
    await expect(own.buildRequest(ask('m'), null)).rejects.toMatchObject({ code: 'provider_auth' });
  });

  it('is described for the provider table', () => {
    expect(bedrock).toMatchObject({
      api: 'bedrock',
      env: ['AWS_BEARER_TOKEN_BEDROCK'],
      baseUrl: null,
      pricesAs: 'aws',
      needsKey: false,
    });
    expect(bedrock.create(settings).name).toBe('aws');
  });
});

describe('a whole answer of Bedrock', () => {
  const read = (answer: unknown) =>
    adapter().readCompletion(JSON.stringify(answer), ask('amazon.nova-lite-v1:0'));
  const usage = {
    inputTokens: 13,
    outputTokens: 5,
    cacheReadInputTokens: 1500,
    cacheWriteInputTokens: 200,
    totalTokens: 1718,
  };

  it('becomes a completion', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: Buffer.from('EtkE').toString('base64') } },
      { text: 'See ' },
      {
        citationsContent: {
          content: [{ text: 'this' }],
          citations: [
            {
              title: 'T',
              source: 'https://example.org',
              sourceContent: [{ text: 'q' }],
              location: {},
            },
            { location: { documentPage: {} } },
          ],
        },
      },
      { toolUse: { toolUseId: 's', name: 'nova_grounding', type: 'server_tool_use', input: {} } },
      { toolUse: { toolUseId: 'a', name: 'f', input: { x: [1] } } },
    ];
    const { completion, usage: counted } = read({
      output: { message: { role: 'assistant', content } },
      stopReason: 'tool_use',
      usage,
    });
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'amazon.nova-lite-v1:0',
      id: expect.stringMatching(/^chatcmpl-/),
    });
    expect(completion.choices).toEqual([
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'See this',
          reasoning_content: 'Hm.',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln' },
            { type: 'reasoning.encrypted', data: 'EtkE' },
          ],
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":[1]}' } },
          ],
          annotations: [
            {
              type: 'url_citation',
              url_citation: {
                url: 'https://example.org',
                title: 'T',
                content: 'q',
                start_index: 4,
                end_index: 8,
              },
            },
          ],
        },
      },
    ]);
    expect(counted).toEqual({
      promptTokens: 1713,
      completionTokens: 5,
      reasoningTokens: 0,
      cachedTokens: 1500,
      cacheWriteTokens: 200,
      estimated: false,
    });
    expect(completion.usage?.total_tokens).toBe(usage.totalTokens);
  });

  it('counts apart what is kept for an hour, which costs more', () => {
    const cacheDetails = [
      { ttl: '5m', inputTokens: 50 },
      { ttl: '1h', inputTokens: 150 },
    ];
    const { usage: counted } = read({
      output: { message: { content: [{ text: 'a' }] } },
      stopReason: 'end_turn',
      usage: { ...usage, cacheDetails },
    });
    expect(counted).toMatchObject({ cacheWriteTokens: 200, hourCacheWriteTokens: 150 });
  });

  it('has no content where only a tool is called, and null usage where none was reported', () => {
    const { completion, usage: counted } = read({
      output: { message: { content: [{ toolUse: { toolUseId: 'a', name: 'f' } }] } },
      stopReason: 'tool_use',
    });
    expect(completion.choices[0]?.message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    });
    expect(counted).toBeNull();
  });

  it.each([
    ['not JSON', '<html>', 'unreadable_answer'],
    ['JSON of another kind', '[]', 'unreadable_answer'],
    ['null', 'null', 'unreadable_answer'],
    ['no message', '{"output":{}}', 'unreadable_answer'],
    [
      'an error under 200',
      '{"__type":"com.amazon.coral#ThrottlingException","message":"slow down"}',
      'rate_limited',
    ],
    [
      'malformed output',
      '{"output":{"message":{"content":[]}},"stopReason":"malformed_model_output"}',
      'upstream_error',
    ],
  ])('fails for %s', (_what, text, code) => {
    expect(() => adapter().readCompletion(text, ask('m'))).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

describe('a failed answer of Bedrock', () => {
  const failure = (status: number, type: string | null, text: string) =>
    adapter().readFailure(status, type === null ? {} : { 'x-amzn-errortype': type }, text);
  const message = (text: string): string => JSON.stringify({ message: text });

  it.each([
    [
      403,
      'UnrecognizedClientException:http://internal.amazon.com/coral/',
      message('The security token included in the request is invalid.'),
      'provider_auth',
    ],
    [
      403,
      'AccessDeniedException',
      JSON.stringify({ Message: 'Authentication failed: Please make sure your API Key is valid.' }),
      'provider_auth',
    ],
    [
      400,
      'ExpiredTokenException',
      message('The security token included in the request is expired'),
      'provider_auth',
    ],
    [
      400,
      'ValidationException',
      message('The model returned the following errors: Input Tokens Exceeded'),
      'request_refused',
    ],
    [400, null, message('The provided model identifier is invalid.'), 'request_refused'],
    [
      400,
      'ValidationException',
      message(
        'Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
      ),
      'request_refused',
    ],
    [
      400,
      'ValidationException',
      message("This model doesn't support tool use in streaming mode."),
      'stream_refused',
    ],
    [
      404,
      'ResourceNotFoundException',
      message('This model version has reached the end of its life.'),
      'model_not_found',
    ],
    [
      429,
      'ThrottlingException',
      message('Too many requests, please wait before trying again.'),
      'rate_limited',
    ],
    [429, 'ModelNotReadyException', message('The model is not ready.'), 'upstream_overloaded'],
    [408, 'ModelTimeoutException', message('took too long'), 'upstream_error'],
    [424, 'ModelErrorException', message('the model failed'), 'upstream_error'],
    [500, 'InternalServerException', '{}', 'upstream_error'],
    [503, 'ServiceUnavailableException', message('unavailable'), 'upstream_overloaded'],
    [502, null, '<html>Bad Gateway</html>', 'upstream_error'],
    [503, null, '', 'upstream_overloaded'],
  ])('%i %s %s is %s', (status, type, text, code) => {
    const error = failure(status, type, text);
    expect(error.code).toBe(code);
    expect(error.upstreamStatus).toBe(status);
    expect(error.message).toMatch(new RegExp(`^aws answered ${status}`));
  });

  it("contains Bedrock's message", () => {
    expect(failure(400, 'ValidationException', message('too long')).message).toBe(
      'aws answered 400: too long',
    );
    expect(failure(403, null, JSON.stringify({ Message: 'no' })).message).toBe(
      'aws answered 403: no',
    );
    expect(failure(500, 'InternalServerException', '{}').message).toBe('aws answered 500');
  });
});

describe('embeddings of Bedrock', () => {
  const titan = 'amazon.titan-embed-text-v2:0';
  const cohere = 'cohere.embed-v4:0';
  const asked = async (body: Record<string, unknown>, model: string): Promise<unknown> =>
    JSON.parse((await adapter().embeddings!.buildRequest(body, model, 'key')).body.toString());

  it("use each model's own format, at one path", async () => {
    expect((await adapter().embeddings!.buildRequest({ input: 'a' }, titan, null)).url).toBe(
      'https://bedrock-runtime.eu-central-1.amazonaws.com/model/amazon.titan-embed-text-v2%3A0/invoke',
    );
    expect(await asked({ input: ['a'], dimensions: 256, normalize: false }, titan)).toEqual({
      inputText: 'a',
      dimensions: 256,
      normalize: false,
    });
    expect(
      await asked({ input: ['a', 'b'], dimensions: 512, input_type: 'search_query' }, cohere),
    ).toEqual({
      texts: ['a', 'b'],
      input_type: 'search_query',
      embedding_types: ['float'],
      output_dimension: 512,
    });
  });

  it('refuse input that the model does not support', () => {
    const ask = (input: unknown, model: string) => () =>
      adapter().embeddings!.buildRequest({ input }, model, 'key');
    expect(ask(['a', 'b'], titan)).toThrow(
      expect.objectContaining({
        code: 'request_refused',
        message: expect.stringContaining('several texts'),
      }),
    );
    expect(ask([1, 2], cohere)).toThrow(expect.objectContaining({ code: 'request_refused' }));
  });

  it("are returned in OpenAI's format", () => {
    const read = (body: unknown) => adapter().embeddings!.readAnswer(JSON.stringify(body), 'm', {});
    expect(
      read({ embedding: [1, 2], inputTextTokenCount: 3, embeddingsByType: { float: [1, 2] } }),
    ).toEqual({
      answer: {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [1, 2] }],
        model: 'm',
        usage: { prompt_tokens: 3, total_tokens: 3 },
      },
      promptTokens: 3,
    });
    for (const embeddings of [[[1], [2]], { float: [[1], [2]] }])
      expect(read({ embeddings })).toMatchObject({
        answer: { data: [{ embedding: [1] }, { index: 1, embedding: [2] }] },
        promptTokens: null,
      });
    expect(() => read({})).toThrow(expect.objectContaining({ code: 'unreadable_answer' }));
  });

  it('are returned as base64 where the request asks for it', () => {
    const { readAnswer } = bedrockEmbeddings('aws', () => {
      throw new Error('not asked');
    });
    const { answer } = readAnswer('{"embedding":[1,-2]}', 'm', { encoding_format: 'base64' });
    expect(answer).toMatchObject({
      data: [{ embedding: Buffer.from(new Float32Array([1, -2]).buffer).toString('base64') }],
    });
  });
});
