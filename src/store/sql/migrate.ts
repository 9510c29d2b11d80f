import { type Kysely, type Migration, sql, type Transaction } from 'kysely';
import { GatewayError } from '../../errors.js';
import { migrations as known } from './migrations.js';

/** A number that no other program is likely to use as an advisory lock. */
const lock = 5_162_027_541;

/**
 * Brings a database of the previous version or a later one to the newest schema. One process at a
 * time: others wait and then find nothing to do. All or nothing: after a failure the database is
 * unchanged.
 * @throws GatewayError `internal` if a newer version of the program has migrated the database, or
 * if it is older than the first migration
 */
export async function migrateSchema<T>(
  database: Kysely<T>,
  kind: 'libsql' | 'postgres',
  migrations: ReadonlyMap<string, Migration> = known,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    // a transaction locks the embedded database anyway
    if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${lock})`.execute(transaction);
    const done = await applied(transaction);
    refuseOthers(done, migrations);
    for (const [name, migration] of migrations) {
      if (done.has(name)) continue;
      await migration.up(transaction);
      await sql`insert into migrations (name, applied_at) values (${name}, ${Date.now()})`.execute(
        transaction,
      );
    }
  });
}

async function applied<T>(transaction: Transaction<T>): Promise<ReadonlySet<string>> {
  await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(
    transaction,
  );
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(transaction);
  return new Set(rows.map(({ name }) => name));
}

/** Names are numbered, so they sort by age. */
function refuseOthers(done: ReadonlySet<string>, migrations: ReadonlyMap<string, Migration>): void {
  const [first = ''] = migrations.keys();
  const newer = [...done].filter((name) => !migrations.has(name) && name > first);
  if (newer.length > 0)
    throw new GatewayError(
      'internal',
      `the database belongs to a newer version of Signalbox (it has ${newer.join(', ')}): start that version, or restore a backup`,
    );
  if (done.size > 0 && !done.has(first))
    throw new GatewayError(
      'internal',
      `the database belongs to a version of Signalbox that is too old (it lacks ${first}): start the version before this one with it once, then this one`,
    );
}
