import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import type { WrittenConfig } from '../../src/config/shape.js';
import { type LocalWeb, page, startWeb } from '../helpers/local-web.js';
import { callAnswer, rawGateway, rawProviders } from '../helpers/raw-provider.js';
import { post, type Reply } from '../helpers/sse.js';

const jpeg = Buffer.from('ffd8ffe000104a464946000101', 'hex');
const inline = (type: string): string => `data:${type};base64,${jpeg.toString('base64')}`;

let web: LocalWeb;
let without: RunningGateway;
const configOf = (maxFetchedImages: number): WrittenConfig => ({
  search: { allowPrivateHosts: [`127.0.0.1:${web.port}`], obeyRobots: false },
  limits: { maxFetchedImages },
});
const raw = rawGateway(async () => {
  web = await startWeb({
    '/photo': page(jpeg, { 'content-type': 'image/png' }),
    '/page': page('<html>Not found</html>'),
    '/large': page(Buffer.alloc(6_000_000, 1), { 'content-type': 'image/jpeg' }),
  });
  return configOf(2);
});
beforeAll(async () => {
  without = await startGateway({ ...configOf(0), providers: rawProviders(raw.provider.url) });
});
afterAll(async () => {
  await without.close();
  await web.close();
});
beforeEach(() => {
  raw.provider.texts.splice(0);
  raw.provider.answer((path) => ({
    json: callAnswer(
      path.startsWith('/model/') ? 'aws' : path.includes(':generate') ? 'google' : 'claude',
    ),
  }));
});

const address = (path: string): string => `http://127.0.0.1:${web.port}${path}`;
const ask = (model: string, urls: unknown[], at = raw.gateway): Promise<Reply> =>
  post(
    `${at.url}/v1/chat/completions`,
    {
      model,
      messages: [
        { role: 'user', content: urls.map((url) => ({ type: 'image_url', image_url: url })) },
      ],
    },
    at.auth,
  );
const aws = 'aws/anthropic.claude-sonnet-4-6';

describe('an image by its address', () => {
  it.each([
    [aws, `{"image":{"format":"jpeg","source":{"bytes":"${jpeg.toString('base64')}"}}}`],
    ['google/gemini-2.5-flash', `{"mimeType":"image/jpeg","data":"${jpeg.toString('base64')}"}`],
    ['claude/claude-haiku-4-5', `"media_type":"image/jpeg","data":"${jpeg.toString('base64')}"`],
  ])('is sent to %s with its bytes and by what they are', async (model, expected) => {
    expect((await ask(model, [{ url: address('/photo') }])).status).toBe(200);
    expect(raw.provider.texts.at(-1)).toContain(expected);
  });

  it('goes to a provider that opens it as it is', async () => {
    await ask('claude/claude-haiku-4-5', [{ url: 'https://images.example/a.png' }]);
    expect(raw.provider.texts.at(-1)).toContain('"url":"https://images.example/a.png"');
  });

  it.each([
    ['a page', '/page', 'no image'],
    ['nothing', '/none', 'answered 404'],
    ['more than 5 MB', '/large', 'more than 5000000 bytes'],
  ])('is refused where it leads to %s', async (_what, path, reason) => {
    const { status, json } = await ask(aws, [{ url: address(path) }]);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain(reason);
    expect(raw.provider.texts).toEqual([]);
  });

  it('of a private host is not opened', async () => {
    const reply = await ask(aws, [{ url: raw.provider.url }]);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.json)).not.toContain(raw.provider.url);
    expect(raw.provider.texts).toEqual([]);
  });

  it('is one of as many as the configuration allows', async () => {
    const urls = ['/photo', '/photo?2', '/photo?3'].map((path) => ({ url: address(path) }));
    const { status, json } = await ask(aws, urls);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain('more than 2 images');
  });

  it('counts among the bytes in progress while it is fetched, until the request is over', async () => {
    const tight = await startGateway({
      ...configOf(8),
      limits: { maxBytesInProgress: 11_000_000, maxAccountBytesInProgress: 11_000_000 },
      providers: rawProviders(raw.provider.url),
    });
    try {
      const three = ['/photo', '/photo?2', '/photo?3'].map((path) => ({ url: address(path) }));
      // alone it is never refused
      expect((await ask(aws, three, tight)).status).toBe(200);
      const opened = web.requests.length;
      const replies = await Promise.all(Array.from({ length: 12 }, () => ask(aws, three, tight)));
      const refused = replies.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(JSON.stringify(refused[0]?.json)).toContain('11000000 bytes together');
      expect(web.requests.length - opened).toBeLessThan(36);
      expect((await ask(aws, three, tight)).status).toBe(200);
    } finally {
      await tight.close();
    }
  });

  it('is not opened where that is switched off, and another model is asked', async () => {
    const opened = web.requests.length;
    expect((await ask(aws, [{ url: address('/photo') }], without)).status).toBe(400);
    const { status } = await post(
      `${without.url}/v1/chat/completions`,
      {
        model: aws,
        fallback_models: ['claude/claude-haiku-4-5'],
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'https://images.example/a.png' } }],
          },
        ],
      },
      without.auth,
    );
    expect(status).toBe(200);
    expect(web.requests).toHaveLength(opened);
  });
});

