import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameCache } from '../../src/models/name-cache.js';

const names = fc.constantFrom('', 'a', 'b', 'c', 'd', 'e', '__proto__', 'constructor');

describe('a cache of names', () => {
  it('has the last names that were set, and never another value for one', () => {
    fc.assert(
      fc.property(fc.array(names, { maxLength: 60 }), (given) => {
        const cache = new NameCache<number>(3);
        given.forEach((name, at) => {
          cache.set(name, at);
          const last = [...new Set(given.slice(0, at + 1).reverse())].slice(0, 3);
          for (const one of last) expect(cache.get(one)).toBe(given.lastIndexOf(one, at));
        });
      }),
    );
  });

  it('keeps a name that is asked for again and again, and forgets those that are not', () => {
    const cache = new NameCache<number>(10);
    cache.set('kept', 1);
    cache.set('left', 2);
    for (let at = 0; at < 100; at++) {
      cache.set(`other ${at}`, at);
      expect(cache.get('kept')).toBe(1);
    }
    expect(cache.get('left')).toBeUndefined();
  });
});
