import type { Counters } from '../../src/store/contracts/counters.js';

const unused = (): never => {
  throw new Error('nothing is counted here');
};

/** For what needs a store alone. */
export const unusedCounters: Counters = {
  state: 'memory',
  pubSub: { publish: unused, subscribe: unused },
  reserve: unused,
  setSpent: unused,
  countFailure: unused,
  loginBackoff: unused,
  clearFailures: unused,
  recentLists: { add: unused, read: unused },
  close: () => Promise.resolve(),
};
