import type { Store } from '../store/contracts/store.js';

/** `signalbox db migrate`: reports success, because opening the database has migrated it. */
export async function migrateCommand(store: Store): Promise<string> {
  await store.ping();
  return `the ${store.kind === 'libsql' ? 'embedded' : 'PostgreSQL'} database is up to date\n`;
}

/** `signalbox db backup <file>`. @throws Error if the file exists already */
export async function backupCommand(store: Store, file: string): Promise<string> {
  await store.backup(file);
  return `the database was copied to ${file}\n`;
}
