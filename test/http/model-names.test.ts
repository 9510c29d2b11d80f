import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/config.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
const messages = [{ role: 'user', content: 'Hi' }];
const listed = (...names: string[]): object => ({
  api: 'openai-compatible',
  baseUrl: `${upstream.url}/v1`,
  listModels: names,
});
const config = (): ConfigInput => ({
  limits: { maxRetries: 0 },
  auth: {
    keys: [
      { name: 'all', key: 'sk_all' },
      { name: 'few', key: 'sk_few', models: ['one/*', 'claude/*', 'open/*'] },
    ],
  },
  providers: {
    one: { ...listed('alpha', 'shared', 'embed-1'), api: 'openai-compatible' },
    two: { ...listed('beta', 'shared', 'maker/gamma'), api: 'openai-compatible' },
    claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'k', listModels: false },
    open: {
      api: 'openai-responses',
      baseUrl: `${upstream.url}/v1`,
      apiKey: 'k',
      listModels: false,
    },
    gem: { api: 'gemini', baseUrl: `${upstream.url}/v1beta`, apiKey: 'k', listModels: false },
  },
  models: {
    'one/alpha': { inputPrice: 1, outputPrice: 1, quality: 0.5 },
    'two/beta': { inputPrice: 2, outputPrice: 2, quality: 0.9 },
  },
  aliases: {
    plain: 'one/alpha',
    set: ['one/alpha', 'two/beta'],
    nested: ['set', 'gone/model'],
    vectors: ['gone/embed', 'one/embed-1'],
    'wild-*': 'two/wild-*-latest',
    'one/alpha': 'two/beta',
    'old/thing': 'two/beta',
  },
});
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway(config());
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const native = (body: object, key = 'sk_all'): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages, ...body },
    { authorization: `Bearer ${key}` },
  );
const openai = (body: object, key = 'sk_all'): Promise<Reply> =>
  post(
    `${gateway.url}/v1/chat/completions`,
    { messages, ...body },
    { authorization: `Bearer ${key}` },
  );
