import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { agents, cachedShare, cachingProviders, replaySession } from '../helpers/agent-sessions.js';
import type { AgentRequest } from '../helpers/agent-sessions.js';
import { type CachingProvider, startCachingProvider } from '../helpers/caching-provider.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { post } from '../helpers/sse.js';

const turns = 8;
const accounts = Array.from({ length: 16 }, (_, n) => ({ name: `a${n}`, key: `sk_account_${n}` }));

let provider: CachingProvider;
let gateway: RunningGateway;
beforeAll(async () => {
  provider = await startCachingProvider();
  gateway = await startGateway({
    providers: cachingProviders(provider),
    auth: { keys: accounts },
  });
});
afterEach(() => provider.limited.clear());
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function send({ path, headers, body }: AgentRequest, key = gateway.key): Promise<void> {
  const reply = await post(`${gateway.url}${path}`, body, {
    ...headers,
    authorization: `Bearer ${key}`,
  });
  expect(reply.status, reply.text).toBe(200);
}
const question = (content: string, more: Record<string, unknown> = {}): AgentRequest => ({
  path: '/v1/chat/completions',
  headers: {},
  body: { model: 'maker/gpt-4o', messages: [{ role: 'user', content }], ...more },
});
const keyOf = async (request: AgentRequest, key?: string): Promise<string> => {
  await send(request, key);
  return provider.seen.at(-1)!.key;
};

describe.each(Object.entries(agents))('a session of %s', (_name, agent) => {
  it('stays with one key, and reads at least 95 % of what can be from its cache', async () => {
    const seen = await replaySession(agent, turns, provider, send);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(cachedShare(seen)).toBeGreaterThanOrEqual(0.95);
  });

  it('moves while its key is rate-limited, and only then', async () => {
    const own = new Map<string, string>();
    for (let n = 0; n < 12; n++) own.set(`${n}`, await keyOf(agent(`moving-${n}`, 0)));
    const limited = own.get('0')!;
    provider.limited.add(limited);
    const now = new Map<string, string>();
    for (const n of own.keys()) now.set(n, await keyOf(agent(`moving-${n}`, 1)));
    for (const [n, key] of own)
      if (key === limited) expect(now.get(n)).not.toBe(limited);
      else expect(now.get(n)).toBe(key);
  });
});

describe('the key of a conversation', () => {
  beforeAll(async () => {
    await gateway.close();
    gateway = await startGateway({
      providers: cachingProviders(provider),
      auth: { keys: accounts },
    });
  });

  it('is decided by prompt_cache_key, else by the session header, else by its beginning', async () => {
    const seen = async (make: (n: number) => AgentRequest): Promise<number> => {
      const keys = new Set<string>();
      for (let n = 0; n < 16; n++) keys.add(await keyOf(make(n)));
      return keys.size;
    };
    const named = { 'session-id': 'one session' };
    expect(await seen((n) => question(`question ${n}`))).toBe(3);
    expect(await seen(() => question('the same question'))).toBe(1);
    expect(await seen((n) => ({ ...question(`question ${n}`), headers: named }))).toBe(1);
    expect(
      await seen((n) => ({
        ...question('the same question', { prompt_cache_key: `cache ${n}` }),
        headers: named,
      })),
    ).toBe(3);
  });

  it('is the same whatever Claude Code says to its maker in each request', async () => {
    const keys = new Set<string>();
    for (let n = 0; n < 8; n++) {
      const line = `x-anthropic-billing-header: cc_version=2.1.177; cch=${n};`;
      const system = [line, 'Be brief.'].map((text) => ({ type: 'text', text }));
      const messages = [{ role: 'user', content: 'Hi' }];
      const body = { model: 'claude/claude-sonnet-4-5', max_tokens: 99, system, messages };
      keys.add(await keyOf({ path: '/v1/messages', headers: {}, body }));
    }
    expect(keys.size).toBe(1);
  });

  it('is not the same for every account that uses one name', async () => {
    const keys = new Set<string>();
    for (const { key } of accounts)
      keys.add(await keyOf(question('Hi', { prompt_cache_key: 'well known' }), key));
    expect(keys.size).toBe(3);
  });

  it('is the same after a restart, and at another replica', async () => {
    const requests = Array.from({ length: 6 }, (_, n) => question(`restart ${n}`));
    const before: string[] = [];
    for (const request of requests) before.push(await keyOf(request));
    const first = gateway;
    gateway = await startGateway({
      providers: cachingProviders(provider),
      auth: { keys: accounts },
    });
    const after: string[] = [];
    for (const request of requests) after.push(await keyOf(request));
    expect(after).toEqual(before);
    await first.close();
  });

  it('also counts where an agent is passed through, by its session header', async () => {
    const asked = (n: number): AgentRequest => ({
      ...question(`passed ${n}`, { model: 'gpt-4o' }),
      path: '/proxy/maker/v1/chat/completions',
    });
    const keys = new Set<string>();
    for (let n = 0; n < 6; n++)
      keys.add(await keyOf({ ...asked(n), headers: { session_id: 'passing' } }));
    expect(keys.size).toBe(1);
    for (let n = 0; n < 3; n++) keys.add(await keyOf(asked(n)));
    expect(keys.size).toBe(3);
  });
});
