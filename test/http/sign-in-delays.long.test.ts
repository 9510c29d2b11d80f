import { afterEach, describe, expect, it } from 'vitest';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { openStore } from '../../src/store/open-store.js';
import { Browser, goodPassword } from '../helpers/browser.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { numberAt } from '../helpers/json.js';
import type { Reply } from '../helpers/sse.js';
import { isWholeRun } from '../helpers/runs.js';

const running: RunningGateway[] = [];
afterEach(() => Promise.all(running.splice(0).map((gateway) => gateway.close())));

/** A gateway whose counters go by a clock that a test moves. */
async function clocked(): Promise<{
  gateway: RunningGateway;
  from: (address: string) => Browser;
  pass: (ms: number) => void;
}> {
  let now = Date.now();
  const open = async () => ({
    store: await openStore(':memory:'),
    counters: createMemoryCounters({ now: () => now }),
  });
  const gateway = await startGateway(
    { auth: { trustedProxies: 1 } },
    { databases: new LazyDatabases(open, true) },
  );
  running.push(gateway);
  return {
    gateway,
    from: (address) => new Browser(gateway.url, { 'x-forwarded-for': address }),
    pass: (ms) => void (now += ms),
  };
}

const secondsOf = (reply: Reply): number =>
  numberAt({ seconds: Number(reply.headers['retry-after'] ?? 0) }, 'seconds');

/** Fails until it has to wait, as often as asked, and gives the waits. */
async function waits(
  count: number,
  fail: () => Promise<Reply>,
  pass: (ms: number) => void,
): Promise<number[]> {
  const found: number[] = [];
  for (let tries = 0; found.length < count && tries < 100; tries++) {
    const reply = await fail();
    if (reply.status === 401) continue;
    expect(reply).toMatchObject({ status: 429, json: { error: 'Too Many Requests' } });
    found.push(secondsOf(reply));
    pass(secondsOf(reply) * 1_000);
  }
  return found;
}

