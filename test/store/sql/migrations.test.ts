import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Migration, sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { firstAccountId } from '../../../src/store/contracts/accounts.js';
import { migrateSchema } from '../../../src/store/sql/migrate.js';
import { migrations } from '../../../src/store/sql/migrations.js';
import { openStore } from '../../../src/store/open-store.js';
import { libsqlPlace, type Place, postgresPlace, storeRows } from '../../helpers/stores.js';

const onePage = { limit: 100, cursor: null };
const [baseline = ''] = migrations.keys();
const places: Place[] = [];
const kept = (place: Place): Place => (places.push(place), place);

afterEach(async () => {
  for (const place of places.splice(0)) await place.remove();
});

describe.each(storeRows)('a database of $name', ({ kind, place: newPlace }) => {
  const tables = async (place: Place): Promise<unknown[]> =>
    (
      await sql<{ name: string }>`select name from migrations order by name`.execute(
        place.connect(),
      )
    ).rows.map(({ name }) => name);

  it('has its tables and the first account after it was opened', async () => {
    const store = await kept(await newPlace()).open();
    await store.ping();
    expect(store.kind).toBe(kind);
    expect(await store.accounts.list(onePage)).toMatchObject({
      items: [{ id: firstAccountId, email: null, role: 'admin' }],
      next: null,
    });
  });

  it('keeps its content when it is opened again', async () => {
    const place = kept(await newPlace());
    const store = await place.open();
    await store.accounts.create({ id: 'any', email: 'ada@example.com', passwordHash: null, at: 1 });
    const secret = await store.secret('cookies');
    await store.close();
    const again = await place.open();
    expect(await again.accounts.findByEmail('ada@example.com')).toMatchObject({ id: 'any' });
    expect(await again.secret('cookies')).toEqual(secret);
    expect(secret).toHaveLength(32);
    expect(await again.secret('other')).not.toEqual(secret);
  });

  it('is migrated once when several clients open it at the same time', async () => {
    const place = kept(await newPlace());
    const stores = await Promise.all(Array.from({ length: 6 }, () => place.open()));
    const secrets = await Promise.all(stores.map((store) => store.secret('cookies')));
    expect(new Set(secrets.map(String)).size).toBe(1);
    expect((await stores[5]!.accounts.list(onePage)).items).toHaveLength(1);
    expect(await tables(place)).toEqual([...migrations.keys()]);
  });

  it(
    'is migrated once when several processes open it at the same time',
    { timeout: 120_000 },
    async () => {
      const place = kept(await newPlace());
      const root = join(import.meta.dirname, '../../..');
      const script = `const { openStore } = await import(process.argv[1]); const store = await openStore(process.argv[2]);
      console.log((await store.accounts.create({ id: String(process.pid), email: process.pid + '@example.com', passwordHash: null, at: 1 })).role); await store.close();`;
      const runs = await Promise.all(
        Array.from({ length: 3 }, () =>
          promisify(execFile)(process.execPath, [
            '--import',
            join(root, 'test/lab/typescript.mjs'),
            '--input-type=module',
            '-e',
            script,
            join(root, 'src/store/open-store.ts'),
            place.url,
          ]),
        ),
      );
      expect(runs.map(({ stdout }) => stdout.trim()).sort()).toEqual([
        'member',
        'member',
        'member',
      ]);
      expect(await tables(place)).toEqual([...migrations.keys()]);
    },
  );

  it('is refused and left unchanged if a newer version has migrated it', async () => {
    const place = kept(await newPlace());
    await (await place.open()).close();
    await sql`insert into migrations (name, applied_at) values ('9999-later', 1)`.execute(
      place.connect(),
    );
    await expect(place.open()).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/newer version of Signalbox \(it has 9999-later\)/),
    });
    expect(await tables(place)).toEqual([...migrations.keys(), '9999-later']);
  });

  it('opens with the names of the seventeen migrations of the previous version', async () => {
    const place = kept(await newPlace());
    await (await place.open()).close();
    const earlier = Array.from({ length: 17 }, (_, at) => `${String(at + 1).padStart(4, '0')}-any`);
    for (const name of earlier)
      await sql`insert into migrations (name, applied_at) values (${name}, 1)`.execute(
        place.connect(),
      );
    const store = await place.open();
    expect(await store.accounts.find(firstAccountId)).toMatchObject({ role: 'admin' });
    expect(await tables(place)).toEqual([...earlier, ...migrations.keys()]);
  });

  it('is refused and left unchanged if it lacks the first migration, with what to do', async () => {
    const place = kept(await newPlace());
    await (await place.open()).close();
    await sql`update migrations set name = '0017-packed-periods' where name = ${baseline}`.execute(
      place.connect(),
    );
    await expect(place.open()).rejects.toMatchObject({
      code: 'internal',
      message:
        'the database belongs to a version of Signalbox that is too old (it lacks 0018-cache-savings): start the version before this one with it once, then this one',
    });
    expect(await tables(place)).toEqual([
      '0017-packed-periods',
      ...[...migrations.keys()].slice(1),
    ]);
  });

  it('is migrated from an earlier version to the newest, once', async () => {
    const place = kept(await newPlace());
    await (await place.open()).close();
    let runs = 0;
    const later: Migration = {
      async up(database) {
        runs++;
        await sql`alter table accounts add column nickname text`.execute(database);
      },
    };
    const all = new Map([...migrations, ['0999-nickname', later]]);
    await migrateSchema(place.connect(), kind, all);
    await migrateSchema(place.connect(), kind, all);
    expect(runs).toBe(1);
    expect((await sql`select nickname from accounts`.execute(place.connect())).rows).toEqual([
      { nickname: null },
    ]);
  });

  it('is unchanged after a migration that failed', async () => {
    const place = kept(await newPlace());
    await (await place.open()).close();
    const broken: Migration = {
      async up(database) {
        await sql`create table half (id text)`.execute(database);
        await sql`update accounts set role = 'none'`.execute(database);
        throw new Error('on purpose');
      },
    };
    await expect(
      migrateSchema(place.connect(), kind, new Map([...migrations, ['0999-broken', broken]])),
    ).rejects.toThrow('on purpose');
    await expect(sql`select * from half`.execute(place.connect())).rejects.toMatchObject({
      code: 'internal',
    });
    const store = await place.open();
    expect(await store.accounts.find(firstAccountId)).toMatchObject({ role: 'admin' });
  });
});

