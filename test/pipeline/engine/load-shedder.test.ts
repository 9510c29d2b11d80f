import { describe, expect, it } from 'vitest';
import { LoadShedder } from '../../../src/pipeline/engine/load-shedder.js';

/** A process with one event loop, in simulated time. Times in ms. */
interface Server {
  /** Of the loop, for a request: half of it when it comes, half when its provider has answered. */
  costMs: number;
  refusalMs: number;
  providerMs: number;
  perSecond: number;
  /** How much longer each work takes, because other processes have the core. */
  slower?: () => number;
  /** How late the loop wakes up after it has waited, because other processes have the core. */
  wakesLateMs?: () => number;
  /** Other work in each turn of the loop. */
  otherMs?: () => number;
}

/** Always the same numbers between 0 and 1. */
function numbers(seed = 1): () => number {
  let last = seed;
  return () => (last = (last * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** An answer of a provider, and when its request came. */
interface Answer {
  at: number;
  came: number;
}

const maxDelayMs = 100;

/** Runs a server for twenty seconds, and counts in the last ten of them. */
function simulate(server: Server, sheds = true) {
  const { costMs, refusalMs, providerMs, perSecond } = server;
  const random = numbers();
  let now = 0;
  let idleMs = 0;
  const shedder = new LoadShedder({ now: () => now, idleMs: () => idleMs });
  shedder.maxDelayMs = sheds ? maxDelayMs : null;
  const answers: Answer[] = [];
  let nextArrival = 0;
  let nextLook = 20;
  const times: number[] = [];
  const limits: number[] = [];
  let refused = 0;
  const work = (ms: number): void => void (now += ms * (server.slower?.() ?? 1));
  while (now < 20_000) {
    const next = Math.min(nextArrival, nextLook, answers[0]?.at ?? Infinity);
    if (next > now) {
      const waitedMs = next - now + (server.wakesLateMs?.() ?? 0);
      idleMs += waitedMs;
      now += waitedMs;
    }
    const turnAt = now;
    work(server.otherMs?.() ?? 0);
    if (nextLook <= turnAt) {
      shedder.look();
      nextLook = now + 20;
      limits.push(shedder.limit);
    }
    while ((answers[0]?.at ?? Infinity) <= turnAt) {
      const { came } = answers.shift()!;
      work(costMs / 2);
      shedder.end();
      if (now >= 10_000) times.push(now - came);
    }
    for (; nextArrival <= turnAt; nextArrival -= (Math.log(random()) * 1_000) / perSecond)
      if (shedder.admits) {
        shedder.begin();
        work(costMs / 2);
        answers.push({ at: now + providerMs, came: nextArrival });
      } else {
        shedder.refuse();
        refused++;
        work(refusalMs);
      }
  }
  times.sort((a, b) => a - b);
  return {
    goodput: times.length / 10,
    p99: times[Math.floor(times.length * 0.99)] ?? Infinity,
    refused,
    limits,
  };
}

const usual: Server = { costMs: 1, refusalMs: 0.01, providerMs: 200, perSecond: 3_000 };

describe('the load shedder', () => {
  it.each([20, 200, 2_000])(
    'serves nine tenths of what it can, in time, when three times as much comes to a provider of %d ms',
    (providerMs) => {
      const { goodput, p99, refused } = simulate({ ...usual, providerMs });
      expect(goodput).toBeGreaterThan(900);
      expect(p99).toBeLessThan(providerMs + 5 * maxDelayMs);
      expect(refused).toBeGreaterThan(30_000);
    },
  );

  it('refuses nothing that it can serve in time', () => {
    expect(simulate({ ...usual, perSecond: 900 }).refused).toBe(0);
  });

  it.each([2, 10])(
    'serves nine tenths of what it can while its work takes %d times as long, because others have the core',
    (slower) => {
      const random = numbers(7);
      const { goodput } = simulate({ ...usual, slower: () => 2 * (slower - 1) * random() + 1 });
      // a refusal takes longer too
      const refusing = (3_000 - 1_000 / slower) * 0.01e-3 * slower;
      expect(goodput).toBeGreaterThan((900 / slower) * (1 - refusing));
    },
  );

  it('refuses nothing while the loop still waits, however late others let it wake', () => {
    const random = numbers(7);
    const wakesLateMs = () => (random() < 0.3 ? 300 : 0);
    expect(simulate({ ...usual, perSecond: 300, wakesLateMs }).refused).toBe(0);
  });

  it('refuses less than a twentieth of what it can serve where pauses of its process make the loop late', () => {
    const random = numbers(7);
    const slower = () => (random() < 0.002 ? 100 + 100 * random() : 1);
    // a fifth of its time are pauses
    const { refused, p99 } = simulate({ ...usual, perSecond: 640, slower });
    expect(refused).toBeLessThan(640);
    expect(p99).toBeLessThan(200 + 5 * maxDelayMs);
  });

  it('takes its steps back where other work of the process makes the loop late', () => {
    const random = numbers(7);
    const { limits, goodput } = simulate({ ...usual, otherMs: () => 50 + 200 * random() });
    expect(Math.min(...limits)).toBeGreaterThan(8);
    // eight at a time would be 20
    expect(goodput).toBeGreaterThan(100);
  });
});
