import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';
import type { Step } from '../helpers/steps.js';
import { ask, type Heard, wayRows, ways, type Way } from '../helpers/ways.js';

const native = ways[0] as Way;
const busy: Step = { status: 503, headers: { 'retry-after-ms': '0' } };

let upstream: Upstream;
let gateway: RunningGateway;
beforeEach(async () => {
  upstream = await startUpstream();
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  gateway = await startGateway({
    providers: {
      up: { ...up, apiKeys: ['key-a', 'key-b', 'key-c'] },
      other: { ...up, apiKey: 'key-o' },
    },
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const keyOf = ({ headers }: UpstreamCall): string =>
  (headers.authorization ?? '').replace('Bearer ', '');
const used = (): string[] => upstream.requests.map(keyOf);
/** Answers by key; other keys get a good answer. */
const byKey = (steps: Record<string, Step>): void =>
  upstream.script([(call) => steps[keyOf(call)] ?? {}]);
const askUp = (
  way: Way = native,
  more: Record<string, unknown> = {},
  models = ['up/m'],
): Promise<Heard> => ask(gateway, way, { models, more });
const opening = (n: number) => ({ messages: [{ role: 'user', content: `question ${n}` }] });
const refuse = (...keys: string[]): void =>
  byKey(Object.fromEntries(keys.map((key) => [key, { status: 401 }])));

describe('a provider with several keys', () => {
  it('is called with each of them, as conversations begin differently', async () => {
    for (let n = 0; n < 30; n++) await askUp(native, opening(n));
    expect(new Set(used())).toEqual(new Set(['key-a', 'key-b', 'key-c']));
  });

  it.each(wayRows)(
    'is called with its next key where one is refused, asked %s',
    async (_name, way) => {
      refuse('key-a', 'key-b');
      for (let n = 0; n < 12; n++)
        expect(await askUp(way, opening(n))).toMatchObject({ ended: 'whole' });
      expect(new Set(used())).toEqual(new Set(['key-a', 'key-b', 'key-c']));
      expect(used().at(-1)).toBe('key-c');
    },
  );

  it.each([401, 402, 403])('leaves a key alone that was answered with %i', async (status) => {
    byKey({ 'key-a': { status }, 'key-b': { status } });
    for (let n = 0; n < 12; n++) await askUp(native, opening(n));
    const calls = used();
    expect(calls.filter((key) => key === 'key-a')).toHaveLength(1);
    expect(calls.filter((key) => key === 'key-b')).toHaveLength(1);
    expect(calls.filter((key) => key === 'key-c')).toHaveLength(12);
  });

  it.each(wayRows)(
    'tries each key once, then the next candidate, where all are refused, asked %s',
    async (_name, way) => {
      refuse('key-a', 'key-b', 'key-c');
      const heard = await askUp(way, {}, ['up/m', 'other/n']);
      expect(heard).toMatchObject({ ended: 'whole', model: 'n' });
      expect([...used()].sort()).toEqual(['key-a', 'key-b', 'key-c', 'key-o']);
      if (way.surface === 'native')
        expect(
          heard.errorTrace.map(({ provider, status, attempt }) => [provider, status, attempt]),
        ).toEqual([
          ['up', 401, 1],
          ['up', 401, 2],
          ['up', 401, 3],
        ]);
    },
  );

  it.each(wayRows)(
    'is 502 where every key of every candidate is refused, asked %s',
    async (_name, way) => {
      refuse('key-a', 'key-b', 'key-c', 'key-o');
      const heard = await askUp(way, {}, ['up/m', 'other/n']);
      expect(heard).toMatchObject({ status: 502, ended: 'refused' });
      expect(heard.errorTrace).toHaveLength(4);
    },
  );

  it('tries its next key without counting it as a retry, even where none is allowed', async () => {
    await askUp();
    const [own = ''] = used();
    refuse(own);
    const heard = await askUp(native, { maxRetries: 0 });
    expect(heard).toMatchObject({ ended: 'whole' });
    expect(heard.errorTrace.map(({ status }) => status)).toEqual([401]);
    expect(used().slice(0, 2)).toEqual([own, own]);
    expect(used()[2]).not.toBe(own);
  });

  it('tries all of its keys where no retry is allowed', async () => {
    refuse('key-a', 'key-b', 'key-c');
    expect(await askUp(native, { maxRetries: 0 })).toMatchObject({ status: 502 });
    expect([...used()].sort()).toEqual(['key-a', 'key-b', 'key-c']);
  });

  it('still has all of its retries after a refused key', async () => {
    upstream.script([{ status: 401 }, busy, busy, busy]);
    expect((await askUp(native, { maxRetries: 2 })).errorTrace.map(({ status }) => status)).toEqual(
      [401, 503, 503, 503],
    );
  });

  it('tries another key after its last retry met a refused one', async () => {
    upstream.script([busy, { status: 401 }, {}]);
    const heard = await askUp(native, { maxRetries: 1 });
    expect(heard).toMatchObject({ ended: 'whole' });
    expect(heard.errorTrace.map(({ status }) => status)).toEqual([503, 401]);
  });

  it('starts the cooldown of a key that met a rate limit, and retries with another', async () => {
    upstream.script([{ status: 429, headers: { 'retry-after-ms': '500' } }, {}]);
    expect(await askUp()).toMatchObject({ ended: 'whole' });
    const [first, second] = used();
    expect(first).not.toBe(second);
  });

  it('does not reveal the key that was refused', async () => {
    byKey(
      Object.fromEntries(
        ['key-a', 'key-b', 'key-c'].map((key) => [
          key,
          {
            status: 401,
            body: {
              error: {
                message:
                  'Incorrect API key provided: sk-abcdefgh12345678. Bearer sk-abcdefgh12345678',
                code: 'invalid_api_key',
              },
            },
          },
        ]),
      ),
    );
    const heard = await askUp();
    expect(heard.status).toBe(502);
    expect(JSON.stringify(heard)).not.toContain('abcdefgh');
  });

  it.each(wayRows)(
    'does not tell a key without any known form that the provider repeats, asked %s',
    async (_name, way) => {
      upstream.script([
        (call) => ({
          status: 403,
          body: { error: { message: `the key ${keyOf(call)} is blocked` } },
        }),
      ]);
      const heard = await askUp(way);
      expect(heard).toMatchObject({
        status: 502,
        message: expect.stringContaining('the key [redacted] is blocked') as string,
      });
      expect(JSON.stringify(heard)).not.toMatch(/key-[abc]/);
    },
  );
});

describe('a provider with one key', () => {
  it('is not called twice with a key that it refuses', async () => {
    byKey({ 'key-o': { status: 403 } });
    expect(await askUp(native, {}, ['other/n'])).toMatchObject({
      status: 502,
      message: 'other answered 403: scripted 403',
    });
    expect(used()).toEqual(['key-o']);
  });

  it('is called again by the next request', async () => {
    upstream.script([{ status: 403 }, {}]);
    await askUp(native, {}, ['other/n']);
    expect(await askUp(native, {}, ['other/n'])).toMatchObject({ ended: 'whole' });
  });
});
