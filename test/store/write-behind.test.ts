import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.js';
import { openStore } from '../../src/store/open-store.js';
import type { RequestRow } from '../../src/store/contracts/requests.js';
import type { Store } from '../../src/store/contracts/store.js';
import { WriteBehind, type WriteBehindOptions } from '../../src/store/write-behind.js';
import { requestRow } from '../helpers/request-row.js';
import { until } from '../helpers/until.js';
import { wholeUsage } from '../helpers/whole-usage.js';

const away = (): GatewayError => new GatewayError('unavailable', 'the database cannot be reached');

/** A database of numbers that fails when a test says so. */
class Ledger {
  readonly batches: number[][] = [];
  /** What the next writes do before they store; absent: nothing. */
  readonly before: ((records: readonly number[]) => void | Promise<void>)[] = [];
  /** The same after they have stored. */
  readonly after: (() => void)[] = [];
  writing = 0;
  maxAtOnce = 0;

  async write(records: readonly number[]): Promise<void> {
    this.maxAtOnce = Math.max(this.maxAtOnce, ++this.writing);
    try {
      await this.before.shift()?.(records);
      this.batches.push([...records]);
      this.after.shift()?.();
    } finally {
      this.writing--;
    }
  }

  get stored(): number[] {
    return this.batches.flat();
  }
}

let ledger: Ledger;
let lost: number;
let warnings: string[];
const queues: WriteBehind<number>[] = [];
beforeEach(() => {
  ledger = new Ledger();
  lost = 0;
  warnings = [];
});
afterEach(() => Promise.all(queues.splice(0).map((queue) => queue.close(0))));

const report = {
  lost: (_kind: string, count: number): void => void (lost += count),
  warn: (message: string): void => void warnings.push(message),
};
function queueOf(options: Partial<WriteBehindOptions<number>> = {}): WriteBehind<number> {
  const queue = new WriteBehind<number>({
    kind: 'numbers',
    write: (records) => ledger.write(records),
    report,
    maxItems: 10_000,
    delayMs: 20,
    backoff: { firstMs: 10, maxMs: 40 },
    ...options,
  });
  queues.push(queue);
  return queue;
}
const numbers = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index);
const fill = (queue: WriteBehind<number>, count: number, from = 0): void =>
  numbers(count, from).forEach((number) => queue.add(number));

describe('rows that are written behind', () => {
  it('are written together, shortly after the first one came', async () => {
    const queue = queueOf();
    fill(queue, 3);
    expect(ledger.batches).toEqual([]);
    await until(() => queue.size === 0);
    expect(ledger.batches).toEqual([[0, 1, 2]]);
  });

  it('are written at most 200 ms after the first one came, however many follow', async () => {
    const queue = new WriteBehind<number>({
      kind: 'numbers',
      write: (records) => ledger.write(records),
      report,
      maxItems: 10_000,
    });
    const more = setInterval(() => queue.add(1), 10);
    await until(() => ledger.batches.length > 0);
    clearInterval(more);
    await queue.close(1_000);
  });

  it('are written in order, at most 500 together and one batch at a time', async () => {
    const queue = queueOf();
    ledger.before.push(() => new Promise((resolve) => setTimeout(resolve, 30)));
    fill(queue, 1_700);
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual(numbers(1_700));
    expect(ledger.batches.map((batch) => batch.length)).toEqual([500, 500, 500, 200]);
    expect(ledger.maxAtOnce).toBe(1);
  });

  it('are written at once when they fill a batch', async () => {
    const queue = queueOf({ delayMs: 60_000 });
    fill(queue, 500);
    await until(() => queue.size === 0);
    expect(ledger.batches).toHaveLength(1);
  });

  it('are all stored after a flush, whatever the delay', async () => {
    const queue = queueOf({ delayMs: 60_000 });
    fill(queue, 700);
    expect(await queue.flush(5_000)).toBe(true);
    expect(ledger.stored).toEqual(numbers(700));
    expect(await queue.flush(0)).toBe(true);
  });
});

describe('while the database is away', () => {
  it('rows wait, and all are written in order once it is back', async () => {
    const queue = queueOf();
    for (let time = 0; time < 5; time++) ledger.before.push(() => Promise.reject(away()));
    fill(queue, 600);
    await until(() => ledger.before.length < 3);
    fill(queue, 600, 600);
    expect(queue.size).toBe(1_200);
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual(numbers(1_200));
    expect(lost).toBe(0);
  });

  it('batches shrink when it is too slow for large ones, and grow again later', async () => {
    const slow = (records: readonly number[]): void => {
      if (records.length > 100) throw away();
    };
    ledger.before.push(...Array.from({ length: 500 }, () => slow));
    const queue = queueOf();
    fill(queue, 1_000);
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual(numbers(1_000));
    ledger.before.length = 0;
    fill(queue, 3_000);
    await until(() => queue.size === 0);
    expect(Math.max(...ledger.batches.map(({ length }) => length))).toBe(500);
  });

  it('retries become less frequent', async () => {
    const askedAt: number[] = [];
    const queue = queueOf({
      backoff: { firstMs: 20, maxMs: 80 },
      write: () => {
        askedAt.push(performance.now());
        return Promise.reject(away());
      },
    });
    queue.add(1);
    await until(() => askedAt.length === 5);
    const waits = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
    for (const [index, leastMs] of [15, 30, 60, 60].entries())
      expect(waits[index]).toBeGreaterThanOrEqual(leastMs - 2);
  });

  it('at most the maximum wait: further rows are refused and counted, with one warning', async () => {
    const queue = queueOf({ maxItems: 100, write: () => Promise.reject(away()) });
    fill(queue, 250);
    expect(queue.size).toBe(100);
    expect(lost).toBe(150);
    expect(warnings).toEqual(['rows of numbers are lost (1 so far): too many wait to be written']);
  });

  it('the bytes that wait are bounded too', async () => {
    const queue = queueOf({ sizeOf: (number) => number, maxBytes: 100 });
    for (const weight of [60, 50, 40, 1]) queue.add(weight);
    expect(lost).toBe(2);
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual([60, 40]);
    queue.add(100);
    expect(lost).toBe(2);
  });

  it('a flush ends at its time limit, and its rows are written later', async () => {
    let isAway = true;
    const queue = queueOf({
      write: (records) => (isAway ? Promise.reject(away()) : ledger.write(records)),
    });
    queue.add(7);
    expect(await queue.flush(30)).toBe(false);
    isAway = false;
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual([7]);
  });

  it('closing waits for it within the time limit, then counts what is left as lost', async () => {
    const back = queueOf();
    ledger.before.push(() => Promise.reject(away()));
    fill(back, 3);
    await back.close(5_000);
    expect([ledger.stored, lost]).toEqual([[0, 1, 2], 0]);
    const gone = queueOf({ write: () => Promise.reject(away()) });
    fill(gone, 3);
    await gone.close(30);
    gone.add(4);
    expect([gone.size, lost]).toEqual([0, 4]);
  });
});

