import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import { RatingQueue } from '../../../src/chooser/learning/rating-queue.js';
import type { LearningScope } from '../../../src/store/contracts/learnings.js';

const scopeOf = (accountId: string): LearningScope => ({ accountId, preferenceId: '' });
const [mine, other] = [scopeOf('mine'), scopeOf('other')];

/** A queue whose transactions end one by one, when the test calls `end`. */
function heldQueue() {
  const begun: [accountId: string, ratings: readonly number[]][] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const queue = new RatingQueue<number>(
    (scope, ratings) =>
      new Promise((resolve, reject) => {
        begun.push([scope.accountId, ratings]);
        ends.push((failure) => (failure ? reject(failure) : resolve()));
      }),
  );
  const settled: string[] = [];
  const add = (scope: LearningScope, rating: number): Promise<void> =>
    queue.add(scope, rating).then(
      () => void settled.push(`${rating} stored`),
      (error: unknown) => void settled.push(`${rating} ${(error as Error).message}`),
    );
  return { begun, settled, add, end: (at: number, failure?: Error) => ends[at]!(failure) };
}

const turns = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};

describe('concurrent ratings', () => {
  it('are applied together, in order, once the ones before them are stored', async () => {
    const { begun, settled, add, end } = heldQueue();
    const all = [1, 2, 3].map((rating) => add(mine, rating));
    expect(begun).toEqual([['mine', [1]]]);
    end(0);
    await turns();
    expect(settled).toEqual(['1 stored']);
    expect(begun[1]).toEqual(['mine', [2, 3]]);
    end(1);
    await Promise.all(all);
    expect(settled).toEqual(['1 stored', '2 stored', '3 stored']);
    void add(mine, 4);
    expect(begun[2]).toEqual(['mine', [4]]);
  });

  it('of several scopes take turns, a hundred at a time, one transaction after the other', async () => {
    const { begun, add, end } = heldQueue();
    void add(mine, 0);
    for (let rating = 1; rating <= 250; rating++) void add(mine, rating);
    void add(other, 1_000);
    for (let at = 0; at < 4; at++) {
      expect(begun).toHaveLength(at + 1);
      end(at);
      await turns();
    }
    expect(begun.map(([account, ratings]) => [account, ratings[0], ratings.length])).toEqual([
      ['mine', 0, 1],
      ['mine', 1, 100],
      ['other', 1_000, 1],
      ['mine', 101, 100],
      ['mine', 201, 50],
    ]);
  });

  it('share a failure with the ratings of their transaction, not with others', async () => {
    const { settled, add, end } = heldQueue();
    const all = [add(other, 1), add(mine, 2), add(mine, 3), add(other, 4)];
    end(0);
    await turns();
    end(1, new Error('refused'));
    await turns();
    end(2);
    await Promise.all(all);
    expect(settled).toEqual(['1 stored', '2 refused', '3 refused', '4 stored']);
  });

  it('are all rejected while the database is away, and later ones do not wait for them', async () => {
    const { begun, settled, add, end } = heldQueue();
    const all = [add(other, 1), add(mine, 2), add(other, 3)];
    end(0, new GatewayError('unavailable', 'away'));
    await Promise.all(all);
    expect(settled.sort()).toEqual(['1 away', '2 away', '3 away']);
    await turns();
    const last = add(mine, 4);
    end(1);
    await last;
    expect(begun).toEqual([
      ['other', [1]],
      ['mine', [4]],
    ]);
  });
});
