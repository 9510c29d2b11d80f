import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { StoreTables } from './tables.js';

/** 32 random bytes by name; the first process that asks generates them. */
export async function readSecret(database: Kysely<StoreTables>, name: string): Promise<Buffer> {
  const stored = await find(database, name);
  if (stored !== undefined) return stored;
  await database
    .insertInto('secrets')
    .values({ name, value: randomBytes(32).toString('hex') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await find(database, name))!;
}

async function find(database: Kysely<StoreTables>, name: string): Promise<Buffer | undefined> {
  const row = await database
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? undefined : Buffer.from(row.value, 'hex');
}
