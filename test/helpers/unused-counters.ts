import type { Counters } from '../../src/store/contracts/counters.js';

const unused = (): never => {
  throw new Error('nothing is counted here');
};

/** For what needs a store alone. */
export const unusedCounters: Counters = {
  state: 'memory',
  bulletin: { tell: unused, hear: unused },
  take: unused,
  seed: unused,
  fail: unused,
  patience: unused,
  forgive: unused,
  notes: { add: unused, read: unused },
  close: () => Promise.resolve(),
};
