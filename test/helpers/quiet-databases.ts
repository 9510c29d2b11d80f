import type { LazyDatabases } from '../../src/store/lazy-databases.js';
import { configuredDatabases } from '../../src/store/open-databases.js';

const log = { info: () => undefined, warn: () => undefined };

/** The databases at an address, without Redis; they log nothing. */
export const quietDatabases = (url = ':memory:', poolSize = 1): LazyDatabases =>
  configuredDatabases({ database: { url, poolSize }, redis: { url: null } }, url, log);