describe('an image that the client sends', () => {
  it.each([
    [aws, '"format":"jpeg"'],
    ['google/gemini-2.5-flash', '"mimeType":"image/jpeg"'],
    ['claude/claude-haiku-4-5', '"media_type":"image/jpeg"'],
  ])('goes to %s under the type of its bytes', async (model, expected) => {
    expect((await ask(model, [{ url: inline('image/png') }])).status).toBe(200);
    expect(raw.provider.texts.at(-1)).toContain(expected);
  });

  it.each([
    ['bmp', `BM${'\0'.repeat(16)}`],
    ['tiff', 'II*\0\b\0\0\0'],
    ['tiff', 'MM\0*\0\0\0\b'],
    ['avif', '\0\0\0 ftypavif\0\0'],
    ['heic', '\0\0\0 ftyphevc\0\0'],
  ])('goes as image/%s only to those that may read that', async (type, bytes) => {
    const url = `data:image/png;base64,${Buffer.from(bytes, 'latin1').toString('base64')}`;
    expect((await ask('google/gemini-2.5-flash', [{ url }])).status).toBe(200);
    expect(raw.provider.texts.at(-1)).toContain(`"mimeType":"image/${type}"`);
    for (const model of [aws, 'claude/claude-haiku-4-5']) {
      const { status, json } = await ask(model, [{ url }]);
      expect(status).toBe(400);
      expect(JSON.stringify(json)).toContain(`image/${type}`);
    }
    expect(raw.provider.texts).toHaveLength(1);
  });

  it.each([aws, 'google/gemini-2.5-flash', 'claude/claude-haiku-4-5'])(
    'may be a plain text for %s',
    async (model) => {
      expect((await ask(model, [inline('image/jpeg')])).status).toBe(200);
      expect(raw.provider.texts.at(-1)).toContain(jpeg.toString('base64'));
    },
  );

  const source = { type: 'base64', media_type: 'image/png', data: jpeg.toString('base64') };
  const called = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }],
  };
  const seen = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source }] };
  const item = { type: 'input_image', image_url: inline('application/octet-stream') };
  it.each([
    ['a block', [{ role: 'user', content: [{ type: 'image', source }] }]],
    ['a result', [{ role: 'user', content: 'Look' }, called, { role: 'user', content: [seen] }]],
    ['a part of an item', [{ role: 'user', content: [item] }]],
    ['a part beside what is none', [{ role: 'user', content: [null, 'beside', item] }]],
    [
      'an output',
      [
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [item] },
      ],
    ],
  ])('is forwarded under the type of its bytes, as %s of the client’s API', async (name, turns) => {
    const [path, body] = JSON.stringify(turns).includes('"source"')
      ? ['messages', { model: 'claude/claude-haiku-4-5', max_tokens: 9, messages: turns }]
      : ['responses', { model: 'answers/gpt-5-mini', input: turns }];
    raw.provider.answer(() => ({ json: callAnswer(path === 'messages' ? 'claude' : 'answers') }));
    const { status, text } = await post(`${raw.gateway.url}/v1/${path}`, body, raw.gateway.auth);
    expect(status, text).toBe(200);
    expect(raw.provider.texts.at(-1)).toMatch(/"image\/jpeg"|:image\/jpeg;base64,/);
    expect(raw.provider.texts.at(-1)).not.toMatch(/image\/png|octet-stream/);
    if (name.includes('beside')) expect(raw.provider.texts.at(-1)).toContain('[null,"beside",{');
  });
});
