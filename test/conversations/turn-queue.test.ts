import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type TurnEnd,
  type TurnResult,
  TurnQueue,
  type TurnQueueLimits,
} from '../../src/conversations/turn-queue.js';
import { GatewayError } from '../../src/errors.js';
import type { NewMessage, Turn } from '../../src/store/contracts/conversations.js';

const message = (id: string, content: string): NewMessage => ({
  id,
  role: 'user',
  content,
  provider: null,
  model: null,
  finishReason: null,
  usage: null,
  costUsd: null,
});
const turn = (
  id: string,
  { begins = null, text = 'x' }: { begins?: Turn['begins']; text?: string } = {},
): Turn => ({
  conversationId: `c-${id}`,
  accountId: 'a',
  begins,
  history: [message(`${id}-0`, text)],
  answer: message(id, 'y'),
  at: 0,
});
const away = new GatewayError('unavailable', 'the database cannot be reached: it sleeps');

type Write = (turns: readonly Turn[]) => Promise<('stored' | 'gone')[]>;
const stores: Write = (turns) => Promise.resolve(turns.map(() => 'stored'));
const queues: TurnQueue[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const { close } of queues.splice(0).map((queue) => ({ close: () => queue.close() })))
    await close();
});

interface Databases {
  queue: TurnQueue;
  /** Ids of the turns of each write. */
  writes: string[][];
  lost: [number, string][];
  /** What became of turns that were late. */
  late: [TurnEnd, number][];
  away: boolean[];
}

/**
 * A queue whose database answers each write as the next of `answers` says; the last one repeats.
 */
function open(answers: Write[] = [stores], limits: Partial<TurnQueueLimits> = {}): Databases {
  const writes: string[][] = [];
  const opened: Omit<Databases, 'queue'> = { writes, lost: [], late: [], away: [] };
  const reports = {
    lost: (turns: number, why: string) => void opened.lost.push([turns, why]),
    late: (end: TurnEnd, turns: number) => void opened.late.push([end, turns]),
    away: (isAway: boolean) => void opened.away.push(isAway),
  };
  const write: Write = (turns) =>
    (
      answers[Math.min(writes.push(turns.map(({ answer }) => answer.id)), answers.length) - 1] ??
      stores
    )(turns);
  const queue = new TurnQueue(write, reports, {
    maxWaitMs: 60,
    backoff: { firstMs: 5, maxMs: 20 },
    closeMs: 100,
    ...limits,
  });
  queues.push(queue);
  return { queue, ...opened };
}

/** A write that ends when `release` is called. */
function held(): { write: Write; release: () => void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return { write: (turns) => released.then(() => stores(turns)), release: () => release() };
}

const refuses =
  (bad: string): Write =>
  (turns) =>
    turns.some(({ answer }) => answer.id === bad)
      ? Promise.reject(new GatewayError('internal', 'the database refused a statement'))
      : stores(turns);

describe('turns', () => {
  it('are reported as stored only after they are', async () => {
    const { write, release } = held();
    const { queue } = open([write]);
    let end: TurnResult | null = null;
    const added = queue.add(turn('1')).then((told) => (end = told));
    await wait(20);
    expect(end).toBeNull();
    release();
    expect(await added).toBe('stored');
  });

  it('that come while a transaction runs share the next one', async () => {
    const { write, release } = held();
    const { queue, writes } = open([write, stores]);
    const first = queue.add(turn('1'));
    await wait(5);
    const others = ['2', '3', '4'].map((id) => queue.add(turn(id)));
    release();
    expect(await Promise.all([first, ...others])).toEqual(['stored', 'stored', 'stored', 'stored']);
    expect(writes).toEqual([['1'], ['2', '3', '4']]);
  });

  it('share a transaction up to its maximum', async () => {
    const { queue, writes } = open([stores], { maxBatch: 2 });
    await Promise.all(['1', '2', '3', '4', '5'].map((id) => queue.add(turn(id))));
    expect(writes).toEqual([['1', '2'], ['3', '4'], ['5']]);
  });

  it('of a conversation that was deleted meanwhile are reported as gone', async () => {
    const { queue, lost, late } = open([() => Promise.resolve(['stored', 'gone'])]);
    expect(await Promise.all([queue.add(turn('1')), queue.add(turn('2'))])).toEqual([
      'stored',
      'gone',
    ]);
    expect([lost, late]).toEqual([[], []]);
  });
});

