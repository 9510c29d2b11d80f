import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../src/dispatch/key-ring.js';

const minutes = 60_000;

function ringOf(...keys: string[]): {
  ring: KeyRing;
  pass: (ms: number) => void;
  take: (n: number) => (string | null)[];
} {
  let now = 1_000_000;
  const ring = new KeyRing(keys, () => now);
  return {
    ring,
    pass: (ms) => void (now += ms),
    take: (n) => Array.from({ length: n }, () => ring.next()),
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
    const { ring, pass } = ringOf('a', 'b', 'c');
    const names = Array.from({ length: 300 }, (_, n) => `conversation ${n}`);
    const keys = (): (string | null)[] => names.map((name) => ring.next([], () => name));
    const before = keys();
    for (const key of ['a', 'b', 'c'])
      expect(before.filter((one) => one === key).length).toBeGreaterThan(60);
    expect(keys()).toEqual(before);
    ring.startCooldown('a', 1_000);
    const without = keys();
    expect(without.filter((key, n) => before[n] !== 'a' && key !== before[n])).toEqual([]);
    const moved = without.filter((_, n) => before[n] === 'a');
    for (const key of ['b', 'c'])
      expect(moved.filter((one) => one === key).length).toBeGreaterThan(moved.length / 4);
    pass(1_000);
    expect(keys()).toEqual(before);
    expect(ring.next(before.slice(0, 1), () => names[0]!)).not.toBe(before[0]);
  });

  it('are null where none is configured', () => {
    const { ring, take } = ringOf();
    expect(ring.size).toBe(1);
    expect(take(2)).toEqual([null, null]);
  });

  it('have a cooldown of a day at most, however long the provider wants', () => {
    const { ring, pass, take } = ringOf('a', 'b');
    ring.startCooldown('a', 99_999_999_999_000);
    pass(24 * 60 * minutes - 1);
    expect(take(2)).toEqual(['b', 'b']);
    pass(1);
    expect(take(2).sort()).toEqual(['a', 'b']);
  });

  it('are used even where the only one has a cooldown', () => {
    const { ring, take } = ringOf('a');
    ring.startCooldown('a', 'refused');
    expect(take(2)).toEqual(['a', 'a']);
  });

  it('have a cooldown of ten minutes after a refusal, then are used again', () => {
    const { ring, take, pass } = ringOf('a', 'b');
    ring.startCooldown('a', 'refused');
    expect(take(3)).toEqual(['b', 'b', 'b']);
    pass(10 * minutes - 1);
    expect(take(2)).toEqual(['b', 'b']);
    pass(1);
    expect(take(2).sort()).toEqual(['a', 'b']);
  });

  it('have a cooldown for as long as a rate limit says', () => {
    const { ring, take, pass } = ringOf('a', 'b');
    ring.startCooldown('b', 30);
    expect(take(2)).toEqual(['a', 'a']);
    pass(30);
    expect(take(2).sort()).toEqual(['a', 'b']);
  });

  it('are used in the order in which their cooldowns end, where all have one', () => {
    const { ring } = ringOf('a', 'b', 'c');
    ring.startCooldown('a', 300);
    ring.startCooldown('b', 100);
    ring.startCooldown('c', 200);
    expect(ring.next()).toBe('b');
    expect(ring.next(['b'])).toBe('c');
    expect(ring.next(['b', 'c'])).toBe('a');
  });

  it('are not used twice for a request that has tried them', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 0, max: 5 }),
        (keys, turns) => {
          const { ring, take } = ringOf(...keys);
          take(turns);
          const tried: (string | null)[] = [];
          for (let n = 0; n < keys.length; n++) {
            const key = ring.next(tried);
            expect(tried).not.toContain(key);
            tried.push(key);
            ring.startCooldown(key, 'refused');
          }
          expect([...tried].sort()).toEqual([...keys].sort());
        },
      ),
    );
  });

  it('ignore a cooldown of an unknown key', () => {
    const { ring, take } = ringOf('a', 'b');
    ring.startCooldown('z', 'refused');
    expect(take(2).sort()).toEqual(['a', 'b']);
  });
});
