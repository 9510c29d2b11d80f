import { runSql } from './own-postgres.js';
import { provision } from './provisions.js';

export { type OwnPostgres, startOwnPostgres } from './own-postgres.js';

/** The PostgreSQL that all test files of the run share. Do not stop it. */
export interface RunningPostgres {
  /** The URL of the server's default database. Tests make nothing there. */
  url: string;
}

/** A database for one suite. */
export interface FreshDatabase {
  url: string;
  /** Cuts its connections and removes it. */
  drop(): Promise<void>;
}

/** The PostgreSQL of `DATABASE_URL`, or one that starts at the first call and ends with the run. */
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
