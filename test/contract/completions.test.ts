import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
import { post, postStream, type Reply, type StreamReply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const hello = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there. How are you?' }] }],
  models: ['up/good'],
};

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const up = {
    api: 'openai-compatible',
    baseUrl: `${upstream.url}/v1`,
    listModels: false,
  };
  gateway = await startGateway({
    providers: {
      up,
      second: up,
      claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'k', listModels: false },
    },
    models: {
      'up/good': {
        quality: 0.9,
        latency: 2,
        inputPrice: 1,
        outputPrice: 10,
        cachedInputPrice: 0.1,
      },
      'up/cheap': { quality: 0.89, inputPrice: 0.1, outputPrice: 0.2, latency: 3 },
      'up/fast': { quality: 0.88, inputPrice: 5, outputPrice: 5, latency: 0.1 },
      'up/short': { quality: 1, contextLength: 100 },
      'up/gpt-unpriced': { quality: 0.1 },
      'claude/written': {
        inputPrice: 1,
        outputPrice: 10,
        cachedInputPrice: 0.1,
        cacheWritePrice: 1.25,
      },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => upstream.script([]));

const complete = (body: object, query = ''): Promise<Reply> =>
  post(`${gateway.url}/api/v1/completions${query}`, body, gateway.auth);
const stream = (body: object): Promise<StreamReply> =>
  postStream(
    `${gateway.url}/api/v1/completions`,
    { ...body, stream: true },
    { headers: gateway.auth },
  );
const refused = (status: number, message: string | RegExp): object => ({
  status,
  json: {
    error: status === 404 ? 'Not Found' : 'Validation Error',
    message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
  },
});
const lastAsked = (): Record<string, unknown> => upstream.requests.at(-1)?.body ?? {};

describe('a completion that is not streamed', () => {
  it('answers with every field of the interface, and satisfies its schema', async () => {
    upstream.script([
      {
        text: ['Fine', ', thanks.'],
        usage: { prompt: 100, completion: 20, reasoning: 5, cached: 40 },
      },
    ]);
    const { status, json, headers } = await complete(hello);
    expect(status).toBe(200);
    expectConforms('completions.response', json);
    expect(json).toMatchObject({
      provider: 'up',
      model: 'good',
      conversationTitle: 'Hello there',
      finishReason: 'stop',
      message: {
        role: 'assistant',
        type: 'text',
        content: [{ type: 'text', text: 'Fine, thanks.' }],
      },
      usage: {
        promptTokens: 100,
        completionTokens: 20,
        totalTokens: 120,
        reasoningTokens: 5,
        cachedTokens: 40,
      },
    });
    expect(at(json, 'responseMessageId')).toMatch(uuid);
    expect(at(json, 'conversationId')).toMatch(uuid);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      responsemessageid: at(json, 'responseMessageId'),
      conversationid: at(json, 'conversationId'),
    });
    const { latency, ttft } = json as { latency: number; ttft: number };
    expect(
      Number.isInteger(latency) && Number.isInteger(ttft) && latency >= ttft && ttft >= 0,
    ).toBe(true);
  });

  it('prices each class of tokens in its own way', async () => {
    upstream.script([{ usage: { prompt: 1000, completion: 100, cached: 400 } }]);
    const { json } = await complete(hello);
    expect(at(json, 'usage', 'costs')).toEqual({
      input_tokens_cost: 0.00064,
      output_tokens_cost: 0.001,
      total_tokens_cost: 0.00164,
    });
  });

  it('counts cache-written tokens within the prompt and prices them as such', async () => {
    upstream.script([{ usage: { prompt: 1000, completion: 10, cached: 100, cacheWritten: 200 } }]);
    const { json } = await complete({ ...hello, models: ['claude/written'] });
    expect(at(json, 'usage')).toMatchObject({
      promptTokens: 1000,
      cachedTokens: 100,
      cacheWriteTokens: 200,
      costs: { input_tokens_cost: 0.00096, output_tokens_cost: 0.0001 },
    });
  });

  it('says null for an unknown cost, never 0', async () => {
    const { json } = await complete({ ...hello, models: ['up/gpt-unpriced'] });
    expectConforms('completions.response', json);
    expect(at(json, 'usage', 'costs')).toEqual({
      input_tokens_cost: null,
      output_tokens_cost: null,
      total_tokens_cost: null,
    });
  });

  it('estimates usage that the provider does not report, and says so', async () => {
    upstream.script([{ usage: null }]);
    const { json } = await complete(hello);
    expectConforms('completions.response', json);
    expect(at(json, 'usage', 'estimated')).toBe(true);
  });

  it('passes on the reason for its end, and reasoning beside the text', async () => {
    upstream.script([{ reasoning: ['hm'], finish: 'length' }]);
    const { json } = await complete(hello);
    expectConforms('completions.response', json);
    expect(json).toMatchObject({
      finishReason: 'length',
      message: { content: [{ type: 'text', text: 'Hello' }], reasoning: 'hm' },
    });
  });
});

