import { LazyDatabases } from './lazy-databases.js';
import { openCounters } from './open-counters.js';
import { openStore } from './open-store.js';

/** The addresses of the databases, and where messages go. */
export interface DatabaseOptions {
  /** `file:<path>`, `:memory:` or `postgres://…` */
  readonly databaseUrl: string;
  readonly poolSize: number;
  /** `redis://…`; null: counters are kept in this process. */
  readonly redisUrl: string | null;
  readonly onWarning: (warning: string) => void;
  /** Gets messages that are no warnings. */
  readonly onNews?: (news: string) => void;
}

/** The databases of a configuration, opened when they are first needed. */
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
      // the next call of `get` opens another one
      await store.close();
      throw error;
    }
  };
  return new LazyDatabases(open, databaseUrl === ':memory:');
}
