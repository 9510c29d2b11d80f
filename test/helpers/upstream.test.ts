import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classify, expectedOf, parseEvents } from './expected.js';
import { cutBody } from './play.js';
import { bodyOf, listRecorded, recordedDir, splitEvents } from './recorded.js';
import { post, postStream } from './sse.js';
import { type Answer, startUpstream, type Upstream } from './upstream.js';
import { readAnthropic } from './oracles/anthropic.js';
import { readBedrock } from './oracles/bedrock.js';
import { readCohere } from './oracles/cohere.js';
import { readGemini } from './oracles/gemini.js';
import { readOpenaiChat } from './oracles/openai-chat.js';
import { readOpenaiResponses } from './oracles/openai-responses.js';

let upstream: Upstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.close());

const streaming = { stream: true, stream_options: { include_usage: true } };
const chat = (): string => `${upstream.url}/v1/chat/completions`;

/** Each dialect: where it is asked whole and streamed, and the oracle that reads it. */
const dialects = [
  ['openai chat', '/v1/chat/completions', '/v1/chat/completions', readOpenaiChat],
  ['anthropic', '/v1/messages', '/v1/messages', readAnthropic],
  [
    'gemini',
    '/v1beta/models/m:generateContent',
    '/v1beta/models/m:streamGenerateContent?alt=sse',
    readGemini,
  ],
  ['bedrock', '/model/m/converse', '/model/m/converse-stream', readBedrock],
  ['cohere', '/v2/chat', '/v2/chat', readCohere],
  ['openai responses', '/v1/responses', '/v1/responses', readOpenaiResponses],
] as const;

describe.each(dialects)('the scripted upstream speaks %s', (_name, wholePath, streamPath, read) => {
  const kind = streamPath.endsWith('converse-stream') ? 'eventstream' : 'sse';
  const answer: Answer = {
    text: ['Gr', 'üß', 'e'],
    reasoning: ['hm', '…'],
    toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }],
    usage: { prompt: 12, completion: 7, cached: 4 },
  };
  const said = {
    text: 'Grüße',
    reasoning: 'hm…',
    refusal: '',
    toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }],
    finish: 'tool_calls',
    usage: { prompt: 12, completion: 7, cached: 4, reasoning: 0 },
    error: null,
  };

  it('whole, as its oracle reads it', async () => {
    upstream.script([answer]);
    const { json } = await post(upstream.url + wholePath, {});
    expect(read([json], false)).toEqual(said);
  });

  it('streamed, however the bytes are cut', async () => {
    upstream.script([{ ...answer, cut: 'whole' }, answer, { ...answer, cut: 'bytes' }]);
    for (let i = 0; i < 3; i++) {
      const response = await fetch(upstream.url + streamPath, {
        method: 'POST',
        body: JSON.stringify(streaming),
      });
      const body = Buffer.from(await response.arrayBuffer());
      expect(read(parseEvents(body, kind), true)).toEqual(said);
    }
  });

  it('with its own errors, outright and inside a stream', async () => {
    upstream.script([{ status: 400 }, { errorUnder200: 'first', meaning: 'server_error' }]);
    expect(await post(upstream.url + wholePath, {})).toMatchObject({
      status: 400,
      headers: { 'content-type': 'application/json' },
    });
    const response = await fetch(upstream.url + streamPath, {
      method: 'POST',
      body: JSON.stringify(streaming),
    });
    expect(read(parseEvents(Buffer.from(await response.arrayBuffer()), kind), true).error).toEqual({
      status: 500,
    });
  });
});