describe('a streamed completion', () => {
  it('is chunks that satisfy their schema, the last one with everything, then [DONE]', async () => {
    upstream.script([
      { text: ['Grü', 'ße \u{1f600}', '"\n'], usage: { prompt: 7, completion: 3 } },
    ]);
    const { status, headers, frames, events } = await stream(hello);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
    });
    expect(frames.at(-1)?.data).toBe('[DONE]');
    expect(frames.every(({ event, data }) => event === undefined && data !== undefined)).toBe(true);
    for (const chunk of events) expectConforms('completions.chunk', chunk);
    const chunks = events as {
      text: string;
      latency: number;
      ttft: number;
      message: { content: { text: string }[] };
    }[];
    expect(chunks.map(({ text }) => text)).toEqual(['Grü', 'ße \u{1f600}', '"\n', '']);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        provider: 'up',
        model: 'good',
        type: 'text',
        responseMessageId: headers['responsemessageid'],
        message: { role: 'assistant', type: 'text', content: [{ type: 'text', text: chunk.text }] },
      });
      expect(chunk.message.content).toHaveLength(1);
    }
    expect(chunks[0]).not.toHaveProperty('usage');
    expect(chunks.at(-1)).toMatchObject({
      finishReason: 'stop',
      conversationId: headers['conversationid'],
      conversationTitle: 'Hello there',
      usage: {
        promptTokens: 7,
        completionTokens: 3,
        totalTokens: 10,
        reasoningTokens: 0,
        costs: { total_tokens_cost: 0.000037 },
      },
    });
    const { latency, ttft } = chunks.at(-1)!;
    expect(Number.isInteger(latency) && Number.isInteger(ttft) && latency >= ttft).toBe(true);
  });

  it('tells reasoning in chunks of their own type', async () => {
    upstream.script([{ reasoning: ['let me', ' see'], text: ['yes'] }]);
    const { events } = await stream(hello);
    for (const chunk of events) expectConforms('completions.chunk', chunk);
    expect(events.map((chunk) => [at(chunk, 'type'), at(chunk, 'text')])).toEqual([
      ['reasoning', 'let me'],
      ['reasoning', ' see'],
      ['text', 'yes'],
      ['text', ''],
    ]);
  });

  it('says on its last chunk what failed before', async () => {
    upstream.script([{ status: 404 }, {}]);
    const { events } = await stream({ ...hello, fallback_models: ['second/x'] });
    for (const chunk of events) expectConforms('completions.chunk', chunk);
    expect(events.at(-1)).toMatchObject({
      provider: 'second',
      errorTrace: [{ provider: 'up', model: 'good', status: 404, attempt: 1 }],
    });
  });

  it('answers a wrong request as JSON with its status', async () => {
    const reply = await stream({ ...hello, models: [] });
    expect(reply).toMatchObject(refused(422, 'models: must have at least 1 item'));
  });
});

