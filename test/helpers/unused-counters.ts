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
  answerLogs: {
    isShared: false,
    append: unused,
    read: unused,
    claim: unused,
    set: unused,
    get: unused,
    expire: unused,
  },
  recentLists: { add: unused, read: unused },
  close: () => Promise.resolve(),
};
