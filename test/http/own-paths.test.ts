import { afterEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask, post } from '../helpers/sse.js';
import { startUpstream } from '../helpers/upstream.js';

const unreached = 'http://127.0.0.1:9';
const providers = {
  tulip: { api: 'openai-compatible', baseUrl: `${unreached}/v1`, allowProxy: true },
  rose: { api: 'openai', baseUrl: `${unreached}/v1`, apiKey: 'k', allowProxy: true },
  claude: { api: 'anthropic', baseUrl: unreached, apiKey: 'k', allowProxy: true },
} as const;

let gateway: RunningGateway | null = null;
afterEach(() => gateway?.close());

describe("a path of a provider's own API is 404", () => {
  it.each([
    ...[
      ...['images/generations', 'audio/speech', 'files', 'files/f/content', 'batches'],
      ...['moderations', 'uploads/u/parts', 'fine_tuning/jobs', 'vector_stores/v/search'],
      ...['assistants', 'threads/t/runs', 'realtime/client_secrets', 'videos', 'evals/e/runs'],
      ...['conversations/c/items', 'containers'],
    ].map((path) => [`/v1/${path}`, `/proxy/rose/v1/${path} reaches it at the provider rose`]),
  ])("%s, in OpenAI's shape, and names the pass-through path", async (path, hint) => {
    gateway = await startGateway({ providers });
    expect(await post(gateway.url + path, { model: 'm' }, gateway.auth)).toMatchObject({
      status: 404,
      json: { error: { code: 'not_found', message: expect.stringContaining(hint) } },
    });
  });

  it.each(['/v1/messages/batches', '/v1/messages/batches/b/results'])(
    "%s, in Anthropic's shape, and names the pass-through path",
    async (path) => {
      gateway = await startGateway({ providers });
      const sent = { 'x-api-key': gateway.key, 'anthropic-version': '2023-06-01' };
      expect(await post(gateway.url + path, { model: 'm' }, sent)).toMatchObject({
        status: 404,
        json: {
          type: 'error',
          error: {
            type: 'not_found_error',
            message: `no route for POST ${path}; /proxy/claude${path} reaches it at the provider claude`,
          },
        },
      });
      expect(await post(gateway.url + path, {}, { 'x-api-key': 'sk_wrong' })).toMatchObject({
        status: 401,
        json: { type: 'error', error: { type: 'authentication_error' } },
      });
    },
  );

  it.each([
    ...['/v1beta/models/m:generateContent', '/v1beta/models', '/upload/v1beta/files'],
    '/v1alpha/auth_tokens',
  ])("%s, in Google's shape, and names the pass-through path", async (path) => {
    const gem = { api: 'gemini', baseUrl: `${unreached}/v1beta`, apiKey: 'k', allowProxy: true };
    gateway = await startGateway({ providers: { ...providers, gem } });
    const hint = `/proxy/gem${path} reaches it at the provider gem`;
    expect(await post(gateway.url + path, {}, { 'x-goog-api-key': gateway.key })).toMatchObject({
      status: 404,
      json: {
        error: { code: 404, message: `no route for POST ${path}; ${hint}`, status: 'NOT_FOUND' },
      },
    });
    expect(await post(gateway.url + path, {}, { 'x-goog-api-key': 'sk_wrong' })).toMatchObject({
      status: 401,
      json: { error: { code: 401, status: 'UNAUTHENTICATED' } },
    });
  });

  it('and names no provider where none of that dialect may be passed through to', async () => {
    const { tulip, claude } = providers;
    gateway = await startGateway({
      providers: { tulip, claude: { ...claude, allowProxy: false } },
    });
    const asked = async (path: string): Promise<string> =>
      (await post(`${gateway?.url ?? ''}${path}`, {}, gateway?.auth)).text;
    expect(await asked('/v1/messages/batches')).toContain(
      '/proxy/<provider>/v1/messages/batches reaches it at a provider that has it',
    );
    expect(await asked('/v1/responses/r/new')).toContain('/proxy/tulip/v1/responses/r/new');
    expect(await asked('/v1/nothing')).not.toContain('/proxy');
    await gateway.close();
    gateway = await startGateway({ providers, proxy: { enabled: false } });
    expect(await asked('/v1/messages/batches')).not.toContain('/proxy');
  });

  it('and the path that it names leads there', async () => {
    const upstream = await startUpstream({ hasLists: false });
    const claude = { ...providers.claude, baseUrl: upstream.url };
    gateway = await startGateway({ providers: { claude } });
    const { text } = await post(`${gateway.url}/v1/messages/batches`, {}, gateway.auth);
    const path = /\/proxy\/\S+/.exec(text)?.[0] ?? '';
    upstream.script([{ status: 404 }]);
    await post(gateway.url + path, { requests: [] }, gateway.auth);
    expect(upstream.requests.map((call) => call.path)).toEqual(['/v1/messages/batches']);
    await upstream.close();
  });
});

