import type { Counters, Verdict } from '../../contracts/counters.js';
import { MemoryFailures } from './failures.js';
import { MemoryLimits } from './limits.js';
import { MemoryRecentLists } from './recent-lists.js';

/** Counters that answer at once. */
export interface MemoryCounters extends Counters {
  take(claims: Parameters<Counters['take']>[0]): Verdict;
  seed(...seed: Parameters<Counters['seed']>): void;
}

/**
 * Counters of one process: nothing outlives it, nobody else hears its bulletin, and what is over is forgotten.
 * @param options.now epoch ms
 */
export function createMemoryCounters({
  now = Date.now,
}: { readonly now?: () => number } = {}): MemoryCounters {
  const limits = new MemoryLimits(now);
  const failures = new MemoryFailures(now);
  return {
    state: 'memory',
    bulletin: { tell: () => undefined, hear: () => undefined },
    notes: new MemoryRecentLists(now),
    take: (claims) => limits.take(claims),
    seed: (claim, used) => limits.seed(claim, used),
    fail: (subject) => Promise.resolve(failures.fail(subject)),
    patience: (subject) => Promise.resolve(failures.patience(subject)),
    forgive(subject) {
      failures.forgive(subject);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
