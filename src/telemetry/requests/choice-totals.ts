import { MergingQueue } from '../../async/merging-queue.js';
import type { ChosenSums, NewChoice } from '../../store/contracts/choices.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import { addSums, type Chosen, keyOfChoice, withChoice } from '../../store/sum-choices.js';
import type { WriteBehindReport } from '../../store/write-behind.js';

/**
 * How long sums wait: the longer, the more choices of a key share one write. Written with each
 * batch of requests, they took several times as long as the requests themselves (2026-11-22).
 */
const everyMs = 30_000;
/** How many groups of sums may wait, and how many are written in one transaction. */
const maxGroups = 10_000;
const maxBatch = 50;

/**
 * Adds up choices in memory, by day, key, preference and chosen model, and adds them twice a minute
 * to the stored sums. If the process crashes, waiting choices are lost; if the confirmation of a
 * write is lost, its choices are counted twice.
 */
export class ChoiceTotals extends MergingQueue<ChosenSums> {
  constructor(databases: LazyDatabases, report: WriteBehindReport) {
    super({
      maxItems: maxGroups,
      maxBatch,
      delayMs: everyMs,
      backoff: { firstMs: everyMs, maxMs: everyMs },
      merge: addSums,
      write: async (sums) => {
        const { store } = await databases.get();
        await store.choices.add([...sums.values()]);
      },
      onLost: (keys) => {
        report.lost('choices', keys.length);
        report.warn(`sums of choices are lost: savings miss some of the last requests`);
      },
    });
  }

  /** Counts a choice, and uncounts the one that it replaces. Never throws. */
  count({ choice, ...whose }: Chosen): void {
    this.addOne(whose, choice, 1);
    if (choice.replaces) this.addOne(whose, choice.replaces, -1);
  }

  private addOne(whose: Omit<Chosen, 'choice'>, choice: NewChoice, sign: 1 | -1): void {
    const day = new Date(whose.at).toISOString().slice(0, 10);
    this.update(keyOfChoice(whose, choice, day), (sums) =>
      withChoice(sums, whose, choice, day, sign),
    );
  }
}