describe('the request', () => {
  it('takes content as a string and as blocks', async () => {
    for (const content of ['Hi', [{ type: 'text', text: 'Hi' }]]) {
      expect((await complete({ ...hello, messages: [{ role: 'user', content }] })).status).toBe(
        200,
      );
      expect(lastAsked()['messages']).toEqual([{ role: 'user', content: 'Hi' }]);
    }
  });

  it('sends several blocks on as several', async () => {
    await complete({
      ...hello,
      messages: [
        { role: 'system', content: 'S' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ],
    });
    expect(lastAsked()['messages']).toEqual([
      { role: 'system', content: 'S' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  it('passes the effort of reasoning on', async () => {
    await complete({ ...hello, reasoning_effort: 'low' });
    expect(lastAsked()).toMatchObject({ reasoning_effort: 'low' });
  });

  it('takes null in every optional field as absent', async () => {
    const optional = [
      'fallback_models',
      'stream',
      'temperature',
      'reasoning_effort',
      'maxTokens',
      'maxRetries',
      'search',
      'conversationId',
      'store',
      'order',
      'tradeoff',
      'preference_id',
      'previous_session',
      'research',
      'toolkits',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'explain',
    ];
    const { status, json } = await complete({
      ...hello,
      ...Object.fromEntries(optional.map((field) => [field, null])),
    });
    expect(status).toBe(200);
    expectConforms('completions.response', json);
    expect(lastAsked()).not.toHaveProperty('temperature');
  });

  it('ignores unknown fields, does not pass them on, and names them in warnings', async () => {
    const { status, json } = await complete({
      ...hello,
      nonsense: { a: 1 },
      top_p: 0.5,
      max_tokens: 5,
      temprature: 1,
      absent: null,
      messages: [
        { role: 'user', content: 'Hi', mood: 'good' },
        { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: {} }] },
      ],
    });
    expect(status).toBe(200);
    expectConforms('completions.response', json);
    expect(lastAsked()).not.toHaveProperty('nonsense');
    expect(lastAsked()).not.toHaveProperty('top_p');
    expect(lastAsked()).not.toHaveProperty('max_tokens');
    const ignored = 'is not known and has no effect';
    const passedOn = 'POST /v1/chat/completions passes it on to the provider';
    expect(at(json, 'warnings')).toEqual([
      { field: 'messages[0][mood]', message: ignored },
      { field: 'messages[1][content][0][cache_control]', message: ignored },
      { field: 'nonsense', message: ignored },
      { field: 'top_p', message: `${ignored}; ${passedOn}` },
      { field: 'max_tokens', message: `${ignored}; did you mean maxTokens?` },
      { field: 'temprature', message: `${ignored}; did you mean temperature?` },
    ]);
  });

  it('has its warnings on the last chunk where the answer is streamed', async () => {
    const { frames } = await stream({ ...hello, max_tokens: 5 });
    const chunks = frames.slice(0, -1).map(({ data }) => JSON.parse(data ?? '') as object);
    for (const chunk of chunks) expectConforms('completions.chunk', chunk);
    expect(chunks.filter((chunk) => 'warnings' in chunk)).toEqual([chunks.at(-1)]);
    expect(at(chunks.at(-1), 'warnings', 0, 'field')).toBe('max_tokens');
  });

  it('has at most 20 warnings, with short names, and none where all fields are known', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`x${index}`.repeat(100), 1]),
    );
    const warnings = at((await complete({ ...hello, ...many })).json, 'warnings');
    expect(warnings).toHaveLength(20);
    expect(textAt(warnings, 0, 'field')).toHaveLength(60);
    expect((await complete(hello)).json).not.toHaveProperty('warnings');
  });

  it('passes temperature and maxTokens to the model', async () => {
    await complete({ ...hello, temperature: 0.25, maxTokens: 77 });
    expect(lastAsked()).toMatchObject({ model: 'good', temperature: 0.25, max_tokens: 77 });
  });

  it('is taken on the alias /api/v1/chat/completions too', async () => {
    const { status, json } = await post(
      `${gateway.url}/api/v1/chat/completions`,
      hello,
      gateway.auth,
    );
    expect(status).toBe(200);
    expectConforms('completions.response', json);
  });

  it('takes what follows the first slash as the model, slashes included', async () => {
    const { json } = await complete({ ...hello, models: ['up/org/model/v1'] });
    expect(json).toMatchObject({ provider: 'up', model: 'org/model/v1' });
  });

  it.each([
    ['models', undefined, 'models: is required'],
    ['search', true, /^search: .*no web search of its own, and no search engine is configured/],
    ['search', { mode: 'deep' }, /^search\[mode\]: must be one of/],
    ['search', { maxUses: 0 }, 'search[maxUses]: must be at least 1'],
    ['search', { engine: 'x' }, /^search\[engine\]: is no search engine of this gateway/],
    ['research', true, 'research: needs a search engine, and none is configured'],
    ['toolkits', ['github'], 'toolkits[0]: this API key may not use the toolkit github'],
    ['models', [], 'models: must have at least 1 item'],
    ['models', 'up/good', 'models: must be an array'],
    ['models', ['none'], /^models\[0\]: no configured provider has a model "none"/],
    ['models', ['up/'], /^models\[0\]: no configured provider has a model "up\/"/],
    ['models', ['/good'], /^models\[0\]: no configured provider has a model "\/good"/],
    [
      'models',
      ['up/good', 7],
      'models[1]: must be the name of a model, such as <provider>/<model>',
    ],
    ['models', ['nobody/x'], /^models\[0\]: provider "nobody" is not configured/],
    ['messages', undefined, 'messages: is required'],
    ['messages', [], 'messages: must have at least 1 item'],
    [
      'messages',
      [{ role: 'robot', content: 'x' }],
      'messages[0][role]: must be one of: system, developer, user, assistant, tool, function',
    ],
    ['messages', [{ content: 'x' }], 'messages[0][role]: is required'],
    ['messages', [{ role: 'user' }], 'messages[0][content]: is required'],
    [
      'messages',
      [{ role: 'user', content: null }],
      'messages[0][content]: must be a string or a list of content blocks',
    ],
    [
      'messages',
      [{ role: 'user', content: [] }],
      'messages[0][content]: must have at least 1 item',
    ],
    [
      'messages',
      [{ role: 'user', content: [{ type: 'text' }] }],
      'messages[0][content][0][text]: is required',
    ],
    [
      'messages',
      [{ role: 'user', content: [{ type: 'image', text: '' }] }],
      'messages[0][content][0][type]: must be one of: text, image_url, file',
    ],
    [
      'messages',
      [{ role: 'user', content: [{ type: 'image_url', text: 'x' }] }],
      'messages[0][content][0][image_url]: is required',
    ],
    ['tools', [{ type: 'function' }], 'tools[0][function]: is required'],
    [
      'tool_choice',
      1,
      'tool_choice: must be auto, none, required, or an object that names a function',
    ],
    ['temperature', 1.1, 'temperature: must be between 0 and 1'],
    ['temperature', -0.1, 'temperature: must be between 0 and 1'],
    ['temperature', '1', 'temperature: must be a number'],
    ['reasoning_effort', 'much', /^reasoning_effort: must be one of: none, minimal, low/],
    ['maxTokens', 0, 'maxTokens: must be at least 1'],
    ['maxTokens', 1.5, 'maxTokens: must be a whole number'],
    ['maxRetries', -1, 'maxRetries: must be at least 0'],
    ['maxRetries', 0.5, 'maxRetries: must be a whole number'],
    ['stream', 'yes', 'stream: must be true or false'],
    ['conversationId', 'abc', 'conversationId: must be a UUID'],
    ['store', 'no', 'store: must be true or false'],
    [
      'fallback_models',
      [''],
      'fallback_models[0]: must be the name of a model, such as <provider>/<model>',
    ],
    ['order', 'random', 'order: must be one of: ranked, given'],
    ['tradeoff', 'speed', 'tradeoff: must be one of: cost, latency'],
  ])('is 422 where %s is %j', async (field, value, message) => {
    const asked = upstream.requests.length;
    const reply = await complete({ ...hello, [field]: value });
    expect(reply).toMatchObject(refused(422, message));
    expectConforms('error', reply.json);
    expect(upstream.requests).toHaveLength(asked);
  });

  it("says where OpenAI's API is to a client that sends its body here", async () => {
    const { messages } = hello;
    expect(await complete({ messages, model: 'up/good' })).toMatchObject(
      refused(
        422,
        /^models: is required, as a list; .* base URL that ends in \/v1 instead of \/api\/v1$/,
      ),
    );
  });

  it('gets the failure that the interface declares first', async () => {
    expect(await complete({ conversationId: 1, models: 1, messages: 1 })).toMatchObject(
      refused(422, 'messages: must be an array'),
    );
    expect(
      await complete({ conversationId: 1, temperature: 3, messages: hello.messages }),
    ).toMatchObject(refused(422, 'models: is required'));
  });

  it.each([
    ['search', true],
    ['research', true],
    ['toolkits', ['files']],
  ])('is 422 where it asks for %s, which nothing here can serve', async (field, value) => {
    const asked = upstream.requests.length;
    expect(await complete({ ...hello, [field]: value })).toMatchObject(
      refused(422, new RegExp(`^${field}(\\[0\\])?: `)),
    );
    expect(upstream.requests).toHaveLength(asked);
  });

  it.each([
    ['search', false],
    ['research', false],
    ['toolkits', []],
  ])('is served where %s is %j', async (field, value) => {
    expect((await complete({ ...hello, [field]: value })).status).toBe(200);
  });

  it('is 404 for unknown preferences and sessions', async () => {
    for (const id of ['', 'abc', '4b0ee4ea-6a0f-4d3e-9a2c-111111111111']) {
      expect(await complete({ ...hello, preference_id: id })).toMatchObject(
        refused(404, 'preference_id: not found'),
      );
      expect(await complete({ ...hello, previous_session: id })).toMatchObject(
        refused(404, 'previous_session: not found'),
      );
    }
  });

  it('may follow a session that model selection has issued', async () => {
    const selection = await post(
      `${gateway.url}/api/v1/model-select`,
      { messages: [{ role: 'user', content: 'Hi' }], llm_providers: [{ name: 'up/good' }] },
      gateway.auth,
    );
    expect(
      (await complete({ ...hello, previous_session: at(selection.json, 'session_id') })).status,
    ).toBe(200);
  });
});