describe('a row that the database refuses', () => {
  it('is dropped, counted and reported; the rows around it are written once each', async () => {
    const poisonous = new Set([3, 250, 251]);
    const queue = queueOf({
      write: (records) =>
        records.some((number) => poisonous.has(number))
          ? Promise.reject(new GatewayError('internal', 'the database refused a statement: 22P05'))
          : ledger.write(records),
    });
    fill(queue, 400);
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual(numbers(400).filter((number) => !poisonous.has(number)));
    expect(lost).toBe(3);
    expect(warnings).toEqual([
      'rows of numbers are lost (1 so far): the database refused them: the database refused a statement: 22P05',
    ]);
  });

  it('is found even if the database goes away in between', async () => {
    let writes = 0;
    const queue = queueOf({
      write: (records) => {
        if (++writes === 4) return Promise.reject(away());
        return records.includes(5)
          ? Promise.reject(new Error('not this one'))
          : ledger.write(records);
      },
    });
    fill(queue, 8);
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual([0, 1, 2, 3, 4, 6, 7]);
    expect(lost).toBe(1);
  });
});

describe('before an in-memory database is opened', () => {
  it('the newest few wait, nothing is written or counted as lost; after that all are written', async () => {
    let maxUnopened: number | null = 10;
    const queue = queueOf({ maxUnopened: () => maxUnopened, delayMs: 1 });
    fill(queue, 25);
    expect([queue.size, ledger.batches.length, lost]).toEqual([10, 0, 0]);
    maxUnopened = null;
    queue.add(25);
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual(numbers(11, 15));
  });

  it('the bytes that wait are bounded, and the oldest rows are dropped', async () => {
    let maxUnopened: number | null = 10;
    const queue = queueOf({
      maxUnopened: () => maxUnopened,
      sizeOf: (number) => number,
      maxBytes: 100,
      delayMs: 1,
    });
    for (const bytes of [60, 50, 40]) queue.add(bytes);
    expect([queue.size, lost]).toEqual([2, 0]);
    maxUnopened = null;
    queue.add(1);
    await until(() => queue.size === 0);
    expect(ledger.stored).toEqual([50, 40, 1]);
  });

  it('rows that are being written while it opens are not dropped for newer ones', async () => {
    let release = (): void => undefined;
    ledger.before.push(() => new Promise((resolve) => (release = resolve)));
    let maxUnopened: number | null = 5;
    const queue = queueOf({ maxUnopened: () => maxUnopened });
    fill(queue, 5);
    const flushed = queue.flush(1_000);
    fill(queue, 4, 5);
    maxUnopened = null;
    release();
    await flushed;
    await queue.flush(1_000);
    expect(ledger.stored).toEqual(numbers(9));
  });

  it('closing drops them silently', async () => {
    const queue = queueOf({ maxUnopened: () => 10 });
    fill(queue, 5);
    await queue.close(1_000);
    expect([queue.size, ledger.batches.length, lost]).toEqual([0, 0, 0]);
  });
});

describe('rows of the request log, in a real database', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore(':memory:');
  });
  afterEach(() => store.close());

  const idsStored = async (): Promise<string[]> =>
    (await store.requests.list({ accountId: 'one' }, { limit: 100, cursor: null })).items.map(
      ({ id }) => id,
    );

  it('are neither stored nor counted twice when the confirmation of a write is lost', async () => {
    let unheard = 2;
    const queue = new WriteBehind<RequestRow>({
      kind: 'requests',
      report,
      maxItems: 100,
      delayMs: 10,
      backoff: { firstMs: 10, maxMs: 40 },
      async write(rows) {
        await store.requests.add(rows);
        if (unheard-- > 0) throw away();
      },
    });
    const rows = Array.from({ length: 20 }, (_, index) =>
      requestRow({ accountId: 'one', at: 1_000 + index, costUsd: 0.5 }),
    );
    for (const row of rows.slice(0, 10)) queue.add(row);
    await until(() => unheard < 2);
    for (const row of rows.slice(10)) queue.add(row);
    await until(() => queue.size === 0);
    expect((await idsStored()).sort()).toEqual(rows.map(({ id }) => id).sort());
    expect(await wholeUsage(store.requests, { accountId: 'one' })).toMatchObject([
      { requests: 20, costUsd: 10 },
    ]);
    await queue.close(0);
  });
});
