import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freshDatabase } from './postgres.js';
import { isWholeRun } from './runs.js';

/** A database for one test file, as `database.url` of a configuration. */
export interface TestDatabase {
  readonly url: string;
  /** The whole content as text, to search for what must not be stored. */
  text(): Promise<string>;
  drop(): Promise<void>;
}

/** Makes one of each kind; for `describe.each`. */
export const databases: readonly (readonly [name: string, make: () => Promise<TestDatabase>])[] = [
  ['libsql', embedded],
  ['PostgreSQL', postgres],
];

/**
 * The same where a file's many tests are about more than the database, whose own tests run on each
 * kind: `npm test` has the embedded one only.
 */
export const databasesOfRun = isWholeRun ? databases : databases.slice(0, 1);

function embedded(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-database-'));
  return Promise.resolve({
    url: `file:${join(folder, 'signalbox.db')}`,
    // the files beside it hold the latest writes
    text: () =>
      Promise.resolve(
        readdirSync(folder)
          .map((file) => readFileSync(join(folder, file), 'latin1'))
          .join(''),
      ),
    drop() {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  });
}

async function postgres(): Promise<TestDatabase> {
  const { url, drop } = await freshDatabase();
  return { url, drop, text: () => everyRow(url) };
}

async function everyRow(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    let text = '';
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(
        `select t::text as line from "${name}" t`,
      );
      text += rows.map(({ line }) => line).join('\n');
    }
    return text;
  } finally {
    await client.end();
  }
}
