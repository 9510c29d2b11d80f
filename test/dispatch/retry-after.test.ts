import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitResetMs, retryAfterMs } from '../../src/providers/failure.js';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import { ask, type Heard, ways, type Way } from '../helpers/ways.js';

const native = ways[0] as Way;

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up, url) => ({
    limits: { maxRetries: 1 },
    providers: {
      up,
      good: up,
      google: { api: 'gemini', baseUrl: `${url}/v1beta`, apiKey: 'k' },
    },
  })));
});
afterAll(() => gateway.close());

/**
 * Fails once as given, then answers.
 * @returns ms until the second call; null if there was none
 */
async function after(
  step: Step,
  provider = 'up',
): Promise<{ heard: Heard; waitedMs: number | null }> {
  const [failing, good] = [plays.newModel(), plays.newModel()];
  plays.set(failing, step, {});
  const heard = await ask(gateway, native, { models: [`${provider}/${failing}`, `good/${good}`] });
  const [first, second] = plays.of(failing);
  return { heard, waitedMs: first && second ? second.at - first.at : null };
}
const limited = (headers: Record<string, string>, status = 429): Step => ({ status, headers });
const retryInfo = (retryDelay: string): Step => ({
  status: 429,
  body: {
    error: {
      code: 429,
      message: 'slow down',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
    },
  },
});
const told = (message: string): Step => ({ status: 429, body: { error: { message } } });
const openrouter = (reset: number): Step => {
  const headers = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(reset) };
  return {
    status: 429,
    body: { error: { message: 'slow down', code: 429, metadata: { headers } } },
  };
};
const soon = (ms: number): string => new Date(Date.now() + ms).toUTCString();

describe('a provider that says how long to wait', () => {
  it.each([
    ['in milliseconds', { 'retry-after-ms': '120' }, 120],
    ['in seconds, with a fraction', { 'retry-after': '0.12' }, 120],
    [
      'in seconds and, more exactly, in milliseconds',
      { 'retry-after': '9', 'retry-after-ms': '60' },
      60,
    ],
  ])('%s is asked again after that time', async (_spelling, headers, ms) => {
    const { heard, waitedMs } = await after(limited(headers));
    expect(heard.ended).toBe('whole');
    expect(waitedMs).toBeGreaterThanOrEqual(ms - 2);
  });

  it('in its message is asked again after that time', async () => {
    const { waitedMs } = await after(told('Rate limit reached. Please try again in 120ms.'));
    expect(waitedMs).toBeGreaterThanOrEqual(118);
  });

  it("in Google's RetryInfo is called again after that time", async () => {
    const { waitedMs } = await after(retryInfo('0.120s'), 'google');
    expect(waitedMs).toBeGreaterThanOrEqual(118);
  });

  it('by the limit that is used up is asked again once it is not', async () => {
    const { waitedMs } = await after(
      limited({
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '120ms',
        'x-ratelimit-remaining-tokens': '900',
        'x-ratelimit-reset-tokens': '6m0s',
      }),
    );
    expect(waitedMs).toBeGreaterThanOrEqual(118);
  });

  it('with a status other than 429 is obeyed too', async () => {
    const { waitedMs } = await after(limited({ 'retry-after-ms': '120' }, 503));
    expect(waitedMs).toBeGreaterThanOrEqual(118);
  });

  it('with a date in the past is called again', async () => {
    const { waitedMs } = await after(limited({ 'retry-after': soon(-60_000) }));
    expect(waitedMs).not.toBeNull();
  });

  it.each([
    ['in seconds', () => limited({ 'retry-after': '9' })],
    ['in milliseconds', () => limited({ 'retry-after-ms': '8001' })],
    ['as a date', () => limited({ 'retry-after': soon(60_000) })],
    ['with 503', () => limited({ 'retry-after': '9' }, 503)],
    ['in minutes and seconds', () => limited({ 'retry-after': '1m30s' })],
    ['in words', () => limited({ 'retry-after': '120 seconds' })],
    ['in more words', () => limited({ 'retry-after': 'in 120 seconds' })],
    ['as ISO 8601 writes it', () => limited({ 'retry-after': 'PT2M' })],
    ['twice', () => limited({ 'retry-after': '120, 120' })],
    ['as a time since 1970', () => limited({ 'retry-after': String(Date.now() + 60_000) })],
    ['by its limits alone', () => limited({ 'x-ratelimit-reset-requests': '6m0s' })],
    ['in headers that its body repeats, as OpenRouter', () => openrouter(Date.now() + 60_000)],
    [
      'in its body, while it loads the model',
      () => ({
        status: 503,
        body: { error: 'Model m is currently loading', estimated_time: 20.5 },
      }),
    ],
    [
      'in a field of its error',
      () => ({ status: 429, body: { error: { message: 'slow down', retry_after: '30' } } }),
    ],
    ["in RetryInfo, as Google's OpenAI API", () => retryInfo('37s')],
    ['in its message, as Groq', () => told('Rate limit reached. Please try again in 7m12.5s.')],
    ['in its message, as OpenAI', () => told('Rate limit reached. Please try again in 20s. Visit')],
    ['in its message, as Azure', () => told('Please retry after 26 seconds.')],
  ])(
    'and would have us wait for more than 8 s (%s) is left for the next candidate',
    async (_spelling, step) => {
      const { heard, waitedMs } = await after(step());
      expect(heard).toMatchObject({ ended: 'whole', errorTrace: [{ attempt: 1 }] });
      expect(waitedMs).toBeNull();
    },
  );

  it("and asks for more than 8 s in Google's RetryInfo is skipped as well", async () => {
    const { heard, waitedMs } = await after(retryInfo('37s'), 'google');
    expect(heard.errorTrace).toHaveLength(1);
    expect(waitedMs).toBeNull();
  });
});