describe('the conversation', () => {
  it('keeps its id, in the body and in the header', async () => {
    const conversationId = at((await complete(hello)).json, 'conversationId');
    const { json, headers } = await complete({ ...hello, conversationId });
    expect(at(json, 'conversationId')).toBe(conversationId);
    expect(headers['conversationid']).toBe(conversationId);
  });

  it('is 404 for an unknown id', async () => {
    expect(
      await complete({ ...hello, conversationId: 'B1946AC9-2a5f-4b2c-8e1d-3f6a7b8c9d0e' }),
    ).toMatchObject(refused(404, 'conversationId: not found'));
  });

  it.each([
    ['What is a signal box? Tell me more.', 'What is a signal box?'],
    ['# **Bold** `title`\n\nand text', 'Bold title and text'],
    ['   spaced \t out   ', 'spaced out'],
    ['', 'New conversation'],
    ['A'.repeat(200), `${'A'.repeat(59)}…`],
    [
      'one two three four five six seven eight nine ten eleven twelve thirteen',
      'one two three four five six seven eight nine ten eleven…',
    ],
    ['3.5 is a number. Yes.', '3.5 is a number'],
    [
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} family \ud800 photo\u0000',
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} family photo',
    ],
  ])('has the title that %j makes', async (text, title) => {
    const { json } = await complete({
      ...hello,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: text },
        { role: 'user', content: 'Later.' },
      ],
    });
    expect(at(json, 'conversationTitle')).toBe(title);
  });
});

