import { describe, expect, it } from 'vitest';
import { BackgroundTasks } from '../../src/accounts/account-context.js';

describe('background tasks', () => {
  it('begin after the current turn of the event loop, and are waited for', async () => {
    const backgroundTasks = new BackgroundTasks();
    const done: string[] = [];
    backgroundTasks.run(
      async () => void done.push('first'),
      () => undefined,
    );
    backgroundTasks.run(
      async () =>
        backgroundTasks.run(
          async () => void done.push('from within'),
          () => undefined,
        ),
      () => undefined,
    );
    expect(done).toEqual([]);
    await backgroundTasks.done();
    expect(done).toEqual(['first', 'from within']);
  });

  it('that fail are reported, without other consequences', async () => {
    const backgroundTasks = new BackgroundTasks();
    const heard: unknown[] = [];
    backgroundTasks.run(
      () => Promise.reject(new Error('no mail today')),
      (error) => void heard.push(error),
    );
    await backgroundTasks.done();
    expect(heard).toEqual([new Error('no mail today')]);
  });

  it('are refused beyond a hundred', async () => {
    const backgroundTasks = new BackgroundTasks();
    const ends: (() => void)[] = [];
    let refused = 0;
    for (let index = 0; index < 105; index++)
      backgroundTasks.run(
        () => new Promise((resolve) => ends.push(resolve)),
        () => refused++,
      );
    expect(refused).toBe(5);
    await new Promise((resolve) => setImmediate(resolve));
    for (const end of ends) end();
    await backgroundTasks.done();
    expect(ends).toHaveLength(100);
  });
});
