import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import type { Step } from '../helpers/steps.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { ask, type Heard, ways, type Way } from '../helpers/ways.js';

const native = ways[0] as Way;
const price = { inputPrice: 1, outputPrice: 1 };

/** The same model at the same price from two providers: nothing but how they do tells them apart. */
describe('of the same model at two providers', () => {
  let upstream: Upstream;
  let gateway: RunningGateway;
  beforeEach(async () => {
    upstream = await startUpstream({ hasLists: false });
    const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
    gateway = await startGateway({
      providers: { a: { ...up, apiKey: 'key-a' }, b: { ...up, apiKey: 'key-b' } },
      models: { 'a/gpt-4o': price, 'b/gpt-4o': price },
      limits: { maxRetries: 0 },
      breaker: { enabled: false },
    });
  });
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  const labels = ['a/gpt-4o', 'b/gpt-4o'];
  const askFor = (models: string[], more: Record<string, unknown> = {}): Promise<Heard> =>
    ask(gateway, native, { models: models.slice(0, 1), more: { models, ...more } });
  const byProvider = (steps: Record<string, Step>): void =>
    upstream.script([({ headers }) => steps[headers.authorization?.at(-1) ?? ''] ?? {}]);
  /** The providers that are called for one request which may go to both. */
  async function first(more: Record<string, unknown> = {}): Promise<string> {
    const before = upstream.requests.length;
    await askFor(labels, more);
    return upstream.requests[before]?.headers.authorization ?? '';
  }
  async function eachAnswers(times: number): Promise<void> {
    for (let n = 0; n < times; n++) for (const label of labels) await askFor([label]);
  }

  it.each([
    ['first', 'b', 'a', {}],
    ['second', 'a', 'b', {}],
    ['first, for `tradeoff: latency`', 'b', 'a', { tradeoff: 'latency' }],
    ['second, for `tradeoff: latency`', 'a', 'b', { tradeoff: 'latency' }],
  ])(
    'the one that answers sooner is called, where the %s one is late',
    async (_name, fast, late, more) => {
      byProvider({ [late]: { delayMs: 80 } });
      await eachAnswers(4);
      expect(await first(more)).toBe(`Bearer key-${fast}`);
    },
  );

  it.each(['a', 'b'])('the one that fails less is called: %s fails', async (failing) => {
    const other = failing === 'a' ? 'b' : 'a';
    byProvider({ [other]: { delayMs: 80 } });
    await eachAnswers(4);
    expect(await first()).toBe(`Bearer key-${failing}`);
    byProvider({ [failing]: { status: 500 }, [other]: { delayMs: 80 } });
    await until(async () => (await first()) === `Bearer key-${other}`);
    expect(await first()).toBe(`Bearer key-${other}`);
  });
});
