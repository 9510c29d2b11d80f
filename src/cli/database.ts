import type { Store } from '../store/contracts/store.js';

/** `signalbox db migrate`: opening the database has migrated it. */
export async function migrate(store: Store): Promise<string> {
  await store.ping();
  return `the ${store.kind === 'libsql' ? 'embedded' : 'PostgreSQL'} database is up to date\n`;
}

/** `signalbox db backup <file>`. @throws Error where no file is named, or it is there already */
export async function backup(store: Store, file: string | undefined): Promise<string> {
  if (!file) throw new Error('db backup: the file to write is needed');
  await store.backup(file);
  return `the database was copied to ${file}\n`;
}
