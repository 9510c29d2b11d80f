import { afterEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { post } from '../helpers/sse.js';
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
    ['/v1/responses', '/proxy/rose/v1/responses reaches it at the provider rose'],
    ['/v1/completions', '/proxy/rose/v1/completions reaches it at the provider rose'],
    ['/v1/images/generations', '/proxy/rose/v1/images/generations reaches it'],
  ])("%s, in OpenAI's shape, and names the pass-through path", async (path, hint) => {
    gateway = await startGateway({ providers });
    expect(await post(gateway.url + path, { model: 'm' }, gateway.auth)).toMatchObject({
      status: 404,
      json: { error: { code: 'not_found', message: expect.stringContaining(hint) } },
    });
  });

  it.each(['/v1/messages', '/v1/messages/count_tokens'])(
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

  it('and names no provider where none of that dialect may be passed through to', async () => {
    const { tulip, claude } = providers;
    gateway = await startGateway({
      providers: { tulip, claude: { ...claude, allowProxy: false } },
    });
    const asked = async (path: string): Promise<string> =>
      (await post(`${gateway?.url ?? ''}${path}`, {}, gateway?.auth)).text;
    expect(await asked('/v1/messages')).toContain(
      '/proxy/<provider>/v1/messages reaches it at a provider that has it',
    );
    expect(await asked('/v1/completions')).toContain('/proxy/tulip/v1/completions');
    expect(await asked('/v1/nothing')).not.toContain('/proxy');
    await gateway.close();
    gateway = await startGateway({ providers, proxy: { enabled: false } });
    expect(await asked('/v1/messages')).not.toContain('/proxy');
  });

  it('and the path that it names leads there', async () => {
    const upstream = await startUpstream({ hasLists: false });
    const claude = { ...providers.claude, baseUrl: upstream.url };
    gateway = await startGateway({ providers: { claude } });
    const { text } = await post(`${gateway.url}/v1/messages`, {}, gateway.auth);
    const path = /\/proxy\/\S+/.exec(text)?.[0] ?? '';
    await post(gateway.url + path, { model: 'm', messages: [], max_tokens: 1 }, gateway.auth);
    expect(upstream.requests.map((call) => call.path)).toEqual(['/v1/messages']);
    await upstream.close();
  });
});