describe('failed sign-ins', () => {
  it('let an account wait, from wherever they come, longer and longer', async () => {
    const { from, pass } = await clocked();
    let visitors = 0;
    const found = await waits(
      5,
      () => from(`192.0.2.${++visitors}`).signIn('ada@example.org', 'wrong password'),
      pass,
    );
    expect(found).toHaveLength(5);
    for (let index = 1; index < found.length; index++)
      expect(found[index]).toBeGreaterThan(found[index - 1]!);
  });

  it('let an address wait, whomever it tries to be', async () => {
    const { from, pass } = await clocked();
    let people = 0;
    const found = await waits(
      5,
      () => from('192.0.2.1').signIn(`p${++people}@example.org`, 'wrong password'),
      pass,
    );
    expect(found).toHaveLength(5);
    for (let index = 1; index < found.length; index++)
      expect(found[index]).toBeGreaterThan(found[index - 1]!);
    expect((await from('192.0.2.2').signIn('p1@example.org', 'wrong password')).status).toBe(401);
  });

  it('count for a whole network of version 6', async () => {
    const { from, pass } = await clocked();
    let hosts = 0;
    const found = await waits(
      1,
      () =>
        from(`2001:db8:1:2::${(++hosts).toString(16)}`).signIn(
          `p${hosts}@example.org`,
          'wrong password',
        ),
      pass,
    );
    expect(found).toHaveLength(1);
    expect((await from('2001:db8:1:3::1').signIn('p1@example.org', 'wrong password')).status).toBe(
      401,
    );
  });

  it('do not tell an account that exists from one that does not', async () => {
    const { from } = await clocked();
    await from('192.0.2.1').signUp('ada@example.org', goodPassword);
    const statusesOf = async (email: string, network: string): Promise<number[]> => {
      const statuses: number[] = [];
      for (let index = 0; index < 10; index++)
        statuses.push((await from(`${network}.${index}`).signIn(email, 'wrong password')).status);
      return statuses;
    };
    const [known, unknown] = [
      await statusesOf('ada@example.org', '198.51.100'),
      await statusesOf('nobody@example.org', '203.0.113'),
    ];
    expect(known).toEqual(unknown);
    expect(known).toContain(429);
  });

  it('let the right password wait too, and say nothing of it', async () => {
    const { from, pass } = await clocked();
    await from('192.0.2.1').signUp('ada@example.org', goodPassword);
    let visitors = 0;
    await waits(
      1,
      () => from(`198.51.100.${++visitors}`).signIn('ada@example.org', 'wrong password'),
      () => undefined,
    );
    const early = await from('203.0.113.1').signIn('ada@example.org', goodPassword);
    expect(early.status).toBe(429);
    pass(secondsOf(early) * 1_000);
    expect((await from('203.0.113.1').signIn('ada@example.org', goodPassword)).status).toBe(200);
  });

  it('are forgotten for the account with a success, but not for the address: who has an account cannot guess at others', async () => {
    const { from, pass } = await clocked();
    await from('192.0.2.1').signUp('mallory@example.org', goodPassword);
    // another browser each time: one that is known has a count of its own
    const mallory = (): Browser => from('192.0.2.9');
    const found: number[] = [];
    for (let index = 0; index < 40 && found.length < 3; index++) {
      expect(
        (await mallory().signIn(`victim${index}@example.org`, 'a common password')).status,
      ).toBe(401);
      const own = await mallory().signIn('mallory@example.org', goodPassword);
      if (own.status === 200) continue;
      found.push(secondsOf(own));
      pass(secondsOf(own) * 1_000);
      expect((await mallory().signIn('mallory@example.org', goodPassword)).status).toBe(200);
    }
    expect(found).toHaveLength(3);
    expect(found[2]).toBeGreaterThan(found[0]!);
    expect((await from('192.0.2.10').signIn('mallory@example.org', 'wrong password')).status).toBe(
      401,
    );
    expect((await from('192.0.2.10').signIn('mallory@example.org', goodPassword)).status).toBe(200);
  });

  it('are counted although they come all at once', async () => {
    const { from } = await clocked();
    await from('192.0.2.1').signUp('ada@example.org', goodPassword);
    const guesses = Array.from({ length: 40 }, (_, index) =>
      from(`198.51.100.${index}`).signIn('ada@example.org', `guess number ${index}`),
    );
    const last = from('203.0.113.1').signIn('ada@example.org', goodPassword);
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(10);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(30);
    expect((await last).status).toBe(429);
  });

  it('of a password that is to be changed count as well', async () => {
    const { from } = await clocked();
    const ada = from('192.0.2.1');
    await ada.signUp('ada@example.org', goodPassword);
    await ada.signIn('ada@example.org', goodPassword);
    const statuses: number[] = [];
    for (let index = 0; index < 10; index++)
      statuses.push(
        (
          await ada.ask('POST', '/api/v1/auth/password', {
            currentPassword: `guess number ${index}`,
            newPassword: 'new password',
          })
        ).status,
      );
    expect(statuses).toContain(403);
    expect(statuses.at(-1)).toBe(429);
  });

  it('are believed to come from where as many proxies as are trusted say, and no further', async () => {
    const { gateway, pass } = await clocked();
    let invented = 0;
    const fail = (): Promise<Reply> =>
      new Browser(gateway.url, { 'x-forwarded-for': `10.9.8.${++invented}, 192.0.2.1` }).signIn(
        `p${invented}@example.org`,
        'wrong password',
      );
    expect(await waits(1, fail, pass)).toHaveLength(1);
  });
});

describe('a browser that signed in before', () => {
  /** A stranger's failures, until the account has to wait. */
  async function lockedOut(): Promise<Awaited<ReturnType<typeof clocked>> & { ada: Browser }> {
    const clock = await clocked();
    const ada = clock.from('192.0.2.1');
    await ada.signUp('ada@example.org', goodPassword);
    expect((await ada.signIn('ada@example.org', goodPassword)).status).toBe(200);
    let visitors = 0;
    const fail = (): Promise<Reply> =>
      clock.from(`198.51.100.${++visitors}`).signIn('ada@example.org', 'wrong password');
    await waits(1, fail, () => undefined);
    return { ...clock, ada };
  }

  it('does not wait for failures of strangers, from whatever address, signed out or not', async () => {
    const { from, ada } = await lockedOut();
    expect((await from('192.0.2.1').signIn('ada@example.org', goodPassword)).status).toBe(429);
    expect((await ada.signIn('ada@example.org', goodPassword)).status).toBe(200);
    await ada.ask('POST', '/api/v1/auth/sign-out');
    const elsewhere = from('203.0.113.7');
    elsewhere.known = ada.known;
    expect((await elsewhere.signIn('ada@example.org', goodPassword)).status).toBe(200);
    expect((await from('192.0.2.1').signIn('ada@example.org', goodPassword)).status).toBe(429);
  });

  it('may change its password meanwhile', async () => {
    const { ada } = await lockedOut();
    const passwords = { currentPassword: goodPassword, newPassword: 'another password' };
    expect((await ada.ask('POST', '/api/v1/auth/password', passwords)).status).toBe(204);
  });

  it('waits for failures of its own, longer and longer, whatever it signs in between', async () => {
    const { from, ada, pass } = await lockedOut();
    const found = await waits(3, () => ada.signIn('ada@example.org', 'wrong password'), pass);
    expect(found[2]).toBeGreaterThan(found[0]!);
    const elsewhere = from('203.0.113.7');
    elsewhere.known = ada.known;
    await waits(
      1,
      () => ada.signIn('ada@example.org', 'wrong password'),
      () => undefined,
    );
    expect((await elsewhere.signIn('ada@example.org', goodPassword)).status).toBe(429);
  });

  it.each([
    ['is known for no other account', (known: string) => known, 'eve@example.org'],
    ['is not known by a token that was changed', (known: string) => `${known.slice(0, -3)}AAA`],
    ['is not known by another time', (known: string) => known.replace(/\.\d/, '.9')],
    ['is not known by half a token', (known: string) => known.replace(/\..*/, '')],
  ])('%s', async (_what, change, owner = 'ada@example.org') => {
    const { from, ada } = await lockedOut();
    const browser = from('203.0.113.9');
    if (owner !== 'ada@example.org') {
      await browser.signUp(owner, goodPassword);
      expect((await browser.signIn(owner, goodPassword)).status).toBe(200);
    }
    browser.known = change(owner === 'ada@example.org' ? ada.known : browser.known);
    expect((await browser.signIn('ada@example.org', goodPassword)).status).toBe(429);
  });
});

