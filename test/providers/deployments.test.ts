import { describe, expect, it } from 'vitest';
import { dialects } from '../../src/providers/index.js';
import type { ProviderAdapter } from '../../src/providers/adapter.js';

const adapterOf = (api: string): ProviderAdapter =>
  dialects.get(api)!.create({
    name: 'p',
    api,
    baseUrl: 'http://127.0.0.1:1/v1',
    region: 'eu-west-1',
    project: 'project',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    deployments: { ours: 'claude-opus-4-5', swapped: 'ours' },
  });
const request = { messages: [{ role: 'user', content: 'Hi' }] };
/** The parts of a request in which providers expect the model. */
async function called(api: string, model: string): Promise<string> {
  const { url, body } = await adapterOf(api).buildRequest({ request, model, stream: false }, 'key');
  const named = (JSON.parse(String(body)) as { model?: string }).model ?? '';
  return `${decodeURIComponent(url)} ${named}`;
}
// its access tokens come over the network
const offline = [...dialects.keys()].filter((api) => api !== 'vertex');

describe.each(offline)('%s', (api) => {
  it('is asked for the model that the configuration gives for ours', async () => {
    expect(await called(api, 'ours')).toContain('claude-opus-4-5');
    expect(await called(api, 'ours')).not.toContain('ours');
  });

  it('looks a name up once', async () => {
    const asked = await called(api, 'swapped');
    expect(asked).toContain('ours');
    expect(asked).not.toContain('claude-opus-4-5');
  });

  it('is asked for other models by their own names', async () => {
    for (const model of ['gpt-4o', 'constructor', 'claude-opus-4-50'])
      expect(await called(api, model)).toContain(model);
  });
});

describe('embeddings', () => {
  const apis = ['openai', 'azure-openai', 'openai-compatible', 'openai-responses', 'cohere'];
  it.each(apis)('of %s go to the model that the configuration gives for ours', (api) => {
    const { body } = adapterOf(api).embeddings!.buildRequest({ input: 'a' }, 'ours', 'key') as {
      body: string;
    };
    expect(JSON.parse(body)).toMatchObject({ model: 'claude-opus-4-5' });
  });
});