describe('a base URL without /v1, or with it twice,', () => {
  it.each([
    ['/chat/completions', '/v1/chat/completions'],
    ['/responses', '/v1/responses'],
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/api/chat/completions', '/v1/chat/completions'],
    ['/embeddings', '/v1/embeddings'],
  ])('is 404 at %s, which names the path', async (path, meant) => {
    gateway = await startGateway({ providers });
    const { status, text } = await post(gateway.url + path, { model: 'm' }, gateway.auth);
    expect(status).toBe(404);
    expect(text).toContain(`ends in /v1: ${meant}`);
  });

  it("is 404 for Anthropic's clients, whose base URL has no /v1", async () => {
    gateway = await startGateway({ providers });
    const headers = { ...gateway.auth, 'anthropic-version': '2023-06-01' };
    const { status, text } = await post(`${gateway.url}/v1/v1/messages`, { model: 'm' }, headers);
    expect(status).toBe(404);
    expect(text).toContain('the base URL for this API has no /v1: /v1/messages');
  });

  it('is not taken for one where the path is another one of the API', async () => {
    gateway = await startGateway({ providers });
    const { text } = await post(`${gateway.url}/v1/threads/t/messages`, {}, gateway.auth);
    expect(text).not.toContain('ends in /v1');
  });
});

describe('an unknown path or method of a client that speaks Messages', () => {
  const version = { 'anthropic-version': '2023-06-01' };

  it.each([
    ['GET', '/anthropic', {}],
    ['POST', '/anthropic/v2/things', {}],
    ['GET', '/anthropic/v1/files', {}],
    ['GET', '/v1/messages/batches', {}],
    ['GET', '/v1/skills', version],
    ['GET', '/nothing', version],
  ] as const)('%s %s is 404 in Anthropic’s shape', async (method, path, headers) => {
    gateway = await startGateway({ providers });
    const reply = await ask(method, gateway.url + path, { ...gateway.auth, ...headers });
    expect(reply).toMatchObject({
      status: 404,
      json: {
        type: 'error',
        error: { type: 'not_found_error', message: expect.stringContaining(method) },
        request_id: reply.headers['request-id'],
      },
    });
    expect(await ask(method, gateway.url + path, headers)).toMatchObject({
      status: 401,
      json: { type: 'error', error: { type: 'authentication_error' } },
    });
  });

  it.each(['/anthropic/v1/messages', '/v1/messages', '/anthropic/v1/messages/count_tokens'])(
    'GET %s is 405 in Anthropic’s shape',
    async (path) => {
      gateway = await startGateway({ providers });
      expect(await ask('GET', gateway.url + path, gateway.auth)).toMatchObject({
        status: 405,
        json: { type: 'error', error: { type: 'invalid_request_error' } },
      });
    },
  );

  it('is told the pass-through path of a provider of its dialect', async () => {
    gateway = await startGateway({ providers });
    const asked = async (path: string, headers = {}): Promise<string> =>
      (await ask('GET', `${gateway?.url ?? ''}${path}`, { ...gateway?.auth, ...headers })).text;
    for (const text of [await asked('/anthropic/v1/files'), await asked('/v1/files', version)])
      expect(text).toContain('/proxy/claude/v1/files reaches it at the provider claude');
    expect(await asked('/nothing', version)).not.toContain('/proxy');
    expect(await asked('/v1/files')).toContain('/proxy/rose/v1/files');
  });

  it('leaves other clients the shape of their API', async () => {
    gateway = await startGateway({ providers });
    expect((await ask('GET', `${gateway.url}/v1/skills`, gateway.auth)).json).toMatchObject({
      error: { code: 'not_found' },
    });
    expect((await ask('GET', `${gateway.url}/anthropics`, gateway.auth)).json).toMatchObject({
      error: 'Not Found',
    });
  });
});
