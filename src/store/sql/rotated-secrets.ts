import type { Kysely } from 'kysely';
import type { KeyRotation } from '../contracts/keys.js';
import { clean } from './columns.js';
import { raiseRevision } from './revisions.js';
import type { StoreTables } from './tables.js';
import { transact } from './transact.js';

/** Gives a key a new secret; the one that it had stays valid for as long as the rotation says. */
export function rotateSecret(
  database: Kysely<StoreTables>,
  id: string,
  { hash, prefix, validUntil }: KeyRotation,
): Promise<void> {
  return transact(database, async (transaction) => {
    const revision = await raiseRevision(transaction, 'keys');
    const key = await transaction
      .selectFrom('api_keys')
      .select('hash')
      .where('id', '=', clean(id))
      .executeTakeFirstOrThrow();
    // a rotation ends what earlier ones left valid for longer
    await transaction
      .updateTable('rotated_secrets')
      .where('key_id', '=', clean(id))
      .where('valid_until', '>', validUntil)
      .set({ valid_until: validUntil })
      .execute();
    await transaction
      .insertInto('rotated_secrets')
      .values({ hash: key.hash, key_id: clean(id), valid_until: validUntil })
      .execute();
    await transaction
      .updateTable('api_keys')
      .where('id', '=', clean(id))
      .set({ hash, prefix, revision })
      .execute();
  });
}
