import fc from 'fast-check';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms, failuresOf } from '../helpers/conforms.js';
import { dialectOf } from '../helpers/dialects/index.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt, tryJson } from '../helpers/json.js';
import { type Mutation, mutationsOf } from '../helpers/mutations.js';
import { startUpstream, type Step, type Upstream } from '../helpers/upstream.js';
import { runs, someOf } from '../helpers/runs.js';

const text = (content: string): object => ({ role: 'user', content });
const tool = {
  type: 'function',
  function: {
    name: 'f',
    description: 'd',
    parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  },
};
const nativeBody = {
  messages: [
    { role: 'system', content: 'S' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }],
    },
  ],
  models: ['up/m', 'up/n'],
  fallback_models: ['claude/m'],
  stream: false,
  temperature: 0.5,
  maxTokens: 9,
  maxRetries: 0,
  search: false,
  conversationId: null,
  store: true,
  order: 'given',
  tradeoff: 'cost',
  preference_id: null,
  previous_session: null,
  research: false,
  toolkits: [],
  tools: [tool],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  explain: true,
};
const selectBody = {
  messages: [text('Hi')],
  llm_providers: [
    {
      name: 'a',
      price: 1,
      input_price: 1,
      output_price: 1,
      latency: 1,
      context_length: 100,
      is_custom: true,
      attributes: { quality: 1, tools: true },
    },
    { provider: 'up', model: 'm' },
  ],
  tools: [tool, { name: 'g', parameters: {} }],
  max_model_depth: 1,
  tradeoff: 'latency',
  preference_id: null,
  hash_content: false,
  previous_session: null,
};
const embeddingsBody = {
  model: 'up/e',
  input: ['a', 'b'],
  dimensions: 3,
  encoding_format: 'float',
  user: 'u',
};
const picture = {
  type: 'image_url',
  image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
};
const chatBody = (provider: string, parts: object[] = [picture]): object => ({
  model: `${provider}/m`,
  stream: false,
  temperature: 0.5,
  top_p: 0.9,
  max_tokens: 50,
  reasoning_effort: 'low',
  parallel_tool_calls: true,
  tools: [tool],
  tool_choice: { type: 'function', function: { name: 'f' } },
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
  messages: [
    { role: 'system', content: 'S', name: 'n' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }, ...parts] },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning_details: [{ type: 'thinking', thinking: 't', signature: 's' }],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'done' },
    text('and?'),
  ],
});
const routes: [string, object][] = [
  ['/api/v1/completions', nativeBody],
  ['/api/v1/chat/completions', { ...nativeBody, stream: true }],
  ['/api/v1/model-select', selectBody],
  ['/api/v1/modelSelect', selectBody],
  ['/api/v1/model-router/model-select', selectBody],
  ['/v1/embeddings', embeddingsBody],
  ['/v1/chat/completions', { ...chatBody('up'), stream: true }],
];

