import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remember } from '../../src/dispatch/provider.js';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import { post } from '../helpers/sse.js';
import type { Upstream } from '../helpers/upstream.js';
import { ask, streamedRows, type Way, wayRows, ways, wholeRows } from '../helpers/ways.js';

let upstream: Upstream;
let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays, upstream } = await startScripted((up, url) => ({
    limits: { maxRetries: 0 },
    providers: {
      up,
      good: up,
      claude: { api: 'anthropic', baseUrl: url, apiKey: 'k' },
      cohere: { api: 'cohere', baseUrl: url, apiKey: 'k' },
    },
  })));
});
afterAll(() => gateway.close());

const asksForStream = (model: string): boolean[] =>
  plays.of(model).map(({ body }) => body?.['stream'] === true);
/** The surfaces that ask a provider to stream. */
const streaming = wayRows.filter(([, { surface, streamed }]) => streamed || surface === 'native');
const whole = {
  id: 'c-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Whole “text”' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 7, completion_tokens: 2 },
};
const json = {
  raw: Buffer.from(JSON.stringify(whole)),
  contentType: 'application/json; charset=utf-8',
};
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const events = {
  raw: Buffer.from(
    `${chunk({ role: 'assistant', content: '' })}${chunk({ content: 'In ' })}${chunk({ content: 'pieces' })}${chunk({}, 'stop')}data: [DONE]\n\n`,
  ),
  contentType: 'text/event-stream',
};

describe('a provider that refuses to stream', () => {
  it.each(streaming)(
    'is called again without, and no retry is counted, asked %s',
    async (_name, way) => {
      const model = plays.newModel();
      plays.set(model, { refuseStream: true });
      expect(await ask(gateway, way, { models: [`up/${model}`] })).toMatchObject({
        status: 200,
        ended: 'whole',
        text: 'Hello',
        ...(way.surface === 'native' ? { usage: { promptTokens: 10, completionTokens: 5 } } : {}),
      });
      expect(asksForStream(model)).toEqual([true, false]);
    },
  );

  it.each(streaming)(
    'is remembered: the next request is not streamed at all, asked %s',
    async (_name, way) => {
      const model = plays.newModel();
      plays.set(model, { refuseStream: true });
      for (let n = 0; n < 3; n++)
        expect(await ask(gateway, way, { models: [`up/${model}`] })).toMatchObject({
          ended: 'whole',
          text: 'Hello',
        });
      expect(asksForStream(model)).toEqual([true, false, false, false]);
    },
  );

  it('is remembered for a limited number of models, whatever clients ask for', () => {
    const unstreamed = new Set<string>();
    for (let n = 0; n < 5_000; n++) remember(unstreamed, `typed-${n}`);
    expect(unstreamed.size).toBeLessThanOrEqual(1_000);
    expect(unstreamed).toContain('typed-4999');
  });

  it('is remembered for that model only', async () => {
    const [refusing, other] = [plays.newModel(), plays.newModel()];
    plays.set(refusing, { refuseStream: true });
    const [, way] = streaming[0] as [string, Way];
    for (const model of [refusing, other, refusing, other])
      await ask(gateway, way, { models: [`up/${model}`] });
    expect(asksForStream(other)).toEqual([true, true]);
  });

  it.each(streaming)(
    'and then fails otherwise is followed by the next candidate, asked %s',
    async (_name, way) => {
      const [model, good] = [plays.newModel(), plays.newModel()];
      plays.set(model, { refuseStream: true }, { status: 400 });
      expect(await ask(gateway, way, { models: [`up/${model}`, `good/${good}`] })).toMatchObject({
        ended: 'whole',
        model: good,
      });
      expect(asksForStream(model)).toEqual([true, false]);
    },
  );

  it('and still refuses without streaming is not called forever', async () => {
    const model = plays.newModel();
    plays.set(model, { status: 400, body: { error: { message: 'stream is not supported' } } });
    const [, way] = streaming[0] as [string, Way];
    expect(
      await ask(gateway, way, { models: [`up/${model}`], more: { maxRetries: 10 } }),
    ).toMatchObject({ ended: 'refused' });
    expect(asksForStream(model)).toEqual([true, false]);
  });
});

