import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';
import { libsqlPlace, openFreshStore, type Place, postgresPlace } from '../helpers/stores.js';

/** Opens a database file as the command line does beside a server, and closes it again. */
function askFromAnotherProcess(path: string, query: string): unknown {
  const script = `import Database from 'libsql'; const database = new Database(process.argv[1]); console.log(JSON.stringify(database.prepare(process.argv[2]).all())); database.close();`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script, path, query], {
      encoding: 'utf8',
    }),
  );
}

const signUp = (store: Store, email: string): Promise<unknown> =>
  store.accounts.create({ id: randomUUID(), email, passwordHash: null, at: 1 });

describe('a backup of an embedded database', () => {
  let place: Place;
  let store: Store;
  let file: string;
  beforeEach(async () => {
    place = libsqlPlace();
    store = await place.open();
    file = join(dirname(place.url.slice('file:'.length)), "it's a backup.db");
    await signUp(store, 'ada@example.com');
  });
  afterEach(() => place.remove());

  it('is a database with the whole content, which only its owner can read', async () => {
    await store.backup(file);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    const copy = await openStore(`file:${file}`);
    expect(await copy.accounts.findByEmail('ada@example.com')).toMatchObject({ role: 'member' });
    await copy.close();
  });

  it('is made while the database is written to, and is complete', async () => {
    const progress = { isDone: false };
    const writing = (async () => {
      for (let index = 0; !progress.isDone; index++) await signUp(store, `${index}@example.com`);
    })();
    await store.backup(file);
    progress.isDone = true;
    await writing;
    const copy = await openStore(`file:${file}`);
    expect((await copy.accounts.list({ limit: 100, cursor: null })).items.length).toBeGreaterThan(
      0,
    );
    await copy.close();
  });

  it('leaves the database intact: what is stored afterwards is there even if another process has opened and closed it', async () => {
    const path = place.url.slice('file:'.length);
    await store.backup(file);
    askFromAnotherProcess(path, 'select count(*) from accounts');
    await signUp(store, 'grace@example.com');
    expect(askFromAnotherProcess(path, 'select email from accounts order by email')).toEqual([
      { email: null },
      { email: 'ada@example.com' },
      { email: 'grace@example.com' },
    ]);
  });

  it('overwrites no file', async () => {
    writeFileSync(file, 'precious');
    await expect(store.backup(file)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(file),
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    await expect(store.backup(place.url.slice('file:'.length))).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('leaves no file if it cannot be written', async () => {
    const missing = join(file, 'no', 'such.db');
    await expect(store.backup(missing)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('ENOENT'),
    });
    expect(existsSync(missing)).toBe(false);
    await store.ping();
  });

  it('of a database in memory is a database too', async () => {
    const memory = await openFreshStore();
    await signUp(memory, 'grace@example.com');
    await memory.backup(file);
    await memory.close();
    const copy = await openStore(`file:${file}`);
    expect(await copy.accounts.findByEmail('grace@example.com')).not.toBeNull();
    await copy.close();
  });
});

describe('closing', () => {
  it('leaves an embedded database in one file', async () => {
    const place = libsqlPlace();
    const store = await place.open();
    await signUp(store, 'ada@example.com');
    await store.close();
    const file = place.url.slice('file:'.length);
    expect(
      readdirSync(dirname(file)).filter(
        (name) => statSync(join(dirname(file), name)).size > 0 && !name.endsWith('-shm'),
      ),
    ).toEqual(['signalbox.db']);
    await place.remove();
  });
});

describe('a backup of PostgreSQL', () => {
  it('is not implemented, because it has its own tools', async () => {
    const place = await postgresPlace();
    await expect((await place.open()).backup('/nowhere')).rejects.toMatchObject({
      code: 'not_implemented',
      message: expect.stringContaining('pg_dump'),
    });
    await place.remove();
  });
});
