import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/config.js';
import { expectConforms } from '../helpers/conforms.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';
import type { Step } from '../helpers/steps.js';

const lists: Record<string, unknown> = {
  '/v1/models': {
    object: 'list',
    data: [
      { id: 'gpt-4o', object: 'model', created: 1715367049, owned_by: 'system' },
      { id: 'gpt-image-1', object: 'model', created: 1 },
      { id: 'text-embedding-3-small', object: 'model', created: 1 },
      { id: 'tts-1', object: 'model' },
      { id: 'whisper-1', object: 'model' },
      { id: 'omni-moderation-latest', object: 'model' },
      { id: 'a name with spaces' },
      { object: 'nameless' },
    ],
  },
  '/claude/v1/models?limit=1000': { data: [{ type: 'model', id: 'claude-sonnet-4-5' }] },
  '/v1beta/models?pageSize=1000': {
    models: [
      {
        name: 'models/gemini-2.5-flash',
        supportedGenerationMethods: ['generateContent'],
        inputTokenLimit: 1048576,
      },
      { name: 'models/gemini-embedding-001', supportedGenerationMethods: ['embedContent'] },
      { name: 'models/aqa', supportedGenerationMethods: ['generateAnswer'] },
    ],
  },
  '/cohere/v1/models?page_size=1000': {
    models: [
      { name: 'command-a-03-2025', endpoints: ['chat'], context_length: 288000 },
      { name: 'embed-v4.0', endpoints: ['embed'] },
      { name: 'rerank-v3.5', endpoints: ['rerank'] },
    ],
  },
};

let upstream: Upstream;
const json = (body: unknown): Step => ({
  raw: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
});
const answerLists = ({ method, path }: UpstreamCall): Step =>
  method !== 'GET' ? {} : path in lists ? json(lists[path]) : { status: 500 };
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const configOf = (more: ConfigInput = {}): ConfigInput => ({
  providers: {
    openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'openai-key' },
    // the slash at the end is none of the path
    claude: { api: 'anthropic', baseUrl: `${upstream.url}/claude/`, apiKey: 'claude-key' },
    gem: { api: 'gemini', baseUrl: `${upstream.url}/v1beta`, apiKey: 'gem-key' },
    cohere: { api: 'cohere', baseUrl: `${upstream.url}/cohere/v2`, apiKey: 'cohere-key' },
  },
  ...more,
});
const listOf = async (gateway: RunningGateway): Promise<unknown[]> => {
  const reply = await ask('GET', `${gateway.url}/v1/models`, gateway.auth);
  expectConforms('models.response', reply.json);
  return listAt(reply.json, 'data');
};
const idsOf = (list: unknown[]): string[] => list.map((entry) => textAt(entry, 'id'));
/** Waits until the background answers have come. */
const learned = (gateway: RunningGateway, id: string, is = true): Promise<unknown> =>
  until(async () => idsOf(await listOf(gateway)).includes(id) === is);

