import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Dialect, Kysely } from 'kysely';
import { LibsqlDialect } from '../../src/store/drivers/libsql/driver.js';
import { makeFolder, openStore } from '../../src/store/open-store.js';
import { postgresDialect } from '../../src/store/drivers/postgres/dialect.js';
import type { StoreTables } from '../../src/store/sql/tables.js';
import type { Store } from '../../src/store/contracts/store.js';
import { openMemoryStore } from './memory-databases.js';
import { freshDatabase } from './postgres.js';
import { isWholeRun } from './runs.js';

/** A database for one suite, empty at first. */
export interface Place {
  url: string;
  /** Opens the store; each call opens another one, as another process would. */
  open(): Promise<Store>;
  /** The database itself, as it is: nothing is migrated. */
  connect(): Kysely<StoreTables>;
  /** Closes all of them and removes the database. */
  remove(): Promise<void>;
}

/** One kind of database. */
export interface StoreRow {
  name: string;
  kind: Store['kind'];
  place(): Promise<Place>;
}

function placeAt(url: string, dialect: () => Dialect, drop: () => Promise<void> | void): Place {
  const opened: { close(): Promise<void> }[] = [];
  return {
    url,
    async open() {
      const store = await openStore(url);
      opened.push(store);
      return store;
    },
    connect() {
      const database = new Kysely<StoreTables>({ dialect: dialect() });
      opened.push({ close: () => database.destroy() });
      return database;
    },
    async remove() {
      await Promise.all(opened.map((each) => each.close()));
      await drop();
    },
  };
}

/** A place on an embedded database, in a new folder. */
export function libsqlPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-store-'));
  const path = join(folder, 'data', 'signalbox.db');
  return placeAt(
    `file:${path}`,
    () => {
      makeFolder(dirname(path));
      return new LibsqlDialect(path);
    },
    () => rmSync(folder, { recursive: true, force: true }),
  );
}

/** A place on the PostgreSQL that the run shares. */
export async function postgresPlace(): Promise<Place> {
  const { url, drop } = await freshDatabase();
  return placeAt(
    url,
    () => postgresDialect(url, { poolSize: 4, onWarning: () => undefined }),
    drop,
  );
}

/** Both kinds of database, for `describe.each`: one contract. */
export const storeRows: readonly StoreRow[] = [
  { name: 'libsql', kind: 'libsql', place: () => Promise.resolve(libsqlPlace()) },
  { name: 'PostgreSQL', kind: 'postgres', place: postgresPlace },
];

/**
 * The same where a file's many tests are about more than the store, whose own tests run on each
 * kind: `npm test` has the embedded one only.
 */
export const storeRowsOfRun = isWholeRun ? storeRows : storeRows.slice(0, 1);

/** A store in memory, for tests that need one and do not care which. */
export const openFreshStore = (): Promise<Store> => openMemoryStore();
