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

/** Databases that are opened when they are first needed. */
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

/** Where a configuration has its databases. */
interface DatabaseSettings {
  readonly database: { readonly url: string | null; readonly poolSize: number };
  readonly redis: { readonly url: string | null };
}

/** Gets the messages of the databases. */
interface DatabaseLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * The databases that a configuration names, opened when they are first needed; their warnings and
 * news are logged.
 * @param defaultUrl the database if the configuration names none
 */
export const configuredDatabases = (
  { database, redis }: DatabaseSettings,
  defaultUrl: string,
  log: DatabaseLog,
): LazyDatabases =>
  lazyDatabases({
    databaseUrl: database.url ?? defaultUrl,
    poolSize: database.poolSize,
    redisUrl: redis.url,
    onWarning: (warning) => log.warn({}, warning),
    onNews: (news) => log.info({}, news),
  });
