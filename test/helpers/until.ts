import { setTimeout as wait } from 'node:timers/promises';

/** Only ends what would never end: on a busy machine a second's work may take twenty. */
const giveUpMs = 60_000;

/**
 * Waits until a condition holds; asks every 20 ms.
 * @throws Error if it does not within a minute
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + giveUpMs;
  while (!(await holds())) {
    if (performance.now() > end)
      throw new Error(`the condition did not hold within ${giveUpMs} ms: ${holds.toString()}`);
    await wait(20);
  }
}
