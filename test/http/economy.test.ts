import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { ask, post } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const models = ['up/dear', 'up/cheap'];
const messages = [{ role: 'user', content: 'Write an essay of 500 words on signals.' }];

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: {
      'up/dear': { quality: 0.9, inputPrice: 10, outputPrice: 10 },
      'up/cheap': { quality: 0.87, inputPrice: 1, outputPrice: 1 },
    },
    auth: {
      keys: [
        { name: 'plain', key: 'sk_plain' },
        { name: 'thrifty', key: 'sk_thrifty', economy: 9 },
      ],
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const selected = async (body: object, key = 'sk_plain', query = ''): Promise<unknown> =>
  (
    await post(
      `${gateway.url}/api/v1/model-select${query}`,
      { messages, llm_providers: models.map((name) => ({ name })), ...body },
      bearer(key),
    )
  ).json;
const label = async (...args: Parameters<typeof selected>): Promise<string> =>
  textAt(await selected(...args), 'llm_label');

describe('the dial of economy', () => {
  it('decides what one more good answer is worth, by the request, its key or the configuration', async () => {
    expect(await label({})).toBe('up/dear');
    expect(await label({ tradeoff: 'cost' })).toBe('up/cheap');
    expect(await label({ economy: 9 })).toBe('up/cheap');
    expect(await label({}, 'sk_thrifty')).toBe('up/cheap');
    expect(await label({ economy: 5 }, 'sk_thrifty')).toBe('up/dear');
    expect(await label({ economy: 0, tradeoff: 'cost' })).toBe('up/dear');
  });

  it('holds for completions on both surfaces', async () => {
    const native = await post(
      `${gateway.url}/api/v1/completions`,
      { messages, models, economy: 9 },
      bearer('sk_plain'),
    );
    expect(textAt(native.json, 'model')).toBe('cheap');
    const chat = await post(
      `${gateway.url}/v1/chat/completions`,
      { messages, model: 'auto', models, economy: 9 },
      bearer('sk_plain'),
    );
    expect(chat.headers['x-signalbox-model']).toBe('up/cheap');
    expect(upstream.requests.at(-1)?.body).not.toHaveProperty('economy');
  });

  it('is explained: what more a better model would have cost', async () => {
    const reasons = (await selected({ economy: 9 }, 'sk_plain', '?explain=true')) as {
      candidates: { reason: string }[];
    };
    expect(reasons.candidates.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^best value at 0\.025 USD per good answer: predicted quality 0\.87, best is 0\.9, about [\d.]+ USD$/,
      ),
      '3 points better than up/cheap for 10 times the price: not worth it at 0.025 USD per good answer',
    ]);
  });

  it.each([-1, 11, '5', true])('is refused as %j', async (economy) => {
    const reply = await post(
      `${gateway.url}/api/v1/model-select`,
      { messages, llm_providers: [{ name: 'up/dear' }], economy },
      bearer('sk_plain'),
    );
    expect(reply).toMatchObject({ status: 400, text: expect.stringContaining('economy') });
  });

  it('can be set on an issued key, changed and taken away', async () => {
    const keys = `${gateway.url}/api/v1/keys`;
    const { json } = await post(keys, { name: 'mine', economy: 9 }, gateway.auth);
    const [key, id] = [textAt(json, 'key'), textAt(json, 'id')];
    expect(await label({}, key)).toBe('up/cheap');
    const change = (economy: number | null) =>
      ask(
        'PATCH',
        `${keys}/${id}`,
        { ...gateway.auth, 'content-type': 'application/json' },
        JSON.stringify({ economy }),
      );
    expect((await change(2)).json).toMatchObject({ economy: 2 });
    expect(await label({}, key)).toBe('up/dear');
    expect((await change(null)).json).toMatchObject({ economy: null });
    expect((await ask('GET', `${keys}/${id}`, gateway.auth)).json).toMatchObject({ economy: null });
  });
});