describe('an answer is read by its first bytes, so that', () => {
  it.each(streaming)('JSON does where a stream was asked for, asked %s', async (_name, way) => {
    const model = plays.newModel();
    plays.set(model, json);
    expect(await ask(gateway, way, { models: [`up/${model}`] })).toMatchObject({
      status: 200,
      ended: 'whole',
      text: 'Whole “text”',
    });
    expect(plays.of(model)).toHaveLength(1);
  });

  it.each([['claude'], ['cohere']])(
    "JSON does where a stream was asked for, in a provider's own dialect: %s",
    async (provider) => {
      const model = plays.newModel();
      plays.set(model, { raw: await unstreamedAnswer(provider), contentType: 'application/json' });
      for (const [, way] of streamedRows)
        expect(await ask(gateway, way, { models: [`${provider}/${model}`] })).toMatchObject({
          ended: 'whole',
          text: 'Hello',
        });
    },
  );

  it('a stream does where JSON was requested', async () => {
    const model = plays.newModel();
    plays.set(model, events);
    const [, way] = wholeRows[1] as [string, Way];
    expect(await ask(gateway, way, { models: [`up/${model}`] })).toMatchObject({
      status: 200,
      ended: 'whole',
      text: 'In pieces',
      last: { object: 'chat.completion', choices: [{ finish_reason: 'stop' }] },
    });
    expect(asksForStream(model)).toEqual([false]);
  });

  describe.each(wayRows)('asked %s,', (_name, way) => {
    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'text/html',
      'application/octet-stream',
    ])('a stream declared as %s does, wherever it is cut', async (contentType) => {
      const starts = ['', '\ufeff', '\n\n', ': ping\n\n', 'event: message\n', 'id: 1\n'];
      for (const [n, start] of starts.entries()) {
        const model = plays.newModel();
        const raw = Buffer.from(start + events.raw.toString());
        plays.set(model, { raw, contentType, writes: n === 0 ? 'whole' : 'bytes' });
        expect(await ask(gateway, way, { models: [`up/${model}`] })).toMatchObject({
          ended: 'whole',
          text: 'In pieces',
        });
        expect(plays.of(model)).toHaveLength(1);
      }
    });

    it.each(['text/event-stream', 'text/plain', 'application/json'])(
      'JSON declared as %s does, wherever it is cut',
      async (contentType) => {
        for (const start of ['', '\ufeff', ' \n \n'])
          for (const writes of ['whole', 'bytes'] as const) {
            const model = plays.newModel();
            const raw = Buffer.from(start + json.raw.toString());
            plays.set(model, { raw, contentType, writes });
            expect(await ask(gateway, way, { models: [`up/${model}`] })).toMatchObject({
              ended: 'whole',
              text: 'Whole “text”',
            });
          }
      },
    );

    const compressions: [string, (raw: Buffer) => Buffer][] = [
      ['gzip', zlib.gzipSync],
      ['deflate', zlib.deflateSync],
      ['deflate', zlib.deflateRawSync],
      ['br', zlib.brotliCompressSync],
      ['GZIP', zlib.gzipSync],
      ['identity, br', zlib.brotliCompressSync],
    ];
    const { zstdCompressSync } = zlib as { zstdCompressSync?: (raw: Buffer) => Buffer };
    if (zstdCompressSync) compressions.push(['zstd', zstdCompressSync]);
    it.each(compressions)(
      'an answer that is compressed unasked does: %s',
      async (encoding, compress) => {
        const headers = { 'content-encoding': encoding };
        for (const [step, text] of [
          [events, 'In pieces'],
          [json, 'Whole “text”'],
        ] as const)
          for (const cut of ['whole', 'bytes'] as const) {
            const model = plays.newModel();
            const raw = compress(step.raw);
            const pieces = cut === 'whole' ? [raw] : Array.from(raw, (byte) => Buffer.of(byte));
            plays.set(model, { ...step, raw, headers, events: pieces, writes: 'events' });
            expect(await ask(gateway, way, { models: [`up/${model}`] })).toMatchObject({
              ended: 'whole',
              text,
            });
          }
      },
    );
  });

  it('a failure that is compressed unasked is told', async () => {
    const model = plays.newModel();
    const body = JSON.stringify({ error: { message: 'too hot', code: 'invalid_value' } });
    const headers = { 'content-encoding': 'gzip' };
    plays.set(model, { status: 400, headers, body: zlib.gzipSync(body) });
    expect(await ask(gateway, ways[2]!, { models: [`up/${model}`] })).toMatchObject({
      status: 400,
      message: 'up answered 400: too hot',
    });
  });

  it.each([
    ['is cut', 'gzip', zlib.gzipSync(events.raw).subarray(0, 60)],
    ['is none', 'gzip', Buffer.from([1, 2, 3])],
    ['is said of compressed bytes', 'gzip', zlib.gzipSync(zlib.gzipSync(events.raw))],
    ['is the second', 'gzip, br', zlib.brotliCompressSync(zlib.gzipSync(events.raw))],
    ['nobody knows', 'compress', zlib.deflateSync(events.raw)],
  ])(
    'compression that %s is a failure, and the next candidate is asked',
    async (_name, encoding, raw) => {
      for (const way of ways) {
        const [model, good] = [plays.newModel(), plays.newModel()];
        plays.set(model, { ...events, raw, headers: { 'content-encoding': encoding } });
        expect(await ask(gateway, way, { models: [`up/${model}`, `good/${good}`] })).toMatchObject({
          ended: 'whole',
          model: good,
        });
      }
    },
  );

  it('a small body that grows beyond all measure is a failure', async () => {
    const model = plays.newModel();
    const raw = zlib.gzipSync(Buffer.alloc(80 * 1024 * 1024, 32));
    plays.set(model, { ...json, raw, headers: { 'content-encoding': 'gzip' } });
    expect(await ask(gateway, ways[3]!, { models: [`up/${model}`] })).toMatchObject({
      status: 502,
      message: 'up sent an unreadable answer: larger than 64 MiB',
    });
  });
});

/** What the scripted upstream answers to a request without streaming. */
async function unstreamedAnswer(provider: string): Promise<Buffer> {
  const { text } = await post(
    `${upstream.url}${provider === 'claude' ? '/v1/messages' : '/v2/chat'}`,
    { model: 'm' },
  );
  return Buffer.from(text);
}
