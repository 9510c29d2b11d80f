import { afterEach, describe, expect, it } from 'vitest';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { quietDatabases } from '../helpers/quiet-databases.js';
import { RecordCache } from '../../src/store/record-cache.js';
import { until } from '../helpers/until.js';

interface Thing {
  readonly name: string;
  readonly value: number;
}

/** A source that the test controls. */
class Source {
  readonly topic = 'things';
  readonly rows = new Map<string, { thing: Thing; revision: number }>();
  revision = 0;
  loads: string[] = [];
  isAway = false;
  /** How often it was asked for changes. */
  asked = 0;
  /** What a lookup waits for. */
  gate: Promise<void> = Promise.resolve();

  put(thing: Thing): void {
    this.rows.set(thing.name, { thing, revision: ++this.revision });
  }

  readonly keyOf = ({ name }: Thing): string => name;
  readonly load = async (_opened: unknown, key: string): Promise<Thing | null> => {
    this.loads.push(key);
    const found = this.rows.get(key)?.thing ?? null;
    await this.gate;
    if (this.isAway) throw new Error('away');
    return found;
  };
  readonly changedSince = (
    _opened: unknown,
    since: number,
  ): Promise<{ revision: number; records: Thing[] }> => {
    this.asked++;
    if (this.isAway) return Promise.reject(new Error('away'));
    return Promise.resolve({
      revision: this.revision,
      records: [...this.rows.values()]
        .filter(({ revision }) => revision > since)
        .map(({ thing }) => thing),
    });
  };
}

const backing = (): LazyDatabases => {
  const made = quietDatabases();
  // like a file: there may be records from before
  return new LazyDatabases(() => made.get(), false);
};
const open: { cache: RecordCache<Thing>; backing: LazyDatabases }[] = [];
function cacheOf(source: Source): RecordCache<Thing> {
  const own = backing();
  const cache = new RecordCache(own, source);
  open.push({ cache, backing: own });
  return cache;
}
afterEach(async () => {
  for (const { cache, backing: own } of open.splice(0)) {
    cache.close();
    await own.close();
  }
});

describe('a record cache', () => {
  it('looks a record up once, and has it in memory from then on', async () => {
    const source = new Source();
    source.put({ name: 'a', value: 1 });
    const cache = cacheOf(source);
    expect(cache.cached('a')).toBeUndefined();
    expect(await cache.find('a')).toEqual({ name: 'a', value: 1 });
    expect(cache.cached('a')).toEqual({ name: 'a', value: 1 });
    expect(new Set(source.loads)).toEqual(new Set(['a']));
  });

  it('takes memory for what it holds, not for what it may hold', () => {
    const used = (): number => {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const before = used();
    const caches = Array.from({ length: 100 }, () => cacheOf(new Source()));
    expect(used() - before).toBeLessThan(20_000_000);
    expect(caches).toHaveLength(100);
  });

  it('has changes of other processes within a second', async () => {
    const source = new Source();
    source.put({ name: 'a', value: 1 });
    const cache = cacheOf(source);
    await cache.find('a');
    source.put({ name: 'a', value: 2 });
    await until(async () => (await cache.find('a'))?.value === 2);
  });

  it('does not cache a record that changed while it was read', async () => {
    const source = new Source();
    source.put({ name: 'a', value: 1 });
    source.put({ name: 'other', value: 1 });
    const cache = cacheOf(source);
    await cache.find('other');
    let release = (): void => undefined;
    source.gate = new Promise((resolve) => (release = resolve));
    const read = cache.find('a');
    await until(() => source.loads.includes('a'));
    source.put({ name: 'a', value: 2 });
    source.put({ name: 'other', value: 2 });
    await until(async () => (await cache.find('other'))?.value === 2);
    release();
    expect(await read).toEqual({ name: 'a', value: 1 });
    expect(await cache.find('a')).toEqual({ name: 'a', value: 2 });
  });

  it('keeps its records while the database is away', async () => {
    const source = new Source();
    source.put({ name: 'a', value: 1 });
    const cache = cacheOf(source);
    await cache.find('a');
    source.isAway = true;
    expect(await cache.find('a')).toEqual({ name: 'a', value: 1 });
    await expect(cache.find('b')).rejects.toThrow('away');
    source.isAway = false;
    source.put({ name: 'a', value: 3 });
    await until(async () => (await cache.find('a'))?.value === 3);
  });

  it('follows a database that has lost its last changes, as a standby may have that takes over', async () => {
    const source = new Source();
    for (const value of [1, 2, 3]) source.put({ name: 'other', value });
    source.put({ name: 'a', value: 1 });
    const cache = cacheOf(source);
    await cache.find('a');
    // two changes are lost, and a new one is made
    source.revision -= 2;
    source.put({ name: 'a', value: 2 });
    await until(async () => (await cache.find('a'))?.value === 2);
  });

  it('asks a few times for changes of which it is notified meanwhile, however often', async () => {
    const source = new Source();
    source.put({ name: 'a', value: 1 });
    const { store, counters } = await backing().get();
    const listeners: ((text: string) => void)[] = [];
    const pubSub = {
      publish: () => undefined,
      subscribe: (_topic: string, listener: (text: string) => void) =>
        void listeners.push(listener),
    };
    const own = new LazyDatabases(
      () => Promise.resolve({ store, counters: { ...counters, pubSub } }),
      false,
    );
    const cache = new RecordCache(own, source);
    open.push({ cache, backing: own });
    await cache.find('a');
    const asked = source.asked;
    source.put({ name: 'a', value: 2 });
    for (let count = 0; count < 100; count++) listeners[0]!('');
    await until(async () => (await cache.find('a'))?.value === 2);
    expect(source.asked - asked).toBeLessThan(10);
  });

  it('looks up an unknown key once a second, and few unknown keys at a time', async () => {
    const source = new Source();
    const cache = cacheOf(source);
    expect(await cache.find('nobody')).toBeNull();
    expect(cache.cached('nobody')).toBeNull();
    let release = (): void => undefined;
    source.gate = new Promise((resolve) => (release = resolve));
    const guesses = Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => cache.find(`guess ${index}`)),
    );
    await until(() => source.loads.length > 60);
    release();
    const outcomes = await guesses;
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(64);
    expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject({
      code: 'unavailable',
      status: 503,
    });
  });

  it('finds a record at once that this process has added after a lookup in vain', async () => {
    const source = new Source();
    const cache = cacheOf(source);
    expect(await cache.find('a')).toBeNull();
    source.put({ name: 'a', value: 1 });
    cache.changed({ name: 'a', value: 1 });
    expect(await cache.find('a')).toEqual({ name: 'a', value: 1 });
  });
});