describe('the candidates', () => {
  const models = ['up/fast', 'up/cheap', 'up/good'];

  it('are ranked by quality, as far as it is worth its price', async () => {
    expect((await complete({ ...hello, models, economy: 0 })).json).toMatchObject({
      model: 'good',
    });
    expect((await complete({ ...hello, models })).json).toMatchObject({ model: 'cheap' });
  });

  it.each([
    ['cost', 'cheap'],
    ['latency', 'fast'],
  ])('are ranked by %s where that is asked for', async (tradeoff, model) => {
    expect((await complete({ ...hello, models, tradeoff })).json).toMatchObject({ model });
  });

  it('are tried as listed where the order is given', async () => {
    upstream.script([{ status: 404 }, {}]);
    const { json } = await complete({
      ...hello,
      models: ['up/gpt-unpriced', 'up/fast', 'up/good'],
      order: 'given',
    });
    expectConforms('completions.response', json);
    expect(json).toMatchObject({
      model: 'fast',
      errorTrace: [{ model: 'gpt-unpriced', status: 404 }],
    });
  });

  it('are passed over where their provider is not configured, and the answer says so', async () => {
    const { json } = await complete({ ...hello, models: ['nobody/x', 'up/good'] });
    expectConforms('completions.response', json);
    expect(json).toMatchObject({
      provider: 'up',
      errorTrace: [
        {
          provider: 'nobody',
          model: 'x',
          error: expect.stringMatching(/^provider "nobody" is not configured/) as string,
          status: null,
        },
      ],
    });
  });

  it('are 422 models where none of them can serve the request, with the reason for each', async () => {
    const long = 'word '.repeat(500);
    const reply = await complete({
      ...hello,
      messages: [{ role: 'user', content: long }],
      models: ['up/short', 'up/short'],
    });
    expect(reply).toMatchObject(
      refused(
        422,
        /^models: .*up\/short: its context length is 100 tokens.*up\/short: its context length is 100 tokens/,
      ),
    );
  });

  it('may be fallback models alone', async () => {
    const { json } = await complete({
      ...hello,
      models: ['nobody/x'],
      fallback_models: ['second/y'],
    });
    expect(json).toMatchObject({ provider: 'second', model: 'y' });
  });

  it('are listed one by one if all of them failed', async () => {
    upstream.script([{ status: 401 }, { status: 404 }]);
    const { status, json } = await complete({
      ...hello,
      models: ['up/good', 'second/x'],
      order: 'given',
    });
    expect(status).toBe(502);
    expectConforms('error', json);
    expect(json).toMatchObject({
      error: 'Bad Gateway',
      errorTrace: [
        { provider: 'up', model: 'good', status: 401, attempt: 1 },
        { provider: 'second', status: 404 },
      ],
    });
  });
});

describe('a key that may use some models only', () => {
  it('is told of the others as of models that are not there for it', async () => {
    const limited = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      auth: { keys: [{ name: 'few', key: 'sk_few', models: ['up/good*'] }] },
    });
    const ask = (models: string[]): Promise<Reply> =>
      post(`${limited.url}/api/v1/completions`, { ...hello, models }, limited.auth);
    expect(await ask(['up/other'])).toMatchObject(
      refused(422, 'models[0]: this API key may not use it'),
    );
    expect((await ask(['up/other', 'up/good-1'])).json).toMatchObject({
      model: 'good-1',
      errorTrace: [{ model: 'other' }],
    });
    await limited.close();
  });
});
