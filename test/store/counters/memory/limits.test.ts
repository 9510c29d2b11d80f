import { describe, expect, it } from 'vitest';
import { MemoryLimits } from '../../../../src/store/counters/memory/limits.js';
import { SweptMap } from '../../../../src/store/counters/memory/swept-map.js';

describe('limits in memory', () => {
  it('drop subjects whose minute has passed, so that a flood of addresses does not fill the memory', () => {
    let now = Date.UTC(2026, 10, 21);
    const limits = new MemoryLimits(() => now);
    for (let address = 0; address < 50_000; address++) {
      now += 60;
      limits.reserve([{ subject: `from:${address}`, measure: 'requests', limit: 10, amount: 1 }]);
    }
    // a thousand come each minute, and each is kept for two to three
    expect(limits.size).toBeLessThan(10_000);
  });

  it('count for each of several new subjects that are charged together', () => {
    const limits = new MemoryLimits(() => 1_000_000_000);
    const charge = { measure: 'requests', amount: 1, limit: 1 } as const;
    const both = ['a', 'b', 'c'].map((subject) => ({ ...charge, subject }));
    expect(limits.reserve(both).outcome).toBe('granted');
    for (const each of both) expect(limits.reserve([each]).outcome).toBe('refused');
  });

  it('keep a budget until its period ends', () => {
    let now = Date.UTC(2026, 10, 21);
    const limits = new MemoryLimits(() => now);
    const charge = { subject: 'key:a', measure: 'usd_day', limit: 1, amount: 1 } as const;
    limits.setSpent(charge, 0);
    expect(limits.reserve([charge])).toMatchObject({ outcome: 'granted' });
    now += 86_399_999;
    for (let turn = 0; turn < 100; turn++)
      expect(limits.reserve([charge])).toMatchObject({ outcome: 'refused' });
  });

  it('count what was used beyond a reservation that is older than its minute, even if others came and went meanwhile', () => {
    let now = Date.UTC(2026, 10, 21);
    const limits = new MemoryLimits(() => now);
    const charge = { subject: 'key:a', measure: 'tokens', limit: 1_000, amount: 10 } as const;
    const result = limits.reserve([charge]);
    now += 180_000;
    for (let other = 0; other < 10; other++)
      limits.reserve([{ ...charge, subject: `key:${other}` }]);
    if (result.outcome === 'granted') result.reservation.settle([990]);
    expect(limits.reserve([{ ...charge, amount: 100 }])).toMatchObject({
      outcome: 'refused',
      used: 980,
    });
  });
});

describe('a swept map', () => {
  it('drops expired entries while others are accessed, and nothing else', () => {
    const over = new Set<string>();
    const map = new SweptMap<string>((value) => over.has(value));
    for (let index = 0; index < 100; index++) map.set(`key ${index}`, `value ${index}`);
    for (let index = 0; index < 100; index += 2) over.add(`value ${index}`);
    for (let look = 0; look < 300; look++) map.get('key 1');
    expect(map.size).toBe(50);
    expect(map.get('key 99')).toBe('value 99');
    expect(map.get('key 98')).toBeUndefined();
  });
});
