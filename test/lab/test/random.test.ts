import { describe, expect, it } from 'vitest';
import { createRandomStream } from '../random.js';

describe('a random stream', () => {
  it('gives the same numbers for the same seed and others for another', () => {
    const numbers = (seed: number): number[] => {
      const random = createRandomStream(seed);
      return [random.next(), random.next(), ...random.order(5)];
    };
    expect(numbers(3)).toEqual(numbers(3));
    expect(numbers(3)).not.toEqual(numbers(4));
  });

  it('orders places so that each appears once and all orders are equally likely', () => {
    const random = createRandomStream(1);
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 6000; draw++) {
      const order = [...random.order(3)];
      expect([...order].sort()).toEqual([0, 1, 2]);
      counts.set(order.join(), (counts.get(order.join()) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('gives numbers from 0 to 1', () => {
    const random = createRandomStream(2);
    const numbers = Array.from({ length: 1000 }, () => random.next());
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(numbers.reduce((sum, number) => sum + number, 0) / 1000).toBeCloseTo(0.5, 1);
  });
});
