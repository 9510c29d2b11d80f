import { fetch as undiciFetch, type Response as UndiciResponse } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isTimeout, readAnswer } from '../../src/async/read-answer.js';
import { collectGarbage } from '../helpers/collect-garbage.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

let upstream: Upstream;
beforeEach(async () => (upstream = await startUpstream()));
afterEach(() => upstream.close());

const asks: [string, (signal: AbortSignal) => Promise<Response | UndiciResponse>][] = [
  ["Node's fetch", (signal) => fetch(upstream.url, { signal })],
  ["undici's fetch", (signal) => undiciFetch(upstream.url, { signal })],
];

/** Collects garbage until the server sees its first request's connection closed. */
async function closedAfterAll(): Promise<void> {
  let isClosed = false;
  void upstream.closed(0).then(() => (isClosed = true));
  await until(() => {
    collectGarbage();
    return isClosed;
  });
}

describe.each(asks)('an answer by %s', (_name, ask) => {
  const limits = { timeoutMs: 60_000, maxBytes: 100 };

  it.each([
    ['does not begin', { status: 200, delayMs: 120_000 }],
    ['drips', { status: 200, body: '{', unended: 'dripping' as const }],
    ['is silent after its head', { status: 200, body: '{', unended: 'silent' as const }],
  ])('that %s ends in its time, and when its caller leaves', async (_case, step) => {
    upstream.script([step]);
    // ended by hand: to collect a large heap may take longer than any short limit
    const { setTimeout: later } = globalThis;
    let endTime = (): void => undefined;
    vi.spyOn(globalThis, 'setTimeout').mockImplementationOnce((end, ms) => {
      endTime = end;
      return later(end, ms);
    });
    const late = readAnswer(ask, limits).catch((error: unknown) => error);
    vi.restoreAllMocks();
    await upstream.received(0);
    collectGarbage();
    endTime();
    await closedAfterAll();
    expect(isTimeout(await late)).toBe(true);

    await upstream.close();
    upstream = await startUpstream();
    upstream.script([step]);
    const leaving = new AbortController();
    const { signal } = leaving;
    const left = readAnswer(ask, { ...limits, signal }).catch((error: unknown) => error);
    await upstream.received(0);
    collectGarbage();
    leaving.abort(new Error('left'));
    await closedAfterAll();
    expect(await left).toEqual(new Error('left'));
  });

  it('that is too long is cut and its connection closed', async () => {
    upstream.script([{ status: 200, body: 'x'.repeat(200), unended: 'dripping' }]);
    const { text, isCut } = await readAnswer(ask, limits);
    expect({ text, isCut }).toEqual({ text: `"${'x'.repeat(99)}`, isCut: true });
    await closedAfterAll();
  });
});
