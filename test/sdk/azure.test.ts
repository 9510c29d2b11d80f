import { AzureOpenAI } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { post } from '../helpers/sse.js';
import { type SdkGateway, startSdkGateway } from '../helpers/sdk-gateway.js';

let gateway: SdkGateway;
beforeEach(async () => {
  gateway = await startSdkGateway();
});
afterEach(() => gateway.close());

const client = (deployment?: string) =>
  new AzureOpenAI({
    apiKey: gateway.key,
    endpoint: gateway.url,
    apiVersion: '2025-04-01-preview',
    maxRetries: 0,
    ...(deployment === undefined ? {} : { deployment }),
  });
const messages = [{ role: 'user' as const, content: 'Say hello' }];

describe('Azure’s client of OpenAI', () => {
  it.each(['compatible/gpt-test', 'claude/claude-sonnet-4-5'])('chats with %s', async (model) => {
    const { choices } = await client().chat.completions.create({ model, messages });
    expect(choices[0]?.message.content).toBe('Hello');
    const stream = await client().chat.completions.create({ model, messages, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('Hello');
  });

  it('calls the model that its deployment names, whatever the body says', async () => {
    const named = client('compatible/gpt-test').chat.completions;
    await named.create({ model: 'gpt-4o', messages });
    expect(gateway.upstream.requests[0]?.body).toMatchObject({ model: 'gpt-test' });
    const path =
      '/openai/deployments/compatible%2Fgpt-test/chat/completions?api-version=2024-10-21';
    const sent = { 'api-key': gateway.key };
    expect((await post(gateway.url + path, { messages, model: null }, sent)).status).toBe(200);
    expect((await post(gateway.url + path, { messages }, sent)).status).toBe(200);
  });

  it('embeds, creates responses and lists models', async () => {
    const model = 'compatible/embedding';
    const input = ['a', 'b'];
    const encoding_format = 'float' as const;
    const { data } = await client().embeddings.create({ model, input, encoding_format });
    expect(data).toHaveLength(2);
    const asked = { model: 'compatible/gpt-test', input: 'Say hello' };
    expect((await client().responses.create(asked)).output_text).toBe('Hello');
    const listed = await client().models.list();
    expect(listed.data[0]).toMatchObject({ id: 'auto' });
  });

  it('is told of a wrong key and of a deployment that there is not', async () => {
    const create = client('nothing/here').chat.completions.create({ model: 'm', messages });
    await expect(create).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    const wrong = new AzureOpenAI({
      ...{ apiKey: 'sk_wrong', endpoint: gateway.url, apiVersion: '2024-10-21', maxRetries: 0 },
    });
    const refused = wrong.chat.completions.create({ model: 'compatible/gpt-test', messages });
    await expect(refused).rejects.toMatchObject({ status: 401 });
  });

  it('may use Azure’s newer paths, which have no deployment', async () => {
    for (const path of ['/openai/v1/chat/completions', '/openai//v1/chat/completions/']) {
      const body = { model: 'compatible/gpt-test', messages };
      expect((await post(gateway.url + path, body, gateway.auth)).status).toBe(200);
    }
    expect((await post(`${gateway.url}/openai/other`, {}, gateway.auth)).status).toBe(404);
    const odd = '/openai/deployments/%E0%A4%A/chat/completions';
    expect((await post(gateway.url + odd, { messages }, gateway.auth)).status).toBe(400);
  });
});
