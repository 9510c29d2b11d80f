import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import type { SseFrame } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { ask, streamedRows, type Way, wholeRows } from '../helpers/ways.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  gateway = await startGateway({
    limits: { maxRetries: 1, holdStatusMs: 50, pingMs: 60 },
    // each case begins as if nothing had failed before
    breaker: { enabled: false },
    providers: { up, other: up },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => upstream.script([]));

const models = ['up/m', 'other/n'];
const isPing = ({ comment, data, event }: SseFrame): boolean =>
  comment === 'ping' && data === undefined && event === undefined;
const native = streamedRows[0]![1];

describe('a stream whose provider takes its time', () => {
  it.each(streamedRows)(
    'begins with 200 and a ping, and the answer follows, asked %s',
    async (_name, way) => {
      upstream.script([{ delayMs: 600 }]);
      const heard = await ask(gateway, way, { models });
      expect(heard).toMatchObject({
        status: 200,
        ended: 'whole',
        text: 'Hello',
        headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      });
      const firstData = heard.frames.findIndex((frame) => !isPing(frame));
      // at 50 and 110 ms, and after; a busy machine is late by hundreds of ms
      expect(firstData).toBeGreaterThanOrEqual(2);
      expect(heard.frames[firstData]!.at - heard.frames[0]!.at).toBeGreaterThan(80);
      expect(upstream.requests.length).toBeGreaterThan(0);
    },
  );

  it.each(streamedRows)('hides retries and fallbacks as before, asked %s', async (_name, way) => {
    upstream.script([
      { status: 503, delayMs: 90, headers: { 'retry-after-ms': '0' } },
      { status: 401 },
      { text: ['at last'] },
    ]);
    const heard = await ask(gateway, way, { models });
    expect(heard).toMatchObject({ status: 200, ended: 'whole', model: 'n', text: 'at last' });
    expect(isPing(heard.frames[0]!)).toBe(true);
    if (way.surface === 'native')
      expect(heard.errorTrace.map(({ model, status }) => [model, status])).toEqual([
        ['m', 503],
        ['m', 401],
      ]);
  });

  it.each(streamedRows)(
    'ends in an error event where everything fails, asked %s',
    async (_name, way) => {
      upstream.script([{ status: 401, delayMs: 90 }]);
      const heard = await ask(gateway, way, { models });
      expect(heard).toMatchObject({
        status: 200,
        ended: 'broken',
        text: '',
        message: 'both attempts failed; the last: other answered 401: scripted 401',
      });
      expect(isPing(heard.frames[0]!)).toBe(true);
      expect(heard.errorTrace.map(({ provider, status }) => [provider, status])).toEqual([
        ['up', 401],
        ['other', 401],
      ]);
      if (way.surface === 'native')
        expect(heard.error).toMatchObject({
          error: 'Bad Gateway',
          requestId: heard.headers['x-request-id'],
          retriable: true,
          usage: null,
        });
    },
  );

  it('states in the event what the status would have been', async () => {
    upstream.script([{ status: 400, delayMs: 90 }]);
    expect((await ask(gateway, native, { models })).error).toMatchObject({
      error: 'Validation Error',
      retriable: false,
    });
  });

  it.each(wholeRows)(
    'does not affect a reply that is not streamed, asked %s',
    async (_name, way) => {
      upstream.script([{ status: 401, delayMs: 90 }]);
      expect(await ask(gateway, way, { models })).toMatchObject({ status: 502, ended: 'refused' });
    },
  );
});

describe('a stream whose provider is quick', () => {
  // nothing is quick on a busy machine
  let patient: RunningGateway;
  beforeAll(async () => {
    const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
    patient = await startGateway({
      limits: { maxRetries: 1, holdStatusMs: 60_000, pingMs: 60_000 },
      providers: { up, other: up },
    });
  });
  afterAll(() => patient.close());

  it.each(streamedRows)('has no pings, asked %s', async (_name, way) => {
    const { frames } = await ask(patient, way, { models });
    expect(frames.filter(isPing)).toEqual([]);
  });

  it.each(streamedRows)(
    'has its real status where everything fails before the line is out, asked %s',
    async (_name, way) => {
      upstream.script([{ status: 401 }]);
      expect(await ask(patient, way, { models })).toMatchObject({ status: 502, ended: 'refused' });
    },
  );
});

describe('pings', () => {
  it.each(streamedRows)(
    'are sent between the chunks of a provider that pauses, asked %s',
    async (_name, way: Way) => {
      upstream.script([{ text: ['a', 'b'], betweenMs: 300 }]);
      const { frames, ended, text } = await ask(gateway, way, { models });
      expect({ ended, text }).toEqual({ ended: 'whole', text: 'ab' });
      const first = frames.findIndex(({ data }) => data?.includes('"a"'));
      const second = frames.findIndex(({ data }) => data?.includes('"b"'));
      const between = frames.slice(first + 1, second);
      expect(between.length).toBeGreaterThan(0);
      expect(between.every(isPing)).toBe(true);
    },
  );

  it('are not sent where chunks arrive faster, however long the answer is', async () => {
    const patient = await startGateway({
      limits: { pingMs: 250 },
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    });
    upstream.script([{ text: Array.from({ length: 30 }, () => 'x'), betweenMs: 10 }]);
    const { frames, text } = await ask(patient, native, { models: ['up/m'] });
    expect(text).toHaveLength(30);
    // a busy machine may fall silent by itself
    const silences = frames
      .map((frame, index) => ({ frame, ms: frame.at - (frames[index - 1]?.at ?? 0) }))
      .filter(({ frame }) => isPing(frame));
    expect(silences.filter(({ ms }) => ms < 125)).toEqual([]);
    await patient.close();
  });
});
