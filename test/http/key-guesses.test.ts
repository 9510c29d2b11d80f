import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyFor, makeFirstKey } from '../../src/accounts/first-key.js';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import type { Store } from '../../src/store/contracts/store.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { openFreshStore } from '../helpers/stores.js';
import { isWholeRun } from '../helpers/runs.js';

interface Answer {
  status: number;
  retryAfter: number;
}

let store: Store;
let gateway: RunningGateway;
/** Keys that the database was asked for. */
let lookedUp: string[];
const agent = new Agent({ keepAlive: true, maxSockets: 120 });
afterAll(() => agent.destroy());

beforeEach(async () => {
  const opened = await openFreshStore();
  await makeFirstKey(opened, 'sk_first');
  lookedUp = [];
  store = {
    ...opened,
    keys: {
      ...opened.keys,
      findByHash: (hash) => (lookedUp.push(hash), opened.keys.findByHash(hash)),
    },
  };
  const databases = () => Promise.resolve({ store, counters: createMemoryCounters() });
  gateway = await startGateway(
    { auth: { trustedProxies: 1 } },
    { databases: new LazyDatabases(databases, false) },
  );
});
afterEach(() => gateway.close());

/** Sends a key from an address of this machine, or as a proxy that names its client. */
const send = (key: string, localAddress: string, forwardedFor?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(forwardedFor ? { 'x-forwarded-for': forwardedFor } : {}),
    };
    request(`${gateway.url}/v1/models`, { agent, localAddress, headers }, (response) => {
      const retryAfter = Number(response.headers['retry-after'] ?? 0);
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, retryAfter }));
    })
      .on('error', reject)
      .end();
  });

let made = 0;
const newKey = async (): Promise<string> => {
  const key = `sk_right_${++made}`;
  await store.keys.add(keyFor(firstAccountId, key, key));
  return key;
};
const guess = (): string => `sk_guess_${++made}`;
const statusesOf = (answers: readonly Answer[]): number[] =>
  [...new Set(answers.map(({ status }) => status))].sort();

/** Guesses on many connections until it is stopped. */
function guessing(connections: number, sendGuess: (index: number) => Promise<Answer>) {
  let isOver = false;
  const answers: Answer[] = [];
  const loops = Array.from({ length: connections }, async (_, index) => {
    while (!isOver) answers.push(await sendGuess(index));
  });
  return {
    async stop(): Promise<Answer[]> {
      isOver = true;
      await Promise.all(loops);
      return answers;
    },
  };
}

describe('while somebody guesses keys', () => {
  it.runIf(isWholeRun)('new right keys of another address work', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, newKey));
    const attack = guessing(120, () => send(guess(), '127.0.0.2'));
    const answers: Answer[] = [];
    for (const key of keys) answers.push(await send(key, '127.0.0.1'));
    expect(statusesOf(answers)).toEqual([200]);
    expect(statusesOf(await attack.stop())).toEqual([401, 429]);
  });

  it('from many addresses, new right keys of another address work', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, newKey));
    const attack = guessing(120, (index) => send(guess(), `127.0.1.${index}`));
    const answers: Answer[] = [];
    for (const key of keys) answers.push(await send(key, '127.0.0.1'));
    expect(statusesOf(answers)).toEqual([200]);
    await attack.stop();
  });
});

describe('an address that sends many unknown keys', () => {
  it('is refused before the database is asked, but not for keys in memory, nor are others', async () => {
    const known = await newKey();
    expect((await send(known, '127.0.0.2')).status).toBe(200);
    for (let index = 0; index < 120; index++)
      expect((await send(guess(), '127.0.0.2')).status).toBe(401);
    lookedUp = [];
    const refused = await send(guess(), '127.0.0.2');
    expect(refused.status).toBe(429);
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(refused.retryAfter).toBeLessThanOrEqual(60);
    expect((await send(await newKey(), '127.0.0.2')).status).toBe(429);
    expect((await send(known, '127.0.0.2')).status).toBe(200);
    expect(lookedUp).toEqual([]);
    expect((await send(guess(), '127.0.0.1')).status).toBe(401);
  });

  it('counts together with the others of its network of version 6', async () => {
    for (let index = 0; index < 480; index++)
      expect(
        (await send(guess(), '127.0.0.1', `2001:db8:1:${(index % 8).toString(16)}::1`)).status,
      ).toBe(401);
    expect((await send(guess(), '127.0.0.1', '2001:db8:1:9::1')).status).toBe(429);
    expect((await send(guess(), '127.0.0.1', '2001:db8:2:9::1')).status).toBe(401);
  });

  it('may go on sending one wrong key, which is looked up once a second', async () => {
    for (let index = 0; index < 150; index++)
      expect((await send('sk_one_wrong_key', '127.0.0.2')).status).toBe(401);
    expect(lookedUp.length).toBeLessThan(60);
  });
});