describe('the scripted upstream', () => {
  it('records what it was asked and takes one step for each request, the last one for all that follow', async () => {
    upstream.script([{ status: 503, headers: { 'retry-after': '2' } }, { text: ['fine'] }]);
    const first = await post(chat(), { model: 'a' }, { 'x-mine': '1' });
    expect(first).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      json: { error: { code: 'overloaded' } },
    });
    for (let i = 0; i < 2; i++)
      expect((await post(chat(), {})).json).toMatchObject({
        choices: [{ message: { content: 'fine' } }],
      });
    expect(upstream.requests).toHaveLength(3);
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'x-mine': '1' },
      body: { model: 'a' },
    });
  });

  it('gives embeddings', async () => {
    const { json } = await post(`${upstream.url}/v1/embeddings`, { model: 'e', input: ['a', 'b'] });
    expect(json).toMatchObject({
      data: [{ index: 0 }, { index: 1 }],
      usage: { prompt_tokens: 10 },
    });
  });

  it('knows when the client has left', async () => {
    upstream.script([{ hang: 'afterContent' }]);
    const reply = await postStream(chat(), streaming, { abortAfterFrames: 2 });
    expect(reply).toMatchObject({ ended: 'aborted', frames: [{ event: undefined }, {}] });
    await upstream.closed(0);
  });

  it('says that an answer was whole before the client left', async () => {
    await post(chat(), {});
    await expect(upstream.closed(0)).rejects.toThrow('ended before');
  });

  it('hangs before the headers until the client leaves', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    const leaving = new AbortController();
    const reply = postStream(chat(), streaming, { signal: leaving.signal });
    await upstream.received(0);
    leaving.abort();
    expect(await reply).toMatchObject({ status: 0, ended: 'aborted' });
    await upstream.closed(0);
  });

  it.each([
    ['afterHeaders', 0],
    ['afterContent', 2],
    ['halfFrame', 2],
  ] as const)('resets %s', async (reset, frames) => {
    upstream.script([{ reset }]);
    const reply = await postStream(chat(), streaming);
    expect(reply).toMatchObject({ status: 200, ended: 'reset' });
    expect(reply.frames).toHaveLength(frames);
  });

  it('resets before the headers', async () => {
    upstream.script([{ reset: 'beforeHeaders' }]);
    expect(await postStream(chat(), streaming)).toMatchObject({ status: 0, ended: 'reset' });
  });

  it('leaves out its end marker, alone or with the finish', async () => {
    upstream.script([{ endWithoutMarker: true }, { endWithoutMarker: 'afterFinish' }]);
    const cut = await postStream(chat(), streaming);
    expect(readOpenaiChat(cut.events, true)).toMatchObject({ text: 'Hello', finish: null });
    const finished = await postStream(chat(), streaming);
    expect(finished.frames.at(-1)?.data).not.toBe('[DONE]');
    expect(readOpenaiChat(finished.events, true)).toMatchObject({ text: 'Hello', finish: 'stop' });
  });

  it('refuses to stream and answers whole', async () => {
    upstream.script([{ refuseStream: true }]);
    expect(await postStream(chat(), streaming)).toMatchObject({ status: 400 });
    expect((await post(chat(), {})).status).toBe(200);
  });

  it('sends garbage, and bytes slowly', async () => {
    upstream.script([{ garbage: true }, { slowBytes: 1, text: ['x'], usage: null }]);
    expect((await postStream(chat(), streaming)).events).toEqual([]);
    const slow = await post(`${upstream.url}/v1beta/models/m:generateContent`, {});
    expect(readGemini([slow.json], false)).toMatchObject({ text: 'x', usage: null });
  });

  it('replays a body as it is', async () => {
    const raw = Buffer.from('data: {"a":1}\n\n: ping\n\nevent: b\ndata: ü\n\n');
    upstream.script([{ raw, contentType: 'text/event-stream', writes: 'bytes' }]);
    const reply = await postStream(chat(), {});
    expect(reply.frames.map(({ event, data, comment }) => [event, data, comment])).toEqual([
      [undefined, '{"a":1}', undefined],
      [undefined, undefined, 'ping'],
      ['b', 'ü', undefined],
    ]);
  });
});

describe('the SSE reader of the tests', () => {
  it.each(['data: 1\r\n\r\n', 'data: 1\n', 'date: 1\n\n', 'data: \xff\n\n'])(
    'does not accept %j',
    async (body) => {
      upstream.script([{ raw: Buffer.from(body, 'latin1'), contentType: 'text/event-stream' }]);
      await expect(postStream(chat(), {})).rejects.toThrow();
    },
  );
});

describe('a body cut into events', () => {
  it.each([
    ['sse', 'data: 1\n\ndata: 2\r\n\r\ndata: 3'],
    ['ndjson', '{"a":1}\n{"a":2}\n{}'],
  ] as const)('is whole again when joined (%s)', (kind, text) => {
    const pieces = splitEvents(Buffer.from(text), kind);
    expect(pieces).toHaveLength(3);
    expect(Buffer.concat(pieces).toString()).toBe(text);
    expect(cutBody(pieces, 'bytes')).toHaveLength(text.length);
  });
});

const dir = recordedDir();
describe.runIf(dir)('recorded traffic', () => {
  it('is read by the oracles to the last exchange', () => {
    for (const exchange of listRecorded(dir!)) {
      const { dialect, servable, why } = classify(exchange);
      const expected = expectedOf(exchange);
      expect(why).not.toContain('not known');
      if (servable) expect(dialect, exchange.name).not.toBeNull();
      if (servable)
        expect(
          expected?.error ?? expected?.finish ?? expected?.toolCalls[0],
          exchange.name,
        ).toBeTruthy();
      expect(
        Buffer.concat(splitEvents(bodyOf(exchange), exchange.kind)).equals(bodyOf(exchange)),
        exchange.name,
      ).toBe(true);
    }
  });
});
