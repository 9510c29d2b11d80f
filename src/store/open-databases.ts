import { LazyDatabases } from './lazy-databases.js';
import { openCounters } from './open-counters.js';
import { openStore } from './open-store.js';

/** Which databases, and where what they tell goes. */
export interface DatabaseOptions {
  /** `file:<path>`, `:memory:` or `postgres://…` */
  readonly databaseUrl: string;
  readonly poolSize: number;
  /** `redis://…`; null: numbers are kept in this process. */
  readonly redisUrl: string | null;
  readonly onWarning: (warning: string) => void;
  /** What is good to know and no warning. */
  readonly onNews?: (news: string) => void;
}

/** The databases that a configuration names, opened when they are first needed. */
export function lazyDatabases({
  databaseUrl,
  poolSize,
  redisUrl,
  onWarning,
  onNews = () => undefined,
}: DatabaseOptions): LazyDatabases {
  const open = async (): Promise<{
    store: Awaited<ReturnType<typeof openStore>>;
    counters: Awaited<ReturnType<typeof openCounters>>;
  }> => {
    const store = await openStore(databaseUrl, { poolSize, onWarning });
    try {
      return { store, counters: await openCounters(redisUrl, { onWarning, onNews }) };
    } catch (error) {
      // whoever asks again opens another one
      await store.close();
      throw error;
    }
  };
  return new LazyDatabases(open, databaseUrl === ':memory:');
}
