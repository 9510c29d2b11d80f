import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSql } from '../../../helpers/own-postgres.js';
import { startPostgres } from '../../../helpers/postgres.js';
import { type Place, postgresPlace } from '../../../helpers/stores.js';

describe('a PostgreSQL that changes its role', () => {
  let place: Place;
  beforeAll(async () => void (place = await postgresPlace()));
  afterAll(() => place.remove());
  const name = (): string => new URL(place.url).pathname.slice(1);
  const signUp = { email: 'ada@example.com', passwordHash: null, at: 1 };

  it('is asked on a new connection after one has led to a read-only server', async () => {
    const store = await place.open();
    await runSql(place.url, `alter database ${name()} set default_transaction_read_only = on`);
    await runSql(
      place.url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await store.ping().catch(() => undefined);
    await expect(store.accounts.create({ id: randomUUID(), ...signUp })).rejects.toMatchObject({
      code: 'unavailable',
    });
    // connections from before keep their setting
    await runSql(
      (await startPostgres()).url,
      `alter database ${name()} reset default_transaction_read_only`,
    );
    expect(await store.accounts.create({ id: randomUUID(), ...signUp })).toMatchObject({
      role: 'member',
    });
  });
});

describe('a transaction whose process has vanished', () => {
  let place: Place;
  beforeAll(async () => void (place = await postgresPlace()));
  afterAll(() => place.remove());

  it('is ended by PostgreSQL before it delays the others for long', async () => {
    await place.open();
    const { rows } = await sql<{
      ms: number;
    }>`select setting::int as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`.execute(
      place.connect(),
    );
    expect(rows[0]!.ms).toBeGreaterThan(0);
    expect(rows[0]!.ms).toBeLessThanOrEqual(60_000);
  });
});
