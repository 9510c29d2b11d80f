import type { Counters } from '../../contracts/counters.js';
import { MemoryAnswerLogs } from './answer-logs.js';
import { MemoryFailures } from './failures.js';
import { MemoryLimits } from './limits.js';
import { MemoryRecentLists } from './recent-lists.js';

/**
 * Counters of one process: they end with it, and `pubSub` has no other subscribers.
 * @param options.now epoch ms, for tests
 */
export function createMemoryCounters({
  now = Date.now,
}: { readonly now?: () => number } = {}): Counters {
  const limits = new MemoryLimits(now);
  const failures = new MemoryFailures(now);
  return {
    state: 'memory',
    pubSub: { publish: () => undefined, subscribe: () => undefined },
    recentLists: new MemoryRecentLists(now),
    // monotonic: a clock that is set forward must not forget answers under way and their keys
    answerLogs: new MemoryAnswerLogs(() => performance.now()),
    reserve: (charges) => Promise.resolve(limits.reserve(charges)),
    setSpent(charge, used) {
      limits.setSpent(charge, used);
      return Promise.resolve();
    },
    countFailure: (subject) => Promise.resolve(failures.countFailure(subject)),
    loginBackoff: (subject) => Promise.resolve(failures.loginBackoff(subject)),
    clearFailures(subject) {
      failures.clearFailures(subject);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
