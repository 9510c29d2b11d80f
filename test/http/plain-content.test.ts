import { beforeAll, describe, expect, it } from 'vitest';
import { callAnswer, rawGateway } from '../helpers/raw-provider.js';
import { foreignTurns, oddImages, picture } from '../providers/accepts/conversations.js';

const png = `data:image/png;base64,${picture}`;

const raw = rawGateway(() => ({ models: { 'chat/short': { maxOutput: 100 } } }));
beforeAll(() => raw.provider.answer(() => ({ json: callAnswer('chat', '{}') })));

async function sent(path: string, body: object): Promise<{ status: number; text: string }> {
  const before = raw.provider.texts.length;
  const response = await fetch(raw.gateway.url + path, {
    method: 'POST',
    headers: { ...raw.gateway.auth, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text: raw.provider.texts[before] ?? text };
}

const chat = '/v1/chat/completions';

it('keeps the id of a file in the form of Responses', async () => {
  const part = { type: 'input_file', file_id: 'file-1' };
  const body = { model: 'chat/m', messages: [{ role: 'user', content: [part] }] };
  expect((await sent(chat, body)).text).toContain('"file":{"file_id":"file-1"}');
});

const native = '/api/v1/completions';
const picturing = (image_url: unknown): object[] => [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What?' },
      { type: 'image_url', image_url },
    ],
  },
];

describe('an image', () => {
  it.each(oddImages.map((image) => [JSON.stringify(image).slice(0, 50), image] as const))(
    'has the one address that all providers take, however it was sent: %s',
    async (_name, image) => {
      const { status, text } = await sent(chat, { model: 'chat/m', messages: picturing(image) });
      expect(status, text).toBe(200);
      expect(text).toContain(`"url":"${png}"`);
    },
  );

  it("is in the usual alphabet where it came in Google's", async () => {
    const bytes = Buffer.concat([Buffer.from(picture, 'base64'), Buffer.from([251, 255, 191])]);
    const url = `data:image/png;base64,${bytes.toString('base64url')}`;
    const { text } = await sent(chat, { model: 'chat/m', messages: picturing({ url }) });
    expect(text).toContain(`"data:image/png;base64,${bytes.toString('base64').replace(/=+$/, '')}`);
  });

  it('has it in native completions too', async () => {
    const messages = picturing({ url: picture });
    const { text } = await sent(native, { models: ['chat/m'], messages });
    expect(text).toContain(`"url":"${png}"`);
  });

  it.each([
    ['SVG', { url: 'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>' }],
    ['no image', { url: 'data:;base64,SGVsbG8=' }],
    ['a text', { url: 'my cat' }],
    ['an address that nobody opens', { url: 'ftp://a.example/cat.png' }],
    ['nothing', { url: '' }],
    ['null', null],
  ])('is refused before any call where no model reads it: %s', async (_name, image) => {
    const messages = picturing(image);
    const refused = await sent(chat, { model: 'chat/m', messages });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('messages[0][content][image_url]: must hold');
  });

  it.each(['https://a.example/cat.png', 'gs://cats/cat.png', 's3://cats/cat.png'])(
    'keeps its address on the web or in a store: %s',
    async (url) => {
      const { text } = await sent(chat, { model: 'chat/m', messages: picturing({ url }) });
      expect(text).toContain(url);
    },
  );
});

describe('parts of other dialects in chat messages', () => {
  it('become parts, calls and results of this one', async () => {
    const { status, text } = await sent(chat, { model: 'chat/m', messages: foreignTurns });
    expect(status, text).toBe(200);
    const { messages } = JSON.parse(text) as { messages: Record<string, unknown>[] };
    const image = { type: 'image_url', image_url: { url: png } };
    expect(messages.map(({ role }) => role)).toEqual(
      'user assistant tool tool user user assistant user'.split(' '),
    );
    expect(messages[0]?.['content']).toEqual([
      { type: 'text', text: 'In 1.' },
      image,
      image,
      { type: 'text', text: 'Doc 1.' },
    ]);
    expect(messages[1]).toMatchObject({
      content: 'Out 1.',
      tool_calls: [
        { id: 'toolu_1', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
        { id: 'toolu_2' },
      ],
    });
    expect(messages[2]).toMatchObject({ tool_call_id: 'toolu_2', content: 'Rain 2.' });
  });

  it('that nobody translates go to the provider, which may know them', async () => {
    const part = { type: 'video_url', video_url: { url: 'https://a.example/cat.mp4' } };
    const messages = [{ role: 'user', content: [part] }];
    expect((await sent(chat, { model: 'chat/m', messages })).text).toContain(JSON.stringify(part));
  });
});

describe('a limit above what the model writes', () => {
  it('becomes what it writes, with a warning', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const asked = await sent(chat, { model: 'chat/short', messages, max_tokens: 5_000 });
    expect(asked.text).toContain('"max_tokens":100');
    const response = await fetch(raw.gateway.url + native, {
      method: 'POST',
      headers: { ...raw.gateway.auth, 'content-type': 'application/json' },
      body: JSON.stringify({ models: ['chat/short'], messages, maxTokens: 5_000 }),
    });
    const { warnings } = (await response.json()) as { warnings: unknown };
    expect(warnings).toEqual([
      { field: 'max_tokens', message: 'chat/short writes 100 tokens at most' },
    ]);
  });
});
