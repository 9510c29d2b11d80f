import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Breaker } from '../../src/dispatch/breaker.js';
import { KeyRing } from '../../src/dispatch/key-ring.js';
import { GatewayError } from '../../src/errors.js';

const minutes = 60_000;

interface Keys {
  size: number;
  /** Lets a key rest. @param forMs as long as a rate limit says; `refused`: the key was refused */
  rest: (key: string | null, forMs: number | 'refused') => void;
  next: (tried?: (string | null)[], affinity?: () => string) => string | null;
  pass: (ms: number) => void;
  take: (n: number) => (string | null)[];
}

/** A ring of keys with the breaker that lets them rest. */
function ringOf(...keys: string[]): Keys {
  let now = 1_000_000;
  const ring = new KeyRing(keys);
  const breaker = new Breaker(null, undefined, () => now);
  const next: Keys['next'] = (tried, affinity) =>
    ring.next(tried, affinity, (mark) => breaker.restUntil('', mark));
  return {
    size: ring.size,
    rest: (key, forMs) =>
      breaker.rest(
        '',
        ring.markOf(key),
        forMs === 'refused'
          ? new GatewayError('provider_auth', 'refused')
          : new GatewayError('rate_limited', 'too many', { retryAfterMs: forMs }),
      ),
    next,
    pass: (ms) => void (now += ms),
    take: (n) => Array.from({ length: n }, () => next()),
  };
}

describe('the keys of a provider', () => {
  it('are used in turn, each as often as the others', () => {
    const { take } = ringOf('a', 'b', 'c');
    const taken = take(6);
    expect([...taken].sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(taken.slice(0, 3)).toEqual(taken.slice(3));
  });

  it('are the same one for each conversation, which moves only while its key rests', () => {
    const { rest, next, pass } = ringOf('a', 'b', 'c');
    const names = Array.from({ length: 300 }, (_, n) => `conversation ${n}`);
    const keys = (): (string | null)[] => names.map((name) => next([], () => name));
    const before = keys();
    for (const key of ['a', 'b', 'c'])
      expect(before.filter((one) => one === key).length).toBeGreaterThan(60);
    expect(keys()).toEqual(before);
    rest('a', 1_000);
    const without = keys();
    expect(without.filter((key, n) => before[n] !== 'a' && key !== before[n])).toEqual([]);
    const moved = without.filter((_, n) => before[n] === 'a');
    for (const key of ['b', 'c'])
      expect(moved.filter((one) => one === key).length).toBeGreaterThan(moved.length / 4);
    pass(1_000);
    expect(keys()).toEqual(before);
    expect(next(before.slice(0, 1), () => names[0]!)).not.toBe(before[0]);
  });

  it('are null where none is configured', () => {
    const { size, take } = ringOf();
    expect(size).toBe(1);
    expect(take(2)).toEqual([null, null]);
  });

  it('rest for a day at most, however long the provider wants', () => {
    const { rest, pass, take } = ringOf('a', 'b');
    rest('a', 99_999_999_999_000);
    pass(24 * 60 * minutes - 1);
    expect(take(2)).toEqual(['b', 'b']);
    pass(1);
    expect(take(2).sort()).toEqual(['a', 'b']);
  });

  it('are used even where the only one rests', () => {
    const { rest, take } = ringOf('a');
    rest('a', 'refused');
    expect(take(2)).toEqual(['a', 'a']);
  });

  it('rest for ten minutes after a refusal, then are used again', () => {
    const { rest, pass, take } = ringOf('a', 'b');
    rest('a', 'refused');
    expect(take(3)).toEqual(['b', 'b', 'b']);
    pass(10 * minutes - 1);
    expect(take(2)).toEqual(['b', 'b']);
    pass(1);
    expect(take(2).sort()).toEqual(['a', 'b']);
  });

  it('rest for as long as a rate limit says', () => {
    const { rest, pass, take } = ringOf('a', 'b');
    rest('b', 30);
    expect(take(2)).toEqual(['a', 'a']);
    pass(30);
    expect(take(2).sort()).toEqual(['a', 'b']);
  });

  it('are used in the order in which their rests end, where all rest', () => {
    const { rest, next } = ringOf('a', 'b', 'c');
    rest('a', 300);
    rest('b', 100);
    rest('c', 200);
    expect(next()).toBe('b');
    expect(next(['b'])).toBe('c');
    expect(next(['b', 'c'])).toBe('a');
  });

  it('are not used twice for a request that has tried them', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 0, max: 5 }),
        (keys, turns) => {
          const { rest, next, take } = ringOf(...keys);
          take(turns);
          const tried: (string | null)[] = [];
          for (let n = 0; n < keys.length; n++) {
            const key = next(tried);
            expect(tried).not.toContain(key);
            tried.push(key);
            rest(key, 'refused');
          }
          expect([...tried].sort()).toEqual([...keys].sort());
        },
      ),
    );
  });

  it('ignore the rest of an unknown key', () => {
    const { rest, take } = ringOf('a', 'b');
    rest('z', 'refused');
    expect(take(2).sort()).toEqual(['a', 'b']);
  });
});
