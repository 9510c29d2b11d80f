import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, numberAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { ask, type Heard, streamedRows, wayRows } from '../helpers/ways.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  gateway = await startGateway({
    providers: { up, other: up },
    models: {
      'up/priced': { inputPrice: 1, outputPrice: 2 },
      'up/free': { inputPrice: 0, outputPrice: 0 },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => upstream.script([]));

const native = wayRows.filter(([, { surface }]) => surface === 'native');
const timesOf = ({ last }: Heard): { ttft: number; latency: number } => ({
  ttft: numberAt(last, 'ttft'),
  latency: numberAt(last, 'latency'),
});

describe('the times of an answer', () => {
  it.each(native)(
    'are whole milliseconds: to the first token, and to the end, asked %s',
    async (_name, way) => {
      upstream.script([{ delayMs: 80, betweenMs: 20, text: ['a', 'b', 'c'] }]);
      const startedAt = performance.now();
      const heard = await ask(gateway, way, { models: ['up/m'] });
      const tookMs = performance.now() - startedAt;
      const { ttft, latency } = timesOf(heard);
      expect(Number.isInteger(ttft) && Number.isInteger(latency)).toBe(true);
      // before the first token: an opening and a wait; after it: two more chunks and the end
      expect(ttft).toBeGreaterThanOrEqual(95);
      expect(latency - ttft).toBeGreaterThanOrEqual(35);
      expect(latency).toBeLessThanOrEqual(Math.ceil(tookMs));
    },
  );

  it.each(native)(
    'begin with the request, not with the attempt that succeeded, asked %s',
    async (_name, way) => {
      upstream.script([{ status: 503, delayMs: 60, headers: { 'retry-after-ms': '40' } }, {}]);
      const heard = await ask(gateway, way, { models: ['up/m'] });
      expect(timesOf(heard).ttft).toBeGreaterThanOrEqual(95);
      const [failed] = heard.errorTrace;
      expect(Number.isInteger(failed?.latency)).toBe(true);
      expect(failed?.latency).toBeGreaterThanOrEqual(55);
      expect(failed?.latency).toBeLessThan(timesOf(heard).ttft);
    },
  );

  it.each(native)('count reasoning as the first token, asked %s', async (_name, way) => {
    upstream.script([{ reasoning: ['hm', 'so'], text: ['a'], betweenMs: 50 }]);
    const { ttft, latency } = timesOf(await ask(gateway, way, { models: ['up/m'] }));
    // after it: more reasoning, a text chunk and the end
    expect(latency - ttft).toBeGreaterThanOrEqual(140);
  });
});

describe('the error trace of an answer', () => {
  it.each(native)(
    'has every failed attempt in order, and is omitted where there was none, asked %s',
    async (_name, way) => {
      upstream.script([
        { status: 503, headers: { 'retry-after-ms': '0' } },
        { status: 500, headers: { 'retry-after-ms': '0' } },
        { status: 404 },
        {},
      ]);
      const heard = await ask(gateway, way, { models: ['up/m', 'other/n'] });
      expect(
        heard.errorTrace.map(({ provider, model, status, attempt, error }) => ({
          provider,
          model,
          status,
          attempt,
          error,
        })),
      ).toEqual([
        {
          provider: 'up',
          model: 'm',
          status: 503,
          attempt: 1,
          error: 'up answered 503: scripted 503',
        },
        {
          provider: 'up',
          model: 'm',
          status: 500,
          attempt: 2,
          error: 'up answered 500: scripted 500',
        },
        {
          provider: 'up',
          model: 'm',
          status: 404,
          attempt: 3,
          error: 'up answered 404: scripted 404',
        },
      ]);
      expect(
        at((await ask(gateway, way, { models: ['up/m'] })).last, 'errorTrace'),
      ).toBeUndefined();
    },
  );

  it('is on the last chunk of a stream only', async () => {
    upstream.script([{ status: 404 }, {}]);
    const { frames } = await ask(gateway, native[0]![1], { models: ['up/m', 'other/n'] });
    expect(frames.filter(({ data }) => data?.includes('errorTrace'))).toEqual([frames.at(-2)]);
  });
});

