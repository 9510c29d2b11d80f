import { describe, expect, it } from 'vitest';
import { LiveList } from '../../src/async/live-list.js';

describe('a list of what comes and goes', () => {
  it('has what was added and not taken out, whatever the order', () => {
    const list = new LiveList<string>();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((item) => list.add(item));
    list.remove(a!);
    list.remove(d!);
    expect(list.items().sort()).toEqual(['b', 'c']);
    list.remove(c!);
    const e = list.add('e');
    list.remove(b!);
    expect(list.items()).toEqual(['e']);
    list.remove(e);
    expect([list.size, list.items()]).toEqual([0, []]);
  });

  it('ignores an entry that was taken out before', () => {
    const list = new LiveList<string>();
    const [a] = [list.add('a'), list.add('b')];
    list.remove(a);
    list.remove(a);
    expect(list.items()).toEqual(['b']);
  });

  it('may change while its items are looked at', () => {
    const list = new LiveList<string>();
    const entries = ['a', 'b', 'c'].map((item) => list.add(item));
    const seen: string[] = [];
    for (const item of list.items()) {
      seen.push(item);
      for (const entry of entries) list.remove(entry);
    }
    expect(seen).toEqual(['a', 'b', 'c']);
  });
});
