import { setTimeout as wait } from 'node:timers/promises';

/** Waits until a condition holds, asking every 20 ms. @throws Error where it does not within the time, in ms */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end)
      throw new Error(`it did not come true within ${withinMs} ms: ${holds.toString()}`);
    await wait(20);
  }
}
