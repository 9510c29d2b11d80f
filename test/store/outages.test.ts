import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import type { AccountRecord } from '../../src/store/contracts/accounts.js';
import type { Store } from '../../src/store/contracts/store.js';
import { type OwnPostgres, startOwnPostgres } from '../helpers/postgres.js';
import { libsqlPlace, type Place } from '../helpers/stores.js';
import { until } from '../helpers/until.js';
import { noUnhandledRejections } from '../helpers/rejections.js';
import { isWholeRun } from '../helpers/runs.js';

noUnhandledRejections();

const signUp = (store: Store): Promise<AccountRecord | null> =>
  store.accounts.create({
    id: randomUUID(),
    email: `${randomUUID()}@example.com`,
    passwordHash: null,
    at: 1,
  });

/** Opens a store and returns the thread that it has started. */
async function opened(open: () => Promise<Store>): Promise<{ store: Store; thread: Worker }> {
  let thread: Worker | undefined;
  const keep = (worker: Worker): void => void (thread = worker);
  process.on('worker', keep);
  const store = await open().finally(() => process.off('worker', keep));
  return { store, thread: thread! };
}

describe('an embedded database whose thread dies', () => {
  let place: Place;
  beforeEach(() => {
    place = libsqlPlace();
    return () => place.remove();
  });

  it('fails what was under way as unavailable, and goes on in a new thread with all that was confirmed', async () => {
    const { store, thread } = await opened(() => place.open());
    const before = await signUp(store);
    const underWay = Promise.allSettled(Array.from({ length: 5 }, () => signUp(store)));
    await thread.terminate();
    const outcomes = await underWay;
    expect(outcomes[0]).toMatchObject({
      status: 'rejected',
      reason: { code: 'unavailable', message: expect.stringContaining('thread has ended') },
    });
    expect(await store.accounts.find(before!.id)).toEqual(before);
    expect(await signUp(store)).toMatchObject({ role: 'member' });
  });

  it('stores nothing of a transaction under way, whose later statements fail too', async () => {
    await place.open();
    const threads: Worker[] = [];
    process.once('worker', (worker) => threads.push(worker));
    const database = place.connect();
    const work = database.transaction().execute(async (transaction) => {
      await sql`update accounts set role = 'half'`.execute(transaction);
      await threads[0]!.terminate();
      await expect(
        sql`update accounts set email = 'half'`.execute(transaction),
      ).rejects.toMatchObject({ code: 'unavailable' });
      await sql`update accounts set disabled_at = 1`.execute(transaction);
    });
    await expect(work).rejects.toMatchObject({ code: 'unavailable' });
    expect(
      (await sql`select role, email, disabled_at from accounts`.execute(database)).rows,
    ).toEqual([{ role: 'admin', email: null, disabled_at: null }]);
  });

  it('does not begin an empty one if its file is gone too', async () => {
    const { store, thread } = await opened(() => place.open());
    const file = place.url.slice('file:'.length);
    rmSync(file);
    await thread.terminate();
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    expect(existsSync(file)).toBe(false);
  });

  it('stays unavailable if it was in memory: it is not replaced by an empty one', async () => {
    const { store, thread } = await opened(() => openStore(':memory:'));
    await signUp(store);
    await thread.terminate();
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(signUp(store)).rejects.toMatchObject({ code: 'unavailable' });
    await store.close();
  });
});

/** Another process that holds the write lock of a database until its input ends. */
async function holdLock(place: Place): Promise<ChildProcess> {
  const script = `const Database = require(process.argv[1]); const database = new Database(process.argv[2]);
    database.exec('begin immediate'); console.log('held'); process.stdin.on('end', () => database.exec('rollback')).resume();`;
  const libsql = createRequire(import.meta.url).resolve('libsql');
  const child = spawn(process.execPath, ['-e', script, libsql, place.url.slice('file:'.length)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe('an embedded database that another process has locked', () => {
  let place: Place;
  let child: ChildProcess | undefined;
  beforeEach(() => (place = libsqlPlace()));
  afterEach(async () => {
    child?.kill('SIGKILL');
    await place.remove();
  });

  it('lets a write wait without blocking the process, and executes it when the lock is free', async () => {
    const store = await place.open();
    child = await holdLock(place);
    let isDone = false;
    const writing = signUp(store).finally(() => (isDone = true));
    // a write that held the process up would be over, one way or the other, after the first of them
    for (let waited = 0; waited < 10; waited++) await wait(50);
    expect(isDone).toBe(false);
    child.stdin!.end();
    expect(await writing).toMatchObject({ role: 'member' });
  });

  it('is unavailable if the lock is not free in time, and works when it is', async () => {
    await place.open();
    const database = place.connect();
    await sql`pragma busy_timeout = 50`.execute(database);
    child = await holdLock(place);
    const write = (): Promise<unknown> =>
      database
        .transaction()
        .execute((transaction) => sql`update accounts set disabled_at = 1`.execute(transaction));
    await expect(write()).rejects.toMatchObject({
      code: 'unavailable',
      cause: { code: 'SQLITE_BUSY' },
    });
    child.stdin!.end();
    await until(() =>
      write().then(
        () => true,
        () => false,
      ),
    );
  });
});

describe('a PostgreSQL that stops', () => {
  let postgres: OwnPostgres;
  const warnings: string[] = [];
  beforeEach(async () => {
    postgres = await startOwnPostgres();
    return () => postgres.remove();
  });

  it('is unavailable, with one warning, and works again when it is back', async () => {
    const store = await openStore(postgres.url, { onWarning: (warning) => warnings.push(warning) });
    const before = await signUp(store);
    await Promise.all(Array.from({ length: 5 }, () => store.ping()));
    const underWay = Promise.allSettled(Array.from({ length: 20 }, () => signUp(store)));
    await postgres.stop();
    for (const outcome of await underWay)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'unavailable' });
    await expect(signUp(store)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^the database cannot be reached: /),
    });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    await postgres.restart();
    await until(() =>
      store.ping().then(
        () => true,
        () => false,
      ),
    );
    expect(await store.accounts.find(before!.id)).toEqual(before);
    expect(await signUp(store)).toMatchObject({ role: 'member' });
    expect(warnings.length).toBeLessThanOrEqual(2);
    await store.close();
  });

  it('does not crash the process when its idle connections are cut', async () => {
    const store = await openStore(postgres.url, { onWarning: (warning) => warnings.push(warning) });
    await Promise.all(Array.from({ length: 5 }, () => store.ping()));
    warnings.length = 0;
    await postgres.restart();
    await until(() => warnings.length > 0);
    await store.ping();
    expect(warnings).toEqual([expect.stringMatching(/^the database cannot be reached: /)]);
    await store.close();
  });

  it.runIf(isWholeRun)(
    'is unavailable within seconds if it accepts connections and does not answer',
    async () => {
      postgres.pause();
      await expect(openStore(postgres.url)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('timeout'),
      });
      postgres.resume();
      await (await openStore(postgres.url)).close();
    },
  );
});