describe('the address of a database', () => {
  it.each([
    'mysql://root:hush@localhost/x',
    'data.db',
    'file:',
    '',
    'file://elsewhere/data.db',
    'postgres://ada:hu#sh@localhost/x',
    'postgres://ada:hu/sh@localhost/x',
    'postgres://ada:hu?sh@localhost/x',
    'postgres://ada:hush@loc alhost:x/x',
  ])('is refused with a reason that repeats no password: %j', async (url) => {
    const error: unknown = await openStore(url).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/^database\.url: /),
    });
    expect(String(error)).not.toMatch(/hu.?sh/);
  });

  it('of an unreachable PostgreSQL gives unavailable, without its credentials', async () => {
    const error: unknown = await openStore('postgres://ada:hush@127.0.0.1:1/signalbox').catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^the database cannot be reached: .*ECONNREFUSED/),
    });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toMatch(/hush|ada/);
  });

  it('with a wrong password gives unavailable, without the credentials', async () => {
    const url = new URL(kept(await postgresPlace()).url);
    url.username = 'ada';
    url.password = 'hush';
    const error: unknown = await openStore(url.href).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^the database cannot be reached: it rejects the credentials/),
    });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toMatch(/hush|ada/);
  });

  it('of a file that cannot be created gives unavailable, and opens as soon as it can', async () => {
    const place = kept(libsqlPlace());
    await (await place.open()).close();
    const file = join(dirname(place.url.slice('file:'.length)), 'a-file');
    writeFileSync(file, '');
    await expect(openStore(`file:${file}/signalbox.db`)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^the database cannot be reached: /),
    });
  });

  it('of a new file creates a folder and a file that only their owner can read', async () => {
    const place = kept(libsqlPlace());
    await place.open();
    const file = place.url.slice('file:'.length);
    expect(
      [dirname(file), file, `${file}-wal`].map((path) => (statSync(path).mode & 0o777).toString(8)),
    ).toEqual(['700', '600', '600']);
  });

  it('of a file that is not a database is refused, and the file is left unchanged', async () => {
    const place = kept(libsqlPlace());
    await (await place.open()).close();
    const file = join(dirname(place.url.slice('file:'.length)), 'letter.txt');
    writeFileSync(file, 'Dear Ada, this is not a database. '.repeat(100));
    await expect(openStore(`file:${file}`)).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('SQLITE_NOTADB'),
    });
    expect(statSync(file).size).toBe(3_400);
  });
});
