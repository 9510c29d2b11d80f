import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { post, type Reply } from '../helpers/sse.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const messages = [{ role: 'user', content: 'Hello there' }];
const three = [{ name: 'Cheap One' }, { name: 'Best One' }, { name: 'Fast One' }].map(
  (entry, index) => ({
    ...entry,
    price: [0.1, 125, 75][index],
    latency: [3, 2, 0.1][index],
    attributes: { quality: [0.851, 0.9, 0.87][index] },
  }),
);

let gateway: RunningGateway;
beforeAll(async () => {
  // nobody listens there: choosing calls no provider
  const up = { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' };
  gateway = await startGateway({
    providers: { up, openai: { api: 'openai', apiKey: 'k', baseUrl: 'http://127.0.0.1:9/v1' } },
    models: {
      'up/good': { quality: 0.9, inputPrice: 1, outputPrice: 1, latency: 1 },
      'up/bad': { quality: 0.1, inputPrice: 0, outputPrice: 0, latency: 1 },
      'up/no-tools': { tools: false, images: false },
      'up/short': { contextLength: 50 },
    },
    auth: {
      keys: [
        { name: 'one', key: 'sk_one' },
        { name: 'two', key: 'sk_two' },
        { name: 'few', key: 'sk_few', models: ['up/*'] },
      ],
    },
  });
});
afterAll(() => gateway.close());

const select = (body: object, query = '', path = '/api/v1/model-select'): Promise<Reply> =>
  post(`${gateway.url}${path}${query}`, { messages, ...body }, gateway.auth);
const refused = (status: 400 | 404, message: string | RegExp): object => ({
  status,
  json: {
    error: status === 400 ? 'Bad Request' : 'Not Found',
    message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
  },
});
const label = async (body: object): Promise<string> =>
  textAt((await select(body)).json, 'llm_label');

describe('model selection', () => {
  it('answers with a label, a session, the ranking and a reason, and satisfies its schema', async () => {
    const { status, json, headers } = await select({
      llm_providers: [
        { provider: 'up', model: 'bad' },
        { provider: 'up', model: 'good' },
      ],
    });
    expect(status).toBe(200);
    expectConforms('model-select.response', json);
    expect(json).toMatchObject({
      llm_label: 'up/good',
      providers: [
        { provider: 'up', model: 'good' },
        { provider: 'up', model: 'bad' },
      ],
    });
    expect(at(json, 'session_id')).toMatch(uuid);
    expect(textAt(json, 'reason')).not.toBe('');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each(['/api/v1/modelSelect', '/api/v1/model-router/model-select'])(
    'is the same on %s',
    async (path) => {
      const { status, json } = await select({ llm_providers: [{ name: 'up/good' }] }, '', path);
      expect(status).toBe(200);
      expectConforms('model-select.response', json);
    },
  );

  it.each([
    ['a bare name', { name: 'My Model ✓' }, 'My Model ✓', { provider: null, model: 'My Model ✓' }],
    [
      'a name that holds provider and model',
      { name: 'up/good' },
      'up/good',
      { provider: 'up', model: 'good' },
    ],
    [
      'a bare name that the catalogue knows',
      { name: 'gpt-4o' },
      'gpt-4o',
      { provider: 'openai', model: 'gpt-4o' },
    ],
    [
      'provider and model',
      { provider: 'up', model: 'good' },
      'up/good',
      { provider: 'up', model: 'good' },
    ],
    [
      'provider and model of nobody here',
      { provider: 'Acme Corp', model: 'x/y' },
      'Acme Corp/x/y',
      { provider: 'Acme Corp', model: 'x/y' },
    ],
    [
      'both',
      { name: 'Mine', provider: 'up', model: 'good' },
      'Mine',
      { provider: 'up', model: 'good' },
    ],
    [
      'both, where the name is null',
      { name: null, provider: 'up', model: 'good' },
      'up/good',
      { provider: 'up', model: 'good' },
    ],
    [
      'a name beside a null provider and model',
      { name: ' spaced ', provider: null, model: null },
      ' spaced ',
      { provider: null, model: ' spaced ' },
    ],
    [
      'a name with control characters and half a surrogate',
      { name: 'a\u0000\ud800\n' },
      'a\u0000\ud800\n',
      { provider: null, model: 'a\u0000\ud800\n' },
    ],
    [
      'a name that objects have',
      { name: '__proto__' },
      '__proto__',
      { provider: null, model: '__proto__' },
    ],
    [
      'provider and model that objects have',
      { provider: 'constructor', model: 'toString' },
      'constructor/toString',
      { provider: 'constructor', model: 'toString' },
    ],
  ])(
    'takes %s and answers with the label as it was sent',
    async (_what, entry, llmLabel, provider) => {
      const { status, json } = await select({ llm_providers: [entry] });
      expect(status).toBe(200);
      expectConforms('model-select.response', json);
      expect(json).toMatchObject({ llm_label: llmLabel, providers: [provider] });
    },
  );

  it('weighs what is said of an entry above what is known of it', async () => {
    const [good, bad] = [{ name: 'up/good' }, { name: 'up/bad' }];
    expect(await label({ llm_providers: [good, bad] })).toBe('up/good');
    expect(
      await label({
        llm_providers: [
          { ...good, attributes: { quality: 0.2 } },
          { ...bad, attributes: { quality: 0.8 } },
        ],
      }),
    ).toBe('up/bad');
    const alike = { attributes: { quality: 0.5 } };
    expect(
      await label({
        tradeoff: 'cost',
        llm_providers: [
          { ...bad, ...alike, price: 9 },
          { ...good, ...alike, price: 8 },
        ],
      }),
    ).toBe('up/good');
    expect(
      await label({
        tradeoff: 'cost',
        llm_providers: [
          { ...bad, ...alike, input_price: 1, output_price: 1 },
          { ...good, ...alike, input_price: 0.1, output_price: 9 },
        ],
      }),
    ).toBe('up/bad');
    expect(
      await label({
        tradeoff: 'latency',
        llm_providers: [
          { ...bad, ...alike, latency: 9 },
          { ...good, ...alike, latency: 8 },
        ],
      }),
    ).toBe('up/good');
  });

  it('takes the best, the cheapest or the fastest of the good ones', async () => {
    expect(await label({ llm_providers: three })).toBe('Best One');
    expect(await label({ llm_providers: three, tradeoff: null })).toBe('Best One');
    expect(await label({ llm_providers: three, tradeoff: 'cost' })).toBe('Cheap One');
    expect(await label({ llm_providers: three, tradeoff: 'latency' })).toBe('Fast One');
  });

  it('cuts the ranking at max_model_depth, which also bounds what a tradeoff may reach', async () => {
    const lengths = await Promise.all(
      [1, 2, 3, 2147483647, null].map(
        async (depth) =>
          listAt((await select({ llm_providers: three, max_model_depth: depth })).json, 'providers')
            .length,
      ),
    );
    expect(lengths).toEqual([1, 2, 3, 3, 3]);
    expect(await label({ llm_providers: three, tradeoff: 'cost', max_model_depth: 2 })).toBe(
      'Fast One',
    );
    expect(await label({ llm_providers: three, tradeoff: 'cost', max_model_depth: 1 })).toBe(
      'Best One',
    );
  });

  it('explains each candidate where that is asked for', async () => {
    const llmProviders = [...three, { name: 'up/short', price: 2 }];
    const long = [{ role: 'user', content: 'word '.repeat(200) }];
    const body = { messages: long, llm_providers: llmProviders, economy: 0 };
    const { json } = await select(body, '?explain=true');
    expectConforms('model-select.response', json);
    expect(at(json, 'candidates')).toEqual([
      {
        label: 'Best One',
        provider: null,
        model: 'Best One',
        quality: 0.9,
        uncertainty: 0,
        price: 125,
        cost: expect.any(Number) as number,
        output_tokens: expect.any(Number) as number,
        latency: 2,
        score: expect.any(Number) as number,
        reason: expect.any(String) as string,
      },
      expect.objectContaining({ label: 'Fast One', quality: 0.87 }),
      expect.objectContaining({ label: 'Cheap One' }),
      expect.objectContaining({
        label: 'up/short',
        price: 2,
        score: null,
        excluded: expect.stringContaining('its context length is 50 tokens') as string,
      }),
    ]);
    expect(at(json, 'gate')).toBeGreaterThanOrEqual(0);
    expect((await select({ llm_providers: three }, '?explain=false')).json).not.toHaveProperty(
      'candidates',
    );
    expect((await select({ llm_providers: three })).json).not.toHaveProperty('candidates');
  });

  it('takes content as a string and as blocks, pictures too', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    expect(
      await label({
        messages: [{ role: 'user', content }],
        llm_providers: [{ name: 'up/no-tools', attributes: { quality: 1 } }, { name: 'up/bad' }],
      }),
    ).toBe('up/bad');
  });

  it('takes null in every optional field as absent, and names unknown fields in warnings', async () => {
    const nulls = {
      tools: null,
      max_model_depth: null,
      tradeoff: null,
      preference_id: null,
      hash_content: null,
      previous_session: null,
    };
    const entry = {
      provider: 'up',
      model: 'good',
      name: null,
      price: null,
      input_price: null,
      output_price: null,
      latency: null,
      context_length: null,
      attributes: null,
      is_custom: null,
      context_lenght: 5,
    };
    const { status, json } = await select({
      ...nulls,
      llm_providers: [entry],
      metric: 'accuracy',
      timeout: 5,
      default: 0,
      tools: [{ type: 'function', function: { name: 'f', strict: true } }],
    });
    expect(status).toBe(200);
    expectConforms('model-select.response', json);
    const ignored = 'is not known and has no effect';
    expect(at(json, 'warnings')).toEqual([
      {
        field: 'llm_providers[0][context_lenght]',
        message: `${ignored}; did you mean context_length?`,
      },
      { field: 'metric', message: ignored },
      { field: 'timeout', message: ignored },
      { field: 'default', message: ignored },
    ]);
    expect(json).toMatchObject({ llm_label: 'up/good' });
  });

  it('chooses the same where content is to be hashed', async () => {
    expect(await label({ llm_providers: three, hash_content: true })).toBe('Best One');
  });
});

describe('tools', () => {
  const flat = { name: 'weather', description: 'tells it', parameters: { type: 'object' } };
  const nested = { type: 'function', function: flat };
  const entries = [{ name: 'up/no-tools', attributes: { quality: 1 } }, { name: 'up/bad' }];

  it.each([
    ['flat', flat],
    ['flat with a type', { ...flat, type: 'function' }],
    ['nested', nested],
    ['a name alone', { name: 'f' }],
  ])('are taken %s, and rule out models that call none', async (_how, tool) => {
    expect(await label({ llm_providers: entries })).toBe('up/no-tools');
    expect(await label({ llm_providers: entries, tools: [tool] })).toBe('up/bad');
  });

  it('may be 128, and no more', async () => {
    const tools = Array.from({ length: 128 }, (_, index) => ({ ...flat, name: `tool${index}` }));
    expect((await select({ llm_providers: [{ name: 'up/good' }], tools })).status).toBe(200);
    expect(
      await select({ llm_providers: [{ name: 'up/good' }], tools: [...tools, nested] }),
    ).toMatchObject(refused(400, 'tools: must have at most 128 items'));
  });

  it('may be none', async () => {
    expect(await label({ llm_providers: entries, tools: [] })).toBe('up/no-tools');
  });

  it.each([
    [{ type: 'retrieval' }, 'tools[0][type]: must be: function'],
    [{ ...flat, type: 'code_interpreter' }, 'tools[0][type]: must be: function'],
    [{ description: 'no name' }, 'tools[0]: must have a name'],
    [
      { type: 'function', function: { description: 'no name' } },
      'tools[0][function][name]: is required',
    ],
    [{ name: 7 }, 'tools[0][name]: must be a string'],
    [{ ...flat, parameters: 'x' }, 'tools[0][parameters]: must be an object'],
    ['weather', 'tools[0]: must be an object'],
  ])('are 400 as %j', async (tool, message) => {
    expect(await select({ llm_providers: [{ name: 'up/good' }], tools: [tool] })).toMatchObject(
      refused(400, message),
    );
  });
});

describe('a wrong request for a selection', () => {
  const good = [{ name: 'up/good' }];
  it.each([
    [{ messages: undefined, llm_providers: good }, 'messages: is required'],
    [{ messages: null, llm_providers: good }, 'messages: must be an array'],
    [{ messages: [], llm_providers: good }, 'messages: must have at least 1 item'],
    [{ messages: 'Hello', llm_providers: good }, 'messages: must be an array'],
    [
      { messages: [{ role: 'robot', content: 'x' }], llm_providers: good },
      'messages[0][role]: must be one of: system, developer, user, assistant, tool, function',
    ],
    [
      { messages: [{ role: 'user', content: null }], llm_providers: good },
      'messages[0][content]: must be a string or a list of content blocks',
    ],
    [
      { messages: [{ role: 'user', content: [] }], llm_providers: good },
      'messages[0][content]: must have at least 1 item',
    ],
    [{}, 'llm_providers: is required'],
    [{ llm_providers: [] }, 'llm_providers: must have at least 1 item'],
    [{ llm_providers: ['up/good'] }, 'llm_providers[0]: must be an object'],
    [
      { llm_providers: [...good, {}] },
      'llm_providers[1]: must have a name, or a provider and a model',
    ],
    [
      { llm_providers: [{ model: 'good' }] },
      'llm_providers[0]: must have a name, or a provider and a model',
    ],
    [
      { llm_providers: [{ name: null }] },
      'llm_providers[0]: must have a name, or a provider and a model',
    ],
    [{ llm_providers: [{ name: 5 }] }, 'llm_providers[0][name]: must be a string'],
    [
      { llm_providers: [{ name: 'x', price: 'cheap' }] },
      'llm_providers[0][price]: must be a number',
    ],
    [{ llm_providers: [{ name: 'x', price: -1 }] }, /^llm_providers\[0]\[price]: must be /],
    [
      { llm_providers: [{ name: 'x', attributes: [] }] },
      'llm_providers[0][attributes]: must be an object',
    ],
    [{ llm_providers: good, max_model_depth: 0 }, /^max_model_depth: must be /],
    [{ llm_providers: good, max_model_depth: 1.5 }, 'max_model_depth: must be a whole number'],
    [{ llm_providers: good, tradeoff: 'quality' }, 'tradeoff: must be one of: cost, latency'],
    [{ llm_providers: good, hash_content: 'yes' }, 'hash_content: must be true or false'],
    [{ llm_providers: good, previous_session: 5 }, 'previous_session: must be a string'],
  ])('%j is 400', async (body, message) => {
    const reply = await select(body);
    expect(reply).toMatchObject(refused(400, message));
    expectConforms('error', reply.json);
  });

  it('is 400 llm_providers where no candidate can serve it, with the reason for each', async () => {
    const reply = await select({
      tools: [{ name: 'f' }],
      messages: [{ role: 'user', content: 'word '.repeat(100) }],
      llm_providers: [{ name: 'up/no-tools' }, { name: 'Mine', provider: 'up', model: 'short' }],
    });
    expect(reply).toMatchObject(
      refused(
        400,
        /^llm_providers: .*up\/no-tools: it does not call tools.*Mine: its context length is 50 tokens/,
      ),
    );
  });

  it('is 400 llm_providers where this key may use none of them', async () => {
    const reply = await post(
      `${gateway.url}/api/v1/model-select`,
      { messages, llm_providers: [{ name: 'gpt-4o' }] },
      { authorization: 'Bearer sk_few' },
    );
    expect(reply).toMatchObject(
      refused(
        400,
        'llm_providers: no model can serve this request (gpt-4o: this API key may not use it)',
      ),
    );
  });
});

describe('a session', () => {
  const body = { llm_providers: [{ name: 'up/good' }] };

  it('may be followed by the account that it was issued to, and by no other', async () => {
    const session = textAt((await select(body)).json, 'session_id');
    expect((await select({ ...body, previous_session: session })).status).toBe(200);
    const others = await post(
      `${gateway.url}/api/v1/model-select`,
      { messages, ...body, previous_session: session },
      { authorization: 'Bearer sk_two' },
    );
    expect(others).toMatchObject(refused(404, 'previous_session: not found'));
  });

  it.each(['', 'nope', '00000000-0000-4000-8000-000000000000', '__proto__'])(
    'that nobody issued (%j) is 404, and so is a preference',
    async (id) => {
      expect(await select({ ...body, previous_session: id })).toMatchObject(
        refused(404, 'previous_session: not found'),
      );
      const reply = await select({ ...body, preference_id: id });
      expect(reply).toMatchObject(refused(404, 'preference_id: not found'));
      expectConforms('error', reply.json);
    },
  );
});