describe('usage that the provider does not report', () => {
  it.each(native)(
    'is estimated, marked, priced, and counted in a metric, asked %s',
    async (_name, way) => {
      const before = await metricOf(gateway, 'signalbox_usage_missing_total', 'provider="up"');
      upstream.script([{ text: ['12345678', '9'], usage: null }]);
      const { usage } = await ask(gateway, way, { models: ['up/priced'] });
      expect(usage).toMatchObject({
        estimated: true,
        completionTokens: 3,
        costs: { output_tokens_cost: 0.000006, total_tokens_cost: expect.any(Number) as number },
      });
      expect(numberAt(usage, 'promptTokens')).toBeGreaterThan(0);
      expect(numberAt(usage, 'totalTokens')).toBe(numberAt(usage, 'promptTokens') + 3);
      expect(await metricOf(gateway, 'signalbox_usage_missing_total', 'provider="up"')).toBe(
        before + 1,
      );
    },
  );

  it("is estimated and marked for OpenAI's clients that ask for it", async () => {
    upstream.script([{ text: ['12345678', '9'], usage: null }]);
    const { frames } = await ask(gateway, streamedRows[1]![1], {
      models: ['up/m'],
      more: { stream_options: { include_usage: true } },
    });
    expect(JSON.parse(frames.at(-2)?.data ?? '')).toMatchObject({
      choices: [],
      usage: { completion_tokens: 3, estimated: true },
    });
  });

  it.each([0, 1])('is what it reported before it ended with counts of %i', async (filler) => {
    const told = (prompt: number, completion: number): object => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [] },
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt * 2 },
    });
    const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }];
    const chunks = [{ ...told(30, 30), choices, usage: null }, told(30, 30), told(filler, filler)];
    const raw = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    upstream.script([{ raw: Buffer.from(raw), contentType: 'text/event-stream' }]);
    const { usage } = await ask(gateway, native[0]![1], { models: ['up/m'] });
    expect(usage).toMatchObject({ promptTokens: 30, completionTokens: 30 });
    const more = { stream_options: { include_usage: true } };
    const { frames } = await ask(gateway, streamedRows[1]![1], { models: ['up/m'], more });
    const sent = frames.map(({ data }) => data ?? '').join(' ');
    expect(sent.match(/"prompt_tokens":\d+/g)).toEqual(['"prompt_tokens":30']);
    const { frames: asked } = await ask(gateway, streamedRows[1]![1], { models: ['up/m'] });
    expect(asked.filter(({ data }) => data?.includes('"choices":[]'))).toEqual([]);
  });

  it('is what it counted last where all its counts are small', async () => {
    const told = (completion: number, choices: object[]): object => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices },
      usage: { prompt_tokens: 1, completion_tokens: completion, total_tokens: 1 + completion },
    });
    const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }];
    const chunks = [told(0, [{ index: 0, delta: {} }]), told(1, choices), told(1, [])];
    const raw = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    upstream.script([{ raw: Buffer.from(raw), contentType: 'text/event-stream' }]);
    const { usage } = await ask(gateway, native[0]![1], { models: ['up/m'] });
    expect(usage).toMatchObject({ promptTokens: 1, completionTokens: 1 });
  });

  it.each(native)(
    'is not marked as estimated where it is reported, and nothing is counted, asked %s',
    async (_name, way) => {
      const before = await metricOf(gateway, 'signalbox_usage_missing_total');
      const { usage } = await ask(gateway, way, { models: ['up/m'] });
      expect(usage).toMatchObject({ promptTokens: 10, completionTokens: 5 });
      expect(usage).not.toHaveProperty('estimated');
      expect(await metricOf(gateway, 'signalbox_usage_missing_total')).toBe(before);
    },
  );
});

describe('the costs of an answer', () => {
  it.each(native)(
    'are null where the price is unknown, 0 where it is zero, asked %s',
    async (_name, way) => {
      const costsOf = async (model: string): Promise<unknown> =>
        at((await ask(gateway, way, { models: [model] })).usage, 'costs');
      expect(await costsOf('up/gpt-m')).toEqual({
        input_tokens_cost: null,
        output_tokens_cost: null,
        total_tokens_cost: null,
      });
      // at an address of one's own network
      expect(await costsOf('up/m')).toMatchObject({ total_tokens_cost: 0 });
      expect(await costsOf('up/free')).toEqual({
        input_tokens_cost: 0,
        output_tokens_cost: 0,
        total_tokens_cost: 0,
      });
      expect(await costsOf('up/priced')).toEqual({
        input_tokens_cost: 0.00001,
        output_tokens_cost: 0.00001,
        total_tokens_cost: 0.00002,
      });
    },
  );
});

describe('the metrics', () => {
  it('count attempts by outcome, retries, and fallbacks', async () => {
    const count = (name: string, ...labels: string[]): Promise<number> =>
      metricOf(gateway, name, ...labels);
    const before = [
      await count('signalbox_attempts_total', 'outcome="upstream_overloaded"'),
      await count('signalbox_retries_total', 'provider="up"'),
      await count('signalbox_fallbacks_total', 'provider="other"'),
    ];
    upstream.script([{ status: 503, headers: { 'retry-after-ms': '0' } }, { status: 404 }, {}]);
    await ask(gateway, native[0]![1], { models: ['up/m', 'other/n'] });
    const after = [
      await count('signalbox_attempts_total', 'outcome="upstream_overloaded"'),
      await count('signalbox_retries_total', 'provider="up"'),
      await count('signalbox_fallbacks_total', 'provider="other"'),
    ];
    expect(after).toEqual(before.map((value) => value + 1));
  });
});
