import { Backing } from './backing.js';
import { openCounters } from './open-counters.js';
import { openStore } from './open-store.js';

/** Which databases, and where warnings of them go. */
export interface BackingOptions {
  /** `file:<path>`, `:memory:` or `postgres://…` */
  readonly databaseUrl: string;
  readonly poolSize: number;
  /** `redis://…`; null: numbers are kept in this process. */
  readonly redisUrl: string | null;
  readonly onWarning: (warning: string) => void;
}

/** The databases that a configuration names, opened when they are first needed. */
export function backingOf({ databaseUrl, poolSize, redisUrl, onWarning }: BackingOptions): Backing {
  const open = async (): Promise<{ store: Awaited<ReturnType<typeof openStore>>; counters: Awaited<ReturnType<typeof openCounters>> }> => {
    const store = await openStore(databaseUrl, { poolSize, onWarning });
    return { store, counters: await openCounters(redisUrl, { onWarning }) };
  };
  return new Backing(open, databaseUrl === ':memory:');
}
