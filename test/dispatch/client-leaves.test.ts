import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { postStream } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { requestOf, streamedRows, type Way, wayRows, wholeRows } from '../helpers/ways.js';

let upstream: Upstream;
let gateway: RunningGateway;
let log: ReturnType<typeof keepingLogger>;
beforeEach(async () => {
  upstream = await startUpstream();
  log = keepingLogger();
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  gateway = await startGateway(
    { providers: { up, other: up }, models: { 'up/m': { inputPrice: 1, outputPrice: 2 } } },
    { logger: log.logger },
  );
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** Sends the request, and leaves when `moment` resolves. */
async function leave(way: Way, step: Step, moment: () => Promise<unknown>): Promise<void> {
  upstream.script([step]);
  const leaving = new AbortController();
  const { url, body } = requestOf(gateway, way, { models: ['up/m', 'other/n'] });
  const asked = postStream(url, body, { headers: gateway.auth, signal: leaving.signal });
  await moment();
  leaving.abort();
  expect((await asked).ended).toBe('aborted');
}

/** Leaves after the first content has arrived. */
async function leaveAfterFirstFrame(way: Way, step: Step): Promise<void> {
  upstream.script([step]);
  const { url, body } = requestOf(gateway, way, { models: ['up/m', 'other/n'] });
  expect((await postStream(url, body, { headers: gateway.auth, abortAfterFrames: 1 })).ended).toBe(
    'aborted',
  );
}

/** The request's log line, once it is written. */
async function logged(): Promise<Record<string, unknown>> {
  const found = (): Record<string, unknown> | undefined =>
    log.lines.find(({ msg }) => msg === 'request');
  await until(() => found() !== undefined);
  return found()!;
}

const arrived = (): Promise<unknown> => upstream.received(0);
const surfaceOf = (way: Way): string =>
  `surface="${way.surface === 'native' ? 'completions' : 'openai'}"`;

async function expectClosedAndCounted(way: Way): Promise<Record<string, unknown>> {
  await expect(upstream.closed(0)).resolves.toBeNull();
  const line = await logged();
  expect(line).toMatchObject({ code: 'client_closed', status: 499 });
  expect(await metricOf(gateway, 'signalbox_client_disconnects_total', surfaceOf(way))).toBe(1);
  // long enough for a retry or a fallback that must not come: the first backoff is 250 ms at most
  await pause(50);
  expect(upstream.requests).toHaveLength(1);
  expect(log.lines.filter(({ msg }) => msg === 'request')).toHaveLength(1);
  return line;
}

describe('a client that leaves before the first token', () => {
  it.each(wayRows)('ends the upstream call at once, asked %s', async (_name, way) => {
    await leave(way, { hang: 'beforeHeaders' }, arrived);
    await expectClosedAndCounted(way);
  });

  it.each(wayRows)('ends it after the headers, too, asked %s', async (_name, way) => {
    await leave(way, { hang: 'afterHeaders' }, async () => {
      await arrived();
      await pause(30);
    });
    await expectClosedAndCounted(way);
  });

  it.each(wayRows)('does not count as a failure of the provider, asked %s', async (_name, way) => {
    await leave(way, { hang: 'beforeHeaders' }, arrived);
    const line = await expectClosedAndCounted(way);
    expect(line).toMatchObject({
      attempts: 1,
      tried: [{ model: 'up/m', outcome: 'client_closed', status: null }],
    });
    expect(await metricOf(gateway, 'signalbox_attempts_total', 'outcome="client_closed"')).toBe(1);
    expect(await metricOf(gateway, 'signalbox_attempts_total')).toBe(1);
    expect(await metricOf(gateway, 'signalbox_streams_open')).toBe(0);
  });

  it.each(wayRows)('ends the wait before a retry, asked %s', async (_name, way) => {
    await leave(way, { status: 503, headers: { 'retry-after-ms': '200' } }, async () => {
      await arrived();
      await pause(30);
    });
    expect(await logged()).toMatchObject({ code: 'client_closed', status: 499 });
    await pause(90);
    await pause(90);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('a client that leaves in the middle of an answer', () => {
  it.each(streamedRows)(
    'ends the upstream call at once, and the tokens received until then are counted, asked %s',
    async (_name, way) => {
      await leaveAfterFirstFrame(way, { hang: 'afterContent', text: ['12345678', 'more'] });
      const line = await expectClosedAndCounted(way);
      expect(line).toMatchObject({
        model: 'up/m',
        completionTokens: 2,
        ttftMs: expect.any(Number) as number,
      });
      expect(line['promptTokens']).toBeGreaterThan(0);
      expect(line['costUsd']).toBeGreaterThan(0);
      expect(
        await metricOf(gateway, 'gen_ai_client_token_usage_sum', 'gen_ai_token_type="output"'),
      ).toBe(2);
      expect(await metricOf(gateway, 'signalbox_cost_usd_total')).toBe(line['costUsd']);
      expect(await metricOf(gateway, 'signalbox_streams_open')).toBe(0);
    },
  );

  it.each(streamedRows)(
    'ends the upstream call while the provider is still writing, asked %s',
    async (_name, way) => {
      await leaveAfterFirstFrame(way, {
        text: Array.from({ length: 400 }, () => 'word '),
        betweenMs: 5,
      });
      await expectClosedAndCounted(way);
    },
  );

  it('is charged for what was used where the answer was not streamed', async () => {
    const [, native] = wholeRows[0] as [string, Way];
    await leave(native, { hang: 'afterContent', text: ['12345678', 'more'] }, async () => {
      await arrived();
      await pause(50);
    });
    const line = await expectClosedAndCounted(native);
    expect(line).toMatchObject({ model: 'up/m', completionTokens: 2 });
    expect(
      await metricOf(gateway, 'gen_ai_client_token_usage_sum', 'gen_ai_token_type="output"'),
    ).toBe(2);
  });

  it('does not affect other clients', async () => {
    const [, native] = streamedRows[0] as [string, Way];
    await leaveAfterFirstFrame(native, { hang: 'afterContent' });
    await expectClosedAndCounted(native);
    upstream.script([{}]);
    const { url, body } = requestOf(gateway, native, { models: ['up/m'] });
    const { events } = await postStream(url, body, { headers: gateway.auth });
    expect(at(events.at(-1), 'finishReason')).toBe('stop');
  });
});

describe('a client of embeddings that leaves', () => {
  it('ends the upstream call at once, and does not count as an error of the gateway', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    const leaving = new AbortController();
    const asked = postStream(
      `${gateway.url}/v1/embeddings`,
      { model: 'up/m', input: 'Hi' },
      { headers: gateway.auth, signal: leaving.signal },
    );
    await arrived();
    leaving.abort();
    await asked;
    await expect(upstream.closed(0)).resolves.toBeNull();
    expect(await logged()).toMatchObject({ code: 'client_closed', status: 499 });
    expect(log.text()).not.toContain('internal error');
    expect(
      await metricOf(gateway, 'signalbox_client_disconnects_total', 'surface="embeddings"'),
    ).toBe(1);
  });
});