describe('sign-ins to many accounts', () => {
  it.runIf(isWholeRun)(
    'are not more than sixty a minute from one address, whoever owns the accounts',
    async () => {
      const { from, pass } = await clocked();
      await from('192.0.2.1').signUp('ada@example.org', goodPassword);
      await from('192.0.2.1').signUp('eve@example.org', goodPassword);
      const statuses: number[] = [];
      for (let index = 0; index < 58; index++)
        statuses.push(
          (await from('192.0.2.1').signIn(`${index % 2 ? 'ada' : 'eve'}@example.org`, goodPassword))
            .status,
        );
      expect(new Set(statuses)).toEqual(new Set([200]));
      for (const _ of [1, 2]) await from('192.0.2.1').signIn('p@example.org', goodPassword);
      const refused = await from('192.0.2.1').signIn('q@example.org', goodPassword);
      expect(refused.status).toBe(429);
      expect((await from('192.0.2.2').signIn('q@example.org', goodPassword)).status).toBe(401);
      pass(120_000);
      expect((await from('192.0.2.1').signIn('q@example.org', goodPassword)).status).toBe(401);
    },
  );

  it.runIf(isWholeRun)(
    'are not more than four times as many from one network of version 6',
    async () => {
      const { from } = await clocked();
      const statusOf = async (index: number, email: string): Promise<number> =>
        (await from(`2001:db8:1:${index.toString(16)}::1`).signIn(email, 'wrong password')).status;
      const statuses: number[] = [];
      for (let index = 0; index < 241; index++)
        statuses.push(await statusOf(index, `p${index}@example.org`));
      expect(statuses.lastIndexOf(401)).toBe(239);
      expect(statuses[240]).toBe(429);
    },
  );
});

describe('sign-ins that succeed', () => {
  it('are not more than thirty a minute of one account from one address: each costs as much as one that fails', async () => {
    const { from, pass } = await clocked();
    await from('192.0.2.1').signUp('ada@example.org', goodPassword);
    for (let index = 0; index < 30; index++)
      expect((await from('192.0.2.1').signIn('ada@example.org', goodPassword)).status).toBe(200);
    expect((await from('192.0.2.1').signIn('ada@example.org', goodPassword)).status).toBe(429);
    expect((await from('192.0.2.2').signIn('ada@example.org', goodPassword)).status).toBe(200);
    pass(120_000);
    expect((await from('192.0.2.1').signIn('ada@example.org', goodPassword)).status).toBe(200);
  });
});

describe('a route without a key', () => {
  it.each(['sign-up', 'password-reset', 'password-reset/complete'])(
    '%s is done ten times a minute for one address',
    async (path) => {
      const { from, pass } = await clocked();
      const send = (address: string): Promise<Reply> =>
        from(address).ask(
          'POST',
          `/api/v1/auth/${path}`,
          path === 'sign-up'
            ? { email: 'ada@example.org', password: goodPassword }
            : path === 'password-reset'
              ? { email: 'ada@example.org' }
              : { token: 'x', password: goodPassword },
        );
      for (let index = 0; index < 10; index++)
        expect((await send('192.0.2.1')).status).not.toBe(429);
      const refused = await send('192.0.2.1');
      expect(refused.status).toBe(429);
      expect((await send('192.0.2.2')).status).not.toBe(429);
      pass(secondsOf(refused) * 1_000 + 60_000);
      expect((await send('192.0.2.1')).status).not.toBe(429);
    },
  );
});