describe('x-should-retry: false', () => {
  it.each([429, 500, 503, 529, 408, 409])(
    'sends %i to the next candidate at once',
    async (status) => {
      const { heard, waitedMs } = await after(
        limited({ 'x-should-retry': 'false', 'retry-after-ms': '0' }, status),
      );
      expect(heard).toMatchObject({ ended: 'whole', errorTrace: [{ status, attempt: 1 }] });
      expect(waitedMs).toBeNull();
    },
  );

  it('changes nothing where its value is true', async () => {
    const { waitedMs } = await after(
      limited({ 'x-should-retry': 'true', 'retry-after-ms': '0' }, 529),
    );
    expect(waitedMs).not.toBeNull();
  });
});

describe('an extremely long wait', () => {
  it.each<[string, Record<string, string>]>([
    ['seconds', { 'retry-after': '9'.repeat(30) }],
    ['milliseconds', { 'retry-after-ms': '1e300' }],
    ['a date', { 'retry-after': 'Wed, 21 Oct 275000 07:28:00 GMT' }],
  ])('is told to the client as whole seconds, from %s', async (_spelling, headers) => {
    const model = plays.newModel();
    plays.set(model, limited(headers));
    const heard = await ask(gateway, native, { models: [`up/${model}`] });
    expect(heard.status).toBe(429);
    expect(heard.headers['retry-after']).toMatch(/^\d{1,10}$/);
  });
});

describe('the spellings of Retry-After', () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
  it.each<[string, Record<string, string | string[] | undefined>, number | null]>([
    ['nothing', {}, null],
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['no seconds', { 'retry-after': '0' }, 0],
    ['a fraction of seconds', { 'retry-after': '1.5' }, 1_500],
    ['seconds with spaces', { 'retry-after': ' 3 ' }, 3_000],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1_500],
    ['no milliseconds', { 'retry-after-ms': '0' }, 0],
    ['a fraction of milliseconds', { 'retry-after-ms': '0.5' }, 0.5],
    ['milliseconds before seconds', { 'retry-after-ms': '10', 'retry-after': '7' }, 10],
    ['a date', { 'retry-after': 'Wed, 21 Oct 2026 07:28:05 GMT' }, 5_000],
    ['a date that is past', { 'retry-after': 'Wed, 21 Oct 2026 07:27:05 GMT' }, 0],
    ['a negative number of milliseconds', { 'retry-after-ms': '-5' }, 0],
    ['the first of several', { 'retry-after': ['4', '9'] }, 4_000],
    ['seconds with their unit', { 'retry-after': '1.5s' }, 1_500],
    ['hours, minutes and seconds', { 'retry-after': '1h2m3s' }, 3_723_000],
    ['milliseconds in words', { 'retry-after': '20 milliseconds' }, 20],
    ['an endless row of them', { 'retry-after': `${'1ms'.repeat(5_000)}!` }, null],
    ['seconds in words', { 'retry-after': '20 seconds' }, 20_000],
    ['a word', { 'retry-after': 'soon' }, null],
    ['a unit that is none', { 'retry-after': '5 parsecs' }, null],
    ['seconds since 1970', { 'retry-after': '1792567683' }, 3_000],
    ['milliseconds since 1970', { 'retry-after': '1792567683500' }, 3_500],
    ['a time in the form of RFC 3339', { 'retry-after': '2026-10-21T07:28:02Z' }, 2_000],
    ['an empty value', { 'retry-after': '', 'retry-after-ms': '' }, null],
    [
      'unreadable milliseconds beside readable seconds',
      { 'retry-after-ms': 'x', 'retry-after': '1' },
      1_000,
    ],
  ])('%s', (_spelling, headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
  });
});

describe('the times at which limits are reset', () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
  it.each<[string, Record<string, string>, number | null]>([
    ['none', { 'x-ratelimit-limit': '50' }, null],
    ['a duration, as OpenAI', { 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
    ['seconds, as Cerebras', { 'x-ratelimit-reset-tokens-day': '33011.5' }, 33_011_500],
    ['seconds, as Mistral', { 'ratelimitbysize-reset': '12' }, 12_000],
    ['seconds since 1970', { 'x-ratelimit-reset': '1792567683' }, 3_000],
    ['milliseconds since 1970', { 'x-ratelimit-reset': '1792567683500' }, 3_500],
    [
      'RFC 3339, as Anthropic',
      {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-10-21T07:28:30Z',
        'anthropic-ratelimit-tokens-remaining': '1000',
        'anthropic-ratelimit-tokens-reset': '2026-10-21T08:28:00Z',
      },
      30_000,
    ],
    [
      'those of two limits that are used up',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '2s',
      },
      2_000,
    ],
    [
      'those of limits that do not say what is left',
      {
        'anthropic-ratelimit-unified-5h-reset': '1792567683',
        'anthropic-ratelimit-unified-7d-reset': '1792969683',
      },
      3_000,
    ],
    [
      'that of a limit that is not used up',
      { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '60' },
      null,
    ],
    ['past', { 'x-ratelimit-reset': '1792567600' }, null],
    ['a word', { 'x-ratelimit-reset': 'soon' }, null],
  ])('are %s', (_spelling, headers, expected) => {
    expect(limitResetMs(headers, now)).toBe(expected);
  });
});