const select = (names: string[]): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/model-select`,
    { messages, llm_providers: names.map((name) => ({ name })) },
    gateway.auth,
  );
const called = (reply: Reply): unknown => reply.headers['x-signalbox-model'];

describe('a key that may use some models', () => {
  const few = { authorization: 'Bearer sk_few' };
  const count = (): number => upstream.requests.length;

  it.each([
    ['/v1/chat/completions', { messages }],
    ['/v1/completions', { prompt: 'Hi' }],
    ['/v1/responses', { input: 'Hi' }],
    ['/v1/messages', { messages, max_tokens: 10 }],
    ['/v1/embeddings', { input: 'Hi' }],
    ['/v1/rerank', { query: 'Hi', documents: ['Hi'] }],
  ])('names none in a field that only some servers take for `model`: %s', async (path, more) => {
    const from = count();
    for (const field of ['Model', 'MODEL', 'mOdel']) {
      const body = { model: 'one/alpha', [field]: 'beta', ...more };
      const reply = await post(gateway.url + path, body, few);
      expect(reply.status, field).toBe(400);
      expect(reply.text).toContain(field);
    }
    const hidden = { model: 'one/alpha', extra_body: { Model: 'beta' }, ...more };
    expect((await post(gateway.url + path, hidden, few)).text).toContain('Model');
    for (const field of ['fallbacks', 'Fallbacks'])
      for (const other of [{ [field]: ['beta'] }, { extra_body: { [field]: ['beta'] } }])
        expect(
          (await post(gateway.url + path, { model: 'one/alpha', ...more, ...other }, few)).text,
        ).toContain(field);
    expect(count()).toBe(from);
  });

  it.each([
    ['fallbacks', { fallbacks: ['beta'], mock_testing_fallbacks: true }],
    ['preset', { preset: 'large' }],
    ['route', { route: 'fallback' }],
    ['providerOptions', { providerOptions: { gateway: { models: ['beta'] } } }],
    ['tools', { tools: [{ type: 'advisor', name: 'advisor', model: 'beta' }] }],
  ])('has no other one called by %s', async (field, more) => {
    const from = count();
    const asked = { model: 'one/alpha', ...more };
    expect(await openai(asked, 'sk_few')).toMatchObject({
      status: 400,
      json: { error: { param: field } },
    });
    expect(count()).toBe(from);
    expect((await openai(asked, 'sk_all')).status).toBe(200);
    expect(upstream.requests.at(-1)?.body).toMatchObject(more);
  });

  it.each([
    ['/v1/messages', { messages, max_tokens: 10, fallbacks: [{ model: 'beta' }] }],
    ['/v1/responses', { input: 'Hi', tools: [{ type: 'image_generation', model: 'beta' }] }],
  ])('has none called by what only %s has', async (path, more) => {
    const from = count();
    const names = { '/v1/messages': 'claude/x', '/v1/responses': 'open/x' };
    const model = names[path as keyof typeof names];
    const body = { model, ...more };
    expect((await post(gateway.url + path, body, few)).status).toBe(400);
    expect(count()).toBe(from);
    const all = { authorization: 'Bearer sk_all' };
    expect((await post(gateway.url + path, body, all)).status).toBe(200);
  });
});

describe('the name of a model', () => {
  it.each([
    ['a label of a configured provider, whatever the aliases say', 'one/alpha', 'one/alpha'],
    ['an alias', 'plain', 'one/alpha'],
    ['an alias with several targets, the best of them', 'set', 'two/beta'],
    ['an alias of an alias, without targets that are not configured', 'nested', 'two/beta'],
    ['an alias with a wildcard', 'wild-x', 'two/wild-x-latest'],
    ['an alias that looks like a label', 'old/thing', 'two/beta'],
    ['a bare name that one provider has', 'beta', 'two/beta'],
    ["a provider's own name with a slash", 'maker/gamma', 'two/maker/gamma'],
    ["another gateway's name for a provider", 'google/gemini-2.5-flash', 'gem/gemini-2.5-flash'],
    ['the api of the only provider of a vendor', 'gemini/gemini-2.5-pro', 'gem/gemini-2.5-pro'],
  ])('may be %s', async (_what, name, label) => {
    const replies = [
      await native({ models: [name] }),
      await openai({ model: name }),
      await openai({ model: 'auto', models: [name] }),
    ];
    for (const reply of replies) {
      expect(reply.status, reply.text).toBe(200);
      expect(called(reply)).toBe(label);
    }
    expect(`${textAt(replies[0]?.json, 'provider')}/${textAt(replies[0]?.json, 'model')}`).toBe(
      label,
    );
  });

  it('may be an alias or a bare name for embeddings', async () => {
    const from = upstream.requests.length;
    for (const model of ['vectors', 'embed-1']) {
      const body = { model, input: 'a', encoding_format: 'float' };
      expect(await post(`${gateway.url}/v1/embeddings`, body, gateway.auth)).toMatchObject({
        status: 200,
      });
    }
    expect(upstream.requests.slice(from).map(({ body }) => body?.['model'])).toEqual([
      'embed-1',
      'embed-1',
    ]);
  });

  it('may be an alias for a host that calls the gateway itself', async () => {
    const answer = await gateway.gateway.run({ model: 'plain', messages });
    expect(answer).toMatchObject({ provider: 'one', model: 'alpha' });
  });

  it('may be an alias among the fallback models, whose targets are tried in order', async () => {
    const reply = await native({ models: ['nobody/x'], fallback_models: ['set'] });
    expect(called(reply)).toBe('one/alpha');
  });

  it('stands for a list in the order given where the request asks for that', async () => {
    const reply = await native({ models: ['set'], order: 'given' });
    expect(called(reply)).toBe('one/alpha');
  });

  it('stands for each model once', async () => {
    upstream.script([{ status: 401 }]);
    const reply = await native({ models: ['set', 'one/alpha', 'two/beta'] });
    upstream.script([]);
    expect(listAt(reply.json, 'errorTrace')).toHaveLength(2);
  });
});

/** The model that answers to a name, of providers with these models. */
const names = async (
  providers: Record<string, string[]>,
  asked: string,
): Promise<{ label: unknown; text: string }> => {
  const started = await startGateway({
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, models]) => [
        name,
        { ...listed(...models), api: 'openai-compatible' as const },
      ]),
    ),
  });
  const body = { model: asked, messages };
  const reply = await post(`${started.url}/v1/chat/completions`, body, started.auth);
  await started.close();
  return { label: called(reply), text: reply.text };
};

describe('a bare name that no provider has, of a model that one has under another name', () => {
  it.each([
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
    ['claude-sonnet-4-5-20250929', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-opus-4-8', 'anthropic/claude-opus-4.8'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku-20241022'],
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['gpt-5.5', 'openai/gpt-5.5'],
    ['gpt-5.5-2026-04-23', 'gpt-5.5'],
    ['gpt-6.1-sol', 'openai/gpt-6.1-sol'],
    ['gemini-2.5-flash', 'models/gemini-2.5-flash'],
    ['mistral-small-latest', 'mistral-small-2603'],
  ])('%s stands for %s', async (asked, model) => {
    expect(await names({ up: [model, 'other'] }, asked)).toMatchObject({ label: `up/${model}` });
  });

  it('is never another date, version, size or effort of it', async () => {
    for (const [asked, model] of [
      ['gpt-4o-2024-11-20', 'gpt-4o-2024-05-13'],
      ['claude-opus-4-8', 'claude-opus-4-7'],
      ['gpt-5.5', 'gpt-5.5-pro'],
      ['o3-mini-high', 'o3-mini'],
      ['mistral-large-2411', 'mistral-large-2407'],
      ['gpt-4o', 'ft:gpt-4o:org::id'],
      ['deepseek-r1', 'deepseek/deepseek-r1:free'],
    ] as const) {
      const { label, text } = await names({ up: [model] }, asked);
      expect([asked, label]).toEqual([asked, undefined]);
      expect(text).toContain('model_not_found');
    }
  });

  it('prefers the name with the same date, then the one without, then the newest', async () => {
    const dated = ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06', 'gpt-4o:extended'];
    const of = async (asked: string, ...more: string[]): Promise<unknown> =>
      (await names({ up: [...more, ...dated] }, asked)).label;
    expect(await of('gpt-4o-20240806')).toBe('up/gpt-4o-2024-08-06');
    expect(await of('gpt-4o-latest', 'openai/gpt-4o')).toBe('up/openai/gpt-4o');
    expect(await of('gpt-4o-latest', 'gpt-4o-2024-11-20')).toBe('up/gpt-4o-2024-11-20');
  });
});

describe('a name that an agent sends by itself, of a model that no provider has', () => {
  const claudes = ['claude-opus-4-1', 'claude-opus-4-7', 'claude-sonnet-4-5', 'claude-haiku-4-5'];
  const gpts = [
    'gpt-5-nano',
    'gpt-5-mini',
    'gpt-5.5',
    'gpt-5.5-pro',
    'gpt-4o',
    'gpt-5-chat-latest',
  ];
  const rest = ['llama-3.3-70b', 'gemini-3-pro-preview', 'gpt-oss-120b', 'text-embedding-3-large'];
  const all = [...rest, ...claudes, ...gpts];

  it.each([
    ['opus', 'claude-opus-4-7'],
    ['claude-opus-5-5', 'claude-opus-4-7'],
    ['sonnet', 'claude-sonnet-4-5'],
    ['claude-sonnet-5-5', 'claude-sonnet-4-5'],
    ['claude-3-7-sonnet-latest', 'claude-sonnet-4-5'],
    ['haiku', 'claude-haiku-4-5'],
    ['claude-haiku-5-5', 'claude-haiku-4-5'],
    ['claude-3-5-haiku-latest', 'claude-haiku-4-5'],
    ['claude-fable-5-2', 'claude-opus-4-7'],
    ['gpt-5-codex', 'gpt-5.5'],
    ['gpt-5.1-codex', 'gpt-5.5'],
    ['gpt-5.1-codex-max', 'gpt-5.5'],
    ['gpt-6.1-sol', 'gpt-5.5'],
    ['gpt-6.2-sol', 'gpt-5.5'],
    ['codex-auto-review', 'gpt-5.5'],
    ['codex-mini-latest', 'gpt-5-mini'],
    ['gpt-5.1-codex-mini', 'gpt-5-mini'],
  ])('%s stands for %s, the most able of its family', async (asked, model) => {
    expect(await names({ up: all }, asked)).toMatchObject({ label: `up/${model}` });
  });

  it('stands for the nearest family of its maker where there is no other', async () => {
    for (const [asked, offered, model] of [
      ['claude-haiku-4-5-20251001', claudes.slice(0, 3), 'claude-sonnet-4-5'],
      ['haiku', ['us.anthropic.claude-opus-4-7-v1:0'], 'us.anthropic.claude-opus-4-7-v1:0'],
      ['opus', ['anthropic/claude-sonnet-4.5', 'x'], 'anthropic/claude-sonnet-4.5'],
      ['codex-mini-latest', ['gpt-5.5'], 'gpt-5.5'],
    ] as const)
      expect(await names({ up: [...rest, ...offered] }, asked), asked).toMatchObject({
        label: `up/${model}`,
      });
  });

  it('is the model itself where a provider has it, and the target of an alias of that name', async () => {
    expect((await names({ up: ['gpt-5.1-codex', ...all] }, 'gpt-5.1-codex')).label).toBe(
      'up/gpt-5.1-codex',
    );
    const started = await startGateway({
      providers: { up: { ...listed(...all), api: 'openai-compatible' } },
      aliases: { opus: 'up/llama-3.3-70b' },
    });
    const body = { model: 'opus', messages };
    const reply = await post(`${started.url}/v1/chat/completions`, body, started.auth);
    await started.close();
    expect(called(reply)).toBe('up/llama-3.3-70b');
  });

  it('is the most able model that the key may use, and is named where it may use none', async () => {
    const keyModels = [['claude-opus-4-1', 'claude-haiku-4-5'], ['claude-haiku-4-5'], ['llama*']];
    const keys = keyModels.map((models, i) => ({
      name: `key-${i}`,
      key: `sk_${i}`,
      models: models.map((model) => `up/${model}`),
    }));
    const started = await startGateway({
      auth: { keys },
      providers: { up: { ...listed(...all), api: 'openai-compatible' } },
    });
    const replies: Reply[] = [];
    for (const { key } of keys)
      replies.push(
        await post(
          `${started.url}/v1/messages`,
          { model: 'opus', max_tokens: 9, messages },
          { authorization: `Bearer ${key}` },
        ),
      );
    await started.close();
    expect(replies.map(called)).toEqual(['up/claude-opus-4-1', 'up/claude-haiku-4-5', undefined]);
    const refusal = textAt(replies[2]?.json, 'error', 'message');
    expect(refusal).toBe('model: this API key may not use it');
  });

  it('is a set of candidates where several providers have that model', async () => {
    const { label } = await names({ a: claudes, b: claudes }, 'opus');
    expect(label).toMatch(/^[ab]\/claude-opus-4-7$/);
  });

  it('is never a model of another maker, nor one that does not chat', async () => {
    for (const asked of ['opus', 'haiku', 'gpt-5-codex', 'codex-mini-latest']) {
      const { label, text } = await names({ up: rest }, asked);
      expect([asked, label]).toEqual([asked, undefined]);
      expect(text).toContain('model_not_found');
    }
    expect((await names({ up: gpts }, 'sonnet')).label).toBeUndefined();
    expect((await names({ up: claudes }, 'codex-auto-review')).label).toBeUndefined();
  });
});

describe('a bare name that several providers have', () => {
  it('is refused on each surface with its own status and the choices', async () => {
    for (const [reply, status] of [
      [await native({ models: ['shared'] }), 422],
      [await openai({ model: 'shared' }), 404],
      [
        await post(`${gateway.url}/v1/embeddings`, { model: 'shared', input: 'a' }, gateway.auth),
        404,
      ],
      [await select(['shared', 'two/beta']), 400],
    ] as const) {
      expect(reply.status, reply.text).toBe(status);
      expect(reply.text).toContain('one/shared or two/shared');
    }
  });
});

describe('a name that nobody has', () => {
  it('is 404 model_not_found with similar names, and where the list is', async () => {
    const reply = await openai({ model: 'alpah' });
    expect(reply.status).toBe(404);
    expect(at(reply.json, 'error')).toMatchObject({ code: 'model_not_found', param: 'model' });
    expect(textAt(reply.json, 'error', 'message')).toMatch(
      /^model: no configured provider has a model "alpah"; did you mean one\/alpha.*GET \/v1\/models/,
    );
    expect(await native({ models: ['alpah'] })).toMatchObject({
      status: 422,
      json: { message: expect.stringMatching(/^models\[0\]: .*one\/alpha/) as string },
    });
  });

  it.each(['one/', 'google/', '/alpha', 'nobody/', '/'])(
    'may be %s, half of a label, which no provider is asked for',
    async (model) => {
      const from = upstream.requests.length;
      const reply = await openai({ model });
      expect(reply.status, reply.text).toBe(404);
      expect(reply.text).toContain(`has a model \\"${model}\\"`);
      expect(upstream.requests).toHaveLength(from);
    },
  );

  it('gets similar names also where its provider says so', async () => {
    upstream.script([{ status: 404 }]);
    const reply = await openai({ model: 'two/bete' });
    upstream.script([]);
    expect(reply.status).toBe(404);
    expect(textAt(reply.json, 'error', 'message')).toMatch(
      /^two answered 404: .*; did you mean two\/beta.*\? GET \/v1\/models/,
    );
  });

  it('names the variable that turns a known provider on, and similar names of others', async () => {
    expect((await openai({ model: 'groq/llama-3.3-70b' })).text).toContain('set GROQ_API_KEY');
    expect((await openai({ model: 'twoo/beta' })).text).toContain('did you mean two?');
  });

  it('is not told names that the key may not use', async () => {
    expect((await openai({ model: 'bete' }, 'sk_few')).text).not.toContain('beta');
    expect((await openai({ model: 'bete' })).text).toContain('two/beta');
  });
});

describe("a key's list of models", () => {
  it('applies to the targets of an alias', async () => {
    expect(called(await openai({ model: 'set' }, 'sk_few'))).toBe('one/alpha');
    expect(await openai({ model: 'wild-x' }, 'sk_few')).toMatchObject({ status: 400 });
    expect((await openai({ model: 'wild-x' }, 'sk_few')).text).toContain('may not use it');
  });
});

describe('model selection', () => {
  it('answers with the name of the entry, and with the target of an alias', async () => {
    expect((await select(['set'])).json).toMatchObject({
      llm_label: 'set',
      providers: [
        { provider: 'two', model: 'beta' },
        { provider: 'one', model: 'alpha' },
      ],
    });
    expect((await select(['who-knows'])).json).toMatchObject({
      llm_label: 'who-knows',
      providers: [{ provider: null, model: 'who-knows' }],
    });
  });
});
