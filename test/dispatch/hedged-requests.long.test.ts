import { afterEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import type { Step } from '../helpers/steps.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';
import { ask, type Heard, ways, type Way } from '../helpers/ways.js';

const [native, whole] = ways as readonly [Way, Way, Way, Way];
const modelOf = ({ body }: UpstreamCall): string => String(body?.['model']);

describe('hedged requests on real sockets', () => {
  let upstream: Upstream;
  let gateway: RunningGateway;
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  async function start(maxShare: number): Promise<void> {
    upstream = await startUpstream({ hasLists: false });
    const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'key' };
    gateway = await startGateway({
      providers: { a: up, b: up },
      hedge: { maxShare, afterPercentile: 50 },
      breaker: { enabled: false },
      limits: { maxRetries: 1 },
    });
  }
  const askBoth = (way: Way): Promise<Heard> =>
    ask(gateway, way, { models: ['a/m', 'b/n'], more: { order: 'given' } });

  it('of 1,000 requests of which a third is late, 50 are hedged', async () => {
    await start(0.05);
    let asked = 0;
    upstream.script([
      (one): Step => (modelOf(one) === 'm' && ++asked % 3 === 0 ? { delayMs: 150 } : {}),
    ]);
    for (let n = 0; n < 1_000; n += 10)
      await Promise.all(Array.from({ length: 10 }, () => askBoth(native)));
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    const counts = [...metrics.matchAll(/^signalbox_hedges_total\{.*\} (\d+)$/gm)];
    const begun = counts.reduce((sum, [, count]) => sum + Number(count), 0);
    expect(begun).toBeLessThanOrEqual(50);
    expect(begun).toBeGreaterThan(40);
    // on a busy machine a second call may be cancelled before it was sent
    const sent = upstream.requests.filter((one) => modelOf(one) === 'n').length;
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(begun);
  });

  it('exactly one answer arrives, of one provider alone, however late and broken both are', async () => {
    await start(1);
    upstream.script([{}]);
    for (let n = 0; n < 25; n++) await askBoth(native);
    const step = fc.record({
      delayMs: fc.nat(30),
      kind: fc.constantFrom('good', 'good', 'good', 'status', 'reset', 'cut', 'slow'),
    });
    const runs = fc.sample(fc.tuple(step, step, fc.boolean()), { numRuns: 300, seed: 33 });
    let hedged = 0;
    for (const [first, second, isStreamed] of runs) {
      const steps = { m: first, n: second };
      upstream.script([(one) => stepOf(steps[modelOf(one) as 'm' | 'n'], modelOf(one))]);
      const heard = await askBoth(isStreamed ? native : whole);
      if (heard.headers['x-signalbox-hedge'] !== undefined) hedged++;
      const texts = ['m', 'n'].map((name) => name.repeat(12));
      if (heard.ended === 'whole') expect(texts).toContain(heard.text);
      else expect(texts.some((text) => text.startsWith(heard.text))).toBe(true);
      expect(['whole', 'broken', 'refused']).toContain(heard.ended);
      const isGood = (kind: string): boolean => kind === 'good' || kind === 'slow';
      if (isGood(first.kind) && isGood(second.kind)) expect(heard.ended).toBe('whole');
    }
    expect(hedged).toBeGreaterThan(50);
  });

  /** An answer of twelve letters, or a failure before, in or after its first content. */
  function stepOf({ delayMs, kind }: { delayMs: number; kind: string }, name: string): Step {
    const answer = { delayMs, text: Array.from({ length: 4 }, () => name.repeat(3)) };
    if (kind === 'status') return { status: 500, delayMs, headers: { 'retry-after-ms': '1' } };
    if (kind === 'reset') return { ...answer, reset: 'afterContent' };
    if (kind === 'cut') return { ...answer, endWithoutMarker: true };
    return kind === 'slow' ? { ...answer, betweenMs: 3 } : answer;
  }
});
