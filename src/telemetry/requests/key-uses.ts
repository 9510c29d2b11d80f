import { MergingQueue } from '../../async/merging-queue.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';

const writeEveryMs = 60_000;
const maxKeys = 100_000;
const maxBatch = 10_000;

/** When issued keys were last used; written once a minute. */
export class KeyUses {
  private readonly queue: MergingQueue<number>;

  /** @param everyMs how long uses are gathered before they are written */
  constructor(databases: LazyDatabases, everyMs = writeEveryMs) {
    this.queue = new MergingQueue<number>({
      maxItems: maxKeys,
      maxBatch,
      delayMs: everyMs,
      backoff: { firstMs: everyMs, maxMs: everyMs },
      merge: Math.max,
      // not reported: the next use of the key makes up for it
      onLost: () => undefined,
      async write(usedAt) {
        const { store } = await databases.get();
        await store.keys.touch(usedAt);
      },
    });
  }

  /** Marks a key as used just now. Keys that the configuration fixes have no row to update. */
  mark(keyId: string): void {
    if (!keyId.startsWith('fixed:')) this.queue.add(keyId, Date.now());
  }

  /** Writes what has been marked so far. False if that took longer; it will still be written. */
  flush(limitMs: number): Promise<boolean> {
    return this.queue.flush(limitMs);
  }

  /** Writes what it can within the limit, and stops. */
  close(limitMs: number): Promise<void> {
    return this.queue.close(limitMs);
  }
}
