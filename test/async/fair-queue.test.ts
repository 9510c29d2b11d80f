import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/async/fair-queue.js';
import { GatewayError } from '../../src/errors.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue whose work ends when the test says so. */
function watched(bounds: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  const queue = new FairQueue({
    maxRunning: 1,
    maxRunningPerNetwork: 1,
    maxWaiting: 4,
    maxWaitingPerNetwork: 3,
    refusal: () => new GatewayError('unavailable', 'no place'),
    ...bounds,
  });
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const add = (name: string, network: string, address = network): void => {
    const work = (): Promise<void> => {
      begun.push(name);
      return new Promise((resolve) => ends.push(resolve));
    };
    queue.run({ network, address }, work).catch(() => refused.push(name));
  };
  const endAll = async (): Promise<string[]> => {
    await turn();
    while (ends.length > 0) {
      ends.shift()!();
      await turn();
    }
    return begun;
  };
  return { queue, begun, refused, add, endAll };
}

describe('work of several networks', () => {
  it('is done in turns, not in the order in which it came', async () => {
    const { add, endAll } = watched();
    for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, 'a');
    add('b1', 'b');
    expect(await endAll()).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('is done in turns by address within one network', async () => {
    const { add, endAll } = watched();
    for (const name of ['a1', 'a2', 'a3']) add(name, 'n', 'a');
    add('b1', 'n', 'b');
    expect(await endAll()).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('leaves places free that one network alone may not use', async () => {
    const { add, begun, endAll } = watched({ maxRunning: 3, maxRunningPerNetwork: 2 });
    for (const name of ['a1', 'a2', 'a3']) add(name, 'a');
    add('b1', 'b');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    expect(await endAll()).toEqual(['a1', 'a2', 'b1', 'a3']);
  });
});

describe('a queue that is full', () => {
  it('refuses more of a network that has its share', async () => {
    const { add, refused, endAll } = watched();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) add(name, 'a');
    await turn();
    expect(refused).toEqual(['a5']);
    await endAll();
  });

  it('gives a place of the network with the most to one with less', async () => {
    const { add, refused, endAll } = watched();
    for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, 'a');
    add('b1', 'b');
    add('c1', 'c');
    add('d1', 'd');
    add('e1', 'e');
    await turn();
    expect(refused).toEqual(['a4', 'a3', 'e1']);
    expect(await endAll()).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
  });

  it('refuses a newcomer where all have one place', async () => {
    const { add, refused, endAll } = watched({ maxWaiting: 2 });
    for (const name of ['a', 'b', 'c', 'd']) add(name, name);
    await turn();
    expect(refused).toEqual(['d']);
    expect(await endAll()).toEqual(['a', 'b', 'c']);
  });
});

it('goes on after work that fails, and remembers no network when all is done', async () => {
  const { queue, add, endAll } = watched({ maxWaiting: 1 });
  const failed = queue.run({ network: 'a', address: 'a' }, () => Promise.reject(new Error('bad')));
  for (const name of ['b', 'refused']) add(name, name);
  await expect(failed).rejects.toThrow('bad');
  expect(await endAll()).toEqual(['b']);
  expect(Reflect.get(queue, 'networks')).toEqual(new Map());
});
