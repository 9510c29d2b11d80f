import { runSql } from './own-postgres.js';
import { provision } from './provisions.js';

export { type OwnPostgres, startOwnPostgres } from './own-postgres.js';

/** A PostgreSQL that all test files of the run share; it is not to be stopped. */
export interface RunningPostgres {
  /** Of the server's own database, in which a test makes nothing. */
  url: string;
}

/** A database of a suite's own. */
export interface FreshDatabase {
  url: string;
  /** Cuts its connections and removes it. */
  drop(): Promise<void>;
}

/** The PostgreSQL that `DATABASE_URL` names, or one that is started for the first who asks and ended with the run. */
export async function startPostgres(): Promise<RunningPostgres> {
  return { url: await provision('postgres') };
}

/** Makes an empty database on the shared PostgreSQL. The run's end removes what was not dropped. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const url = await provision('database');
  const name = new URL(url).pathname.slice(1);
  return {
    url,
    drop: async () =>
      runSql((await startPostgres()).url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}