const log = keepingLogger('warn');
const agent = new Agent({ connections: 16 });
let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script([
    (call): Step =>
      dialectOf(call.path) ? {} : { status: 404, body: { error: { message: 'no such path' } } },
  ]);
  const [baseUrl, apiKey] = [upstream.url, 'k'];
  gateway = await startGateway(
    {
      limits: { maxRetries: 0 },
      providers: {
        up: { api: 'openai-compatible', baseUrl: `${baseUrl}/v1` },
        claude: { api: 'anthropic', baseUrl, apiKey },
        gem: { api: 'gemini', baseUrl: `${baseUrl}/v1beta`, apiKey },
        bed: {
          api: 'bedrock',
          baseUrl,
          region: 'eu-west-1',
          accessKeyId: 'a',
          secretAccessKey: 'b',
        },
        co: { api: 'cohere', baseUrl: `${baseUrl}/v2`, apiKey },
        resp: { api: 'openai-responses', baseUrl: `${baseUrl}/v1`, apiKey },
      },
    },
    { logger: log.logger },
  );
  const { json } = await send('/api/v1/completions', 'POST', JSON.stringify(nativeBody));
  for (const [, body] of routes)
    if ('conversationId' in body) body.conversationId = textAt(json, 'conversationId');
});
afterAll(async () => {
  await agent.close();
  await gateway.close();
  await upstream.close();
});
afterEach(() => {
  // a fault of ours has a line of its own
  expect(log.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

interface Answer {
  status: number;
  json: unknown;
  text: string;
}

async function send(
  path: string,
  method: string,
  body?: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Answer> {
  // not a URL, which would tidy the path up
  const reply = await agent.request({
    origin: gateway.url,
    path,
    method,
    headers: { ...gateway.auth, ...headers },
    body: body ?? null,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
  const answer = await reply.body.text();
  expect(reply.headers['x-request-id'], `${method} ${path}`).toBeDefined();
  return { status: reply.statusCode, json: tryJson(answer), text: answer };
}

/** Where an error was answered it is one: of the right shape, with words, and no fault of ours. */
function expectHonest(path: string, { status, json, text: body }: Answer, what: string): void {
  expect(status, `${what}: ${body}`).toBeLessThan(500);
  if (status < 400) return;
  // the second: a base URL that lacks /v1
  const openai =
    /^\/v1(\/|$)|^(\/api)?\/((chat\/)?completions|responses|messages|embeddings|models)\/?$/i.test(
      path,
    );
  expect(failuresOf(openai ? 'openai-error' : 'error', json), `${what}: ${body}`).toEqual([]);
  expect(openai ? textAt(json, 'error', 'message') : textAt(json, 'message'), what).not.toBe('');
}

/** The field that an error blames, null if it blames the request as a whole. */
function blamed({ json }: Answer): string | null {
  const message = textAt(json, 'error', 'message') || textAt(json, 'message');
  return /^(\w+)(\[[^\]]+\])*: /.exec(message)?.[1] ?? null;
}

const refusals: unknown[] = ['request_refused', 'unsupported_value'];
const isRefusal = ({ json }: Answer): boolean => refusals.includes(at(json, 'error', 'code'));

async function tryAll(
  path: string,
  mutations: readonly Mutation[],
  blamedToo: readonly string[],
): Promise<number> {
  let refused = 0;
  const queue = [...mutations];
  const worker = async (): Promise<void> => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const answer = await send(path, 'POST', JSON.stringify(next.body));
      expectHonest(path, answer, `${path} with ${next.what}`);
      // a provider's own refusal has its own words
      if (answer.status < 400 || isRefusal(answer)) continue;
      refused++;
      const field = blamed(answer);
      if (next.field === 'body')
        expect(field, `${path} with ${next.what}: ${answer.text}`).not.toBeNull();
      else
        expect([next.field, ...blamedToo], `${path} with ${next.what}: ${answer.text}`).toContain(
          field,
        );
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return refused;
}

describe('a valid body with one thing changed, at any depth,', () => {
  it.each(routes)('is served by %s, or refused with the field named', async (path, body) => {
    expect((await send(path, 'POST', JSON.stringify(body))).status).toBe(200);
    const mutations = [...mutationsOf(body)];
    const refused = await tryAll(path, mutations, ['models', 'model', 'body']);
    expect(refused).toBeGreaterThan(mutations.length / 4);
  });

  it.each(['claude', 'gem', 'bed', 'co', 'resp'])(
    'is translated for %s, or refused with the field named',
    async (provider) => {
      const files =
        provider === 'co'
          ? []
          : [
              {
                type: 'file',
                file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
              },
            ];
      const body = chatBody(provider, [picture, ...files]);
      expect((await send('/v1/chat/completions', 'POST', JSON.stringify(body))).status).toBe(200);
      await tryAll('/v1/chat/completions', someOf([...mutationsOf(body)]), ['model', 'body']);
    },
  );
});

const anyBody = fc.oneof(
  fc.jsonValue({ maxDepth: 5 }),
  fc.object({ maxDepth: 4, withBoxedValues: false }),
  fc.record(
    {
      messages: fc.jsonValue(),
      models: fc.jsonValue(),
      model: fc.jsonValue(),
      llm_providers: fc.jsonValue(),
      input: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);
const shape = fc.record(
  {
    messages: fc.array(
      fc.record(
        {
          role: fc.constantFrom('user', 'system', 'assistant', 'tool', 'x'),
          content: fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.jsonValue({ maxDepth: 2 }),
            fc.array(fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary' }) })),
          ),
        },
        { requiredKeys: ['role'] },
      ),
      { maxLength: 4 },
    ),
    models: fc.array(
      fc.oneof(fc.constantFrom('up/m', 'claude/m', 'gem/m'), fc.string({ unit: 'binary' })),
      { maxLength: 3 },
    ),
    model: fc.oneof(fc.constantFrom('up/m', 'auto'), fc.string({ unit: 'binary' })),
    llm_providers: fc.array(
      fc.record(
        {
          name: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
          provider: fc.string(),
          model: fc.string({ unit: 'binary' }),
          price: fc.oneof(fc.double(), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 4 },
    ),
    input: fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.jsonValue({ maxDepth: 1 }))),
    stream: fc.oneof(fc.boolean(), fc.constant(null)),
    temperature: fc.double(),
    maxTokens: fc.oneof(fc.integer(), fc.double()),
    tradeoff: fc.constantFrom('cost', 'latency', null, 'x'),
  },
  { requiredKeys: ['messages', 'models', 'model', 'llm_providers', 'input'] },
);
const settings = { numRuns: runs(250), endOnFailure: true };

describe('whatever is sent', () => {
  it.each(routes)('to %s as JSON is answered in JSON, and is no fault of ours', async (path) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBody, shape), async (body) => {
        const sent = JSON.stringify(body);
        expectHonest(path, await send(path, 'POST', sent), sent);
      }),
      settings,
    );
  });

  it.each(routes)(
    'to %s as bytes of any kind is answered in JSON, and is no fault of ours',
    async (path, body) => {
      const whole = Buffer.from(JSON.stringify(body));
      const damaged = fc
        .tuple(fc.nat(whole.length), fc.nat(6), fc.uint8Array({ maxLength: 6 }))
        .map(([start, length, bytes]) =>
          Buffer.concat([whole.subarray(0, start), bytes, whole.subarray(start + length)]),
        );
      const types = fc.constantFrom(
        'application/json',
        'application/json; charset=latin1',
        'text/plain',
        'application/problem+json',
        'multipart/form-data; boundary=a',
        ';',
        '',
      );
      const encodings = fc.option(fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'x', ''), {
        nil: undefined,
        freq: 2,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            damaged,
            fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
          ),
          types,
          encodings,
          async (bytes, type, encoding) => {
            const answer = await send(path, 'POST', bytes, {
              'content-type': type,
              ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
            });
            expectHonest(
              path,
              answer,
              `${path} ${type} ${String(encoding)} ${bytes.toString('base64')}`,
            );
          },
        ),
        settings,
      );
    },
  );

  const segment = fc.oneof(
    fc.constantFrom(
      'api',
      'v1',
      'v2',
      'chat',
      'completions',
      'models',
      'model-select',
      'modelSelect',
      'embeddings',
      'proxy',
      'up',
      'bed',
      'claude',
      '..',
      '.',
      '',
      'metrics',
      'docs',
      'healthz',
    ),
    fc.webSegment(),
    fc.constantFrom(
      '%00',
      '%zz',
      '%',
      '%2f',
      '%ff',
      '{',
      '"',
      '\\',
      "'",
      '*',
      ':',
      '__proto__',
      '(a+)+',
    ),
  );
  const anyPath = fc
    .tuple(
      fc.constantFrom(
        '/',
        '/api/v1/',
        '/v1/',
        '/v1/models/',
        '/proxy/',
        '/proxy/up/',
        '/proxy/bed/',
        '/proxy/gem/v1beta/',
      ),
      fc.array(segment, { maxLength: 5 }),
      fc.oneof(
        fc.constant(''),
        fc.webQueryParameters().map((query) => `?${query}`),
        fc.constantFrom(
          '?explain=true',
          '?explain=1&explain=2',
          '?__proto__[x]=1',
          '?%zz',
          '?key=',
        ),
      ),
    )
    .map(([start, segments, query]) => start + segments.join('/') + query);
  const anyHeaders = fc.dictionary(
    fc.stringMatching(/^x-[a-z]{1,8}$/),
    fc.stringMatching(/^[ -~]{0,40}$/),
    { maxKeys: 4 },
  );

  it('to any path with any method is answered in JSON, and is no fault of ours', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyPath,
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'),
        anyHeaders,
        fc.option(anyBody, { nil: undefined }),
        async (path, method, headers, body) => {
          const withBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
          const answer = await send(path, method, withBody ? JSON.stringify(body) : undefined, {
            'content-type': 'application/json',
            ...headers,
          });
          const what = `${method} ${path}`;
          // a client's dialect is found behind doubled slashes too
          const found = path.replace(/^\/+/, '/');
          const isPassedThrough = /^\/proxy(?![^/?])/.test(found);
          // the scripted upstream has a body for HEAD too, which is no answer
          if (method === 'HEAD')
            expect(answer.status, what).toBeLessThan(isPassedThrough ? 503 : 500);
          // what the provider answered is the provider's; it has nothing there for a bad path, and
          // no passthrough for some
          else if (
            isPassedThrough &&
            answer.status >= 400 &&
            failuresOf('error', answer.json).length > 0
          )
            // the gateway's own errors have OpenAI's shape there
            if (at(answer.json, 'error', 'type') === undefined)
              expect(answer.json, what).toEqual({ error: { message: 'no such path' } });
            else expectConforms('openai-error', answer.json);
          else if (answer.status !== 501) expectHonest(found.replace(/\?.*/s, ''), answer, what);
        },
      ),
      { ...settings, numRuns: runs(1500) },
    );
  });

  it('leaves the gateway as it was', async () => {
    expect((await send('/api/v1/completions', 'POST', JSON.stringify(nativeBody))).status).toBe(
      200,
    );
    expect(Object.keys({})).toEqual([]);
    for (const name in {}) expect.fail(`every object has ${name} now`);
  });
});
