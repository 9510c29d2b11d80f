import { setTimeout as wait } from 'node:timers/promises';

/** The most that such a test takes on a busy machine. */
const neededMs = 15_000;

/** Waits for the next minute if little is left of this one: counts of a minute change at its end. */
export async function withinMinute(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < neededMs) await wait(leftMs);
}