describe('while the database is slow or away', () => {
  it('a client waits up to the limit, and the turn is stored once, as soon as possible', async () => {
    const {
      queue,
      writes,
      late,
      away: told,
    } = open([
      () => Promise.reject(away),
      () => Promise.reject(away),
      () => wait(90).then(() => Promise.reject(away)),
      stores,
    ]);
    expect(await queue.add(turn('1'))).toBe('late');
    await expect.poll(() => writes.length).toBe(4);
    expect(await queue.add(turn('2'))).toBe('stored');
    expect(writes).toEqual([['1'], ['1'], ['1'], ['1'], ['2']]);
    expect(told).toEqual([true, false]);
    expect(late).toEqual([['stored', 1]]);
  });

  it('an outage shorter than the limit goes unnoticed', async () => {
    const { queue } = open([() => Promise.reject(away), stores]);
    expect(await queue.add(turn('1'))).toBe('stored');
  });

  it('clients wait for a long outage once, not each of them anew', async () => {
    const { queue } = open([() => Promise.reject(away)]);
    await queue.add(turn('1'));
    expect(await Promise.all(['2', '3', '4'].map((id) => queue.add(turn(id))))).toEqual([
      'late',
      'late',
      'late',
    ]);
    vi.useRealTimers();
  });

  it('transactions shrink when it is too slow for large ones', async () => {
    const { queue, writes } = open(
      [(turns) => (turns.length > 3 ? Promise.reject(away) : stores(turns))],
      { maxWaitMs: 2_000, maxBatch: 10 },
    );
    expect(
      await Promise.all(
        ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((id) => queue.add(turn(id))),
      ),
    ).toEqual(Array.from({ length: 9 }, () => 'stored'));
    expect(writes.filter((ids) => ids.length <= 3).flat()).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
      '9',
    ]);
  });

  it('turns beyond the bounds are lost, counted and reported', async () => {
    const { queue, lost, writes } = open([() => Promise.reject(away)], {
      maxTurns: 3,
      maxSize: 5_000,
      backoff: { firstMs: 5, maxMs: 10 },
    });
    const ends = await Promise.all(['1', '2', '3', '4'].map((id) => queue.add(turn(id))));
    expect(ends).toEqual(['late', 'late', 'late', 'lost']);
    expect(lost).toEqual([[1, 'too many turns wait for the database']]);
    expect(writes[0]).toEqual(['1', '2', '3']);
    const narrow = open([() => Promise.reject(away)], { maxSize: 5_000 });
    expect(
      await Promise.all([
        narrow.queue.add(turn('1', { text: 'x'.repeat(4_000) })),
        narrow.queue.add(turn('2', { text: 'x'.repeat(4_000) })),
      ]),
    ).toEqual(['late', 'lost']);
  });

  it('the title of a conversation that began meanwhile is known to its own account', async () => {
    const { queue } = open([() => Promise.reject(away)]);
    await queue.add(turn('1', { begins: { title: 'One' } }));
    expect(queue.titleOfBegun('a', 'c-1')).toBe('One');
    expect(queue.titleOfBegun('b', 'c-1')).toBeNull();
    expect(queue.titleOfBegun('a', 'c-2')).toBeNull();
  });
});

describe('a turn that the database refuses', () => {
  it('is lost alone, and the turns beside it are stored', async () => {
    const { queue, lost } = open([refuses('2')]);
    expect(await Promise.all(['1', '2', '3'].map((id) => queue.add(turn(id))))).toEqual([
      'stored',
      'lost',
      'stored',
    ]);
    expect(lost).toEqual([[1, 'the database refused it: the database refused a statement']]);
  });

  it('is distinguished from a turn that met an outage', async () => {
    let writes = 0;
    const { queue, lost } = open([
      (turns) => (++writes === 2 ? Promise.reject(away) : refuses('2')(turns)),
    ]);
    expect(await Promise.all(['1', '2', '3'].map((id) => queue.add(turn(id))))).toEqual([
      'stored',
      'lost',
      'stored',
    ]);
    expect(lost).toHaveLength(1);
  });
});

describe('closing', () => {
  it('writes what is left', async () => {
    const { write, release } = held();
    const { queue, writes } = open([write, stores]);
    const ends = [queue.add(turn('1'))];
    await wait(5);
    ends.push(queue.add(turn('2')));
    const closed = queue.close();
    release();
    await closed;
    expect(writes).toEqual([['1'], ['2']]);
    expect(await Promise.all(ends)).toEqual(['stored', 'stored']);
  });

  it('retries an unreachable database at once', async () => {
    const { queue, writes } = open([() => Promise.reject(away), stores], {
      backoff: { firstMs: 5_000, maxMs: 5_000 },
    });
    expect(await queue.add(turn('1'))).toBe('late');
    await queue.close();
    expect(writes).toEqual([['1'], ['1']]);
  });

  it('reports what is lost when the database stays away, and does not wait for ever', async () => {
    const { queue, lost, late } = open([() => Promise.reject(away)]);
    await Promise.all([queue.add(turn('1')), queue.add(turn('2'))]);
    await queue.close();
    expect(lost).toEqual([[2, 'the gateway stops and the database is away']]);
    expect(late).toEqual([['lost', 2]]);
    const hanging = open([() => new Promise(() => undefined)]);
    await hanging.queue.add(turn('1'));
    await hanging.queue.close();
    expect(hanging.lost).toEqual([[1, 'the gateway stops and the database is away']]);
  });

  it("accepts nothing afterwards, and does not confuse an old turn's result with a new turn's", async () => {
    const { write, release } = held();
    const { queue, lost } = open([write], { closeMs: 20 });
    const first = queue.add(turn('1'));
    await queue.close();
    expect(await first).toBe('lost');
    const second = queue.add(turn('2'));
    release();
    expect(await second).toBe('lost');
    expect(lost).toEqual([
      [1, 'the gateway stops and the database is away'],
      [1, 'the gateway has stopped'],
    ]);
  });
});
