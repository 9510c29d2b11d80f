import { describe, expect, it } from 'vitest';
import { BackgroundTasks } from '../../src/accounts/background-tasks.js';

describe('errands', () => {
  it('begin after the turn in which they were given, and are waited for', async () => {
    const errands = new BackgroundTasks();
    const done: string[] = [];
    errands.run(
      async () => void done.push('first'),
      () => undefined,
    );
    errands.run(
      async () =>
        errands.run(
          async () => void done.push('from within'),
          () => undefined,
        ),
      () => undefined,
    );
    expect(done).toEqual([]);
    await errands.done();
    expect(done).toEqual(['first', 'from within']);
  });

  it('that fail are heard of, and nothing else comes of it', async () => {
    const errands = new BackgroundTasks();
    const heard: unknown[] = [];
    errands.run(
      () => Promise.reject(new Error('no mail today')),
      (error) => void heard.push(error),
    );
    await errands.done();
    expect(heard).toEqual([new Error('no mail today')]);
  });

  it('are not begun beyond a hundred', async () => {
    const errands = new BackgroundTasks();
    const ends: (() => void)[] = [];
    let refused = 0;
    for (let index = 0; index < 105; index++)
      errands.run(
        () => new Promise((resolve) => ends.push(resolve)),
        () => refused++,
      );
    expect(refused).toBe(5);
    await new Promise((resolve) => setImmediate(resolve));
    for (const end of ends) end();
    await errands.done();
    expect(ends).toHaveLength(100);
  });
});