describe('GET /v1/models', () => {
  it('lists what the providers list, with chat and other models told apart', async () => {
    upstream.script([answerLists]);
    const gateway = await startGateway(
      configOf({ aliases: { smart: 'claude/claude-sonnet-4-5' } }),
    );
    // known prices, until the providers have answered
    expect(idsOf(await listOf(gateway))).toContain('openai/gpt-4o-mini');
    await learned(gateway, 'openai/gpt-4o-mini', false);
    await learned(gateway, 'gem/aqa');
    await learned(gateway, 'cohere/rerank-v3.5');
    const list = await listOf(gateway);
    expect(list.map((entry) => `${textAt(entry, 'id')} ${textAt(entry, 'type')}`)).toEqual([
      'auto chat',
      'smart chat',
      'openai/gpt-4o chat',
      'openai/gpt-image-1 image',
      'openai/text-embedding-3-small embedding',
      'openai/tts-1 speech',
      'openai/whisper-1 transcription',
      'openai/omni-moderation-latest moderation',
      'claude/claude-sonnet-4-5 chat',
      'gem/gemini-2.5-flash chat',
      'gem/gemini-embedding-001 embedding',
      'gem/aqa other',
      'cohere/command-a-03-2025 chat',
      'cohere/embed-v4.0 embedding',
      'cohere/rerank-v3.5 rerank',
    ]);
    expect(list[1]).toMatchObject({ targets: ['claude/claude-sonnet-4-5'] });
    expect(list[2]).toMatchObject({
      created: 1715367049,
      owned_by: 'openai',
      context_length: 128000,
      capabilities: { tools: true, images: true },
    });
    await gateway.close();
  });

  it("asks with the provider's own key and headers, once for many requests", async () => {
    upstream.script([answerLists]);
    const from = upstream.requests.length;
    const gateway = await startGateway(configOf());
    await Promise.all(Array.from({ length: 5 }, () => listOf(gateway)));
    await learned(gateway, 'cohere/rerank-v3.5');
    await learned(gateway, 'gem/aqa');
    const calls = upstream.requests.slice(from);
    expect(calls.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      Object.keys(lists)
        .map((path) => `GET ${path}`)
        .sort(),
    );
    const claude = calls.find(({ path }) => path.startsWith('/claude'));
    expect(claude?.headers).toMatchObject({
      'x-api-key': 'claude-key',
      'anthropic-version': '2023-06-01',
    });
    await gateway.close();
  });

  it('lists models with known prices where the provider has no list, and says so once', async () => {
    upstream.script([{ status: 500 }]);
    const log = keepingLogger();
    const gateway = await startGateway(
      { providers: { openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k' } } },
      { logger: log.logger },
    );
    for (let n = 0; n < 3; n++) expect(idsOf(await listOf(gateway))).toContain('openai/gpt-4o');
    const warnings = (): unknown[] =>
      log.lines.filter((line) => String(line['msg']).includes('could not be listed'));
    await until(() => warnings().length > 0);
    await listOf(gateway);
    expect(warnings()).toHaveLength(1);
    await gateway.close();
  });

  it("names Google's models alone for Google's API, whose price list has those of Vertex's partners", async () => {
    const gem = { api: 'gemini', apiKey: 'k', listModels: false } as const;
    const claude = { api: 'anthropic', apiKey: 'k', listModels: false } as const;
    const gateway = await startGateway({ providers: { gem, claude } });
    const ids = idsOf(await listOf(gateway));
    expect(ids).toContain('gem/gemini-2.5-flash');
    expect(ids.filter((id) => /^gem\/(?!gemini|gemma)/.test(id))).toEqual([]);
    const body = { model: 'claude/claude-3-opsu', messages: [{ role: 'user', content: 'Hi' }] };
    expect(
      (await post(`${gateway.url}/v1/chat/completions`, body, gateway.auth)).text,
    ).not.toContain('gem/');
    await gateway.close();
  });

  it('asks nobody where the configuration says so, or names the models', async () => {
    upstream.script([answerLists]);
    const from = upstream.requests.length;
    const openai = { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k' };
    const gateway = await startGateway({
      providers: {
        off: { ...openai, listModels: false },
        named: { ...openai, listModels: ['mine', 'my-embedding'] },
      },
    });
    const list = await listOf(gateway);
    expect(idsOf(list)).toContain('off/gpt-4o-mini');
    expect(list.slice(-2)).toMatchObject([
      { id: 'named/mine', type: 'chat' },
      { id: 'named/my-embedding', type: 'embedding' },
    ]);
    expect(upstream.requests.slice(from)).toEqual([]);
    await gateway.close();
  });
});

describe('what providers list', () => {
  it('decides whom auto chooses: models that are listed and can chat', async () => {
    upstream.script([answerLists]);
    const gateway = await startGateway(configOf());
    await listOf(gateway);
    await learned(gateway, 'cohere/rerank-v3.5');
    await learned(gateway, 'openai/gpt-4o-mini', false);
    await learned(gateway, 'gem/aqa');
    const body = { model: 'auto', messages: [{ role: 'user', content: 'Hi' }] };
    const reply = await post(`${gateway.url}/v1/chat/completions`, body, gateway.auth);
    const asked = JSON.parse(String(reply.headers['x-signalbox-routing'])) as unknown;
    const candidates = listAt(asked, 'candidates').map((one) => textAt(one, 'label'));
    expect(candidates.sort()).toEqual([
      'claude/claude-sonnet-4-5',
      'cohere/command-a-03-2025',
      'gem/gemini-2.5-flash',
      'openai/gpt-4o',
    ]);
    expect(at(reply.json, 'error')).toBeUndefined();
    await gateway.close();
  });

  it('decides whom auto chooses: none whose models its API does not serve, nor who cannot chat', async () => {
    const chosen = async (config: ConfigInput, more: object = {}): Promise<unknown> => {
      const gateway = await startGateway(config);
      const body = { model: 'auto', messages: [{ role: 'user', content: 'Hi' }], ...more };
      const { headers } = await post(`${gateway.url}/v1/chat/completions`, body, gateway.auth);
      await gateway.close();
      const asked = JSON.parse(String(headers['x-signalbox-routing'] ?? '{}')) as unknown;
      const candidates = listAt(asked, 'candidates');
      return candidates
        .filter((one) => at(one, 'excluded') === undefined)
        .map((one) => at(one, 'label'))
        .sort();
    };
    upstream.script([]);
    const openai = (listModels: string[]): ConfigInput => ({
      providers: {
        openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k', listModels },
      },
    });
    const names = ['gpt-5.4', 'gpt-4o', 'o1-mini'];
    const others = [
      'gpt-5.3-codex',
      'gpt-5.1-codex-mini',
      'o3-pro',
      'text-embedding-3-small',
      'tts-1',
      'gpt-image-1',
      'rerank-v4',
    ];
    const labels = (list: string[]): string[] => list.map((name) => `openai/${name}`).sort();
    expect(await chosen(openai([...names, ...others]))).toEqual(labels(names));
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    expect(await chosen(openai([...names, ...others]), { tools })).toEqual(
      labels(['gpt-5.4', 'gpt-4o']),
    );
    const auto = labels([...names, 'text-embedding-3-small', 'rerank-v4']);
    expect(await chosen({ ...openai(names), routing: { auto } })).toEqual(labels(names));
    const models = Object.fromEntries(auto.map((label) => [label, {}]));
    expect(await chosen({ ...openai(names), models })).toEqual(labels(names));
  });

  it('decides which bare names can be used, without any request that waits for it', async () => {
    upstream.script([answerLists]);
    const gateway = await startGateway({
      providers: {
        local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
      },
    });
    const send = () =>
      post(
        `${gateway.url}/v1/chat/completions`,
        { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] },
        gateway.auth,
      );
    expect((await send()).status).toBe(404);
    await until(async () => (await send()).status === 200);
    expect((await send()).headers['x-signalbox-model']).toBe('local/gpt-4o');
    await gateway.close();
  });
});
