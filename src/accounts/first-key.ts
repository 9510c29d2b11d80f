import { randomUUID } from 'node:crypto';
import { firstAccountId, noLimits } from '../store/contracts/accounts.js';
import { type KeyRecord, type NewKey, scopes } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';
import { hashKey, newKey } from './static-keys.js';
import { GatewayError } from '../errors.js';
import { refusalOf } from './caller.js';

/** How many characters of a key are stored, for its owner to know it by: `sk_` and 48 bits. */
const prefixLength = 11;

/** A key to issue to an account, with every scope and no limits unless `more` says otherwise. */
export const keyFor = (
  accountId: string,
  name: string,
  key: string,
  more: Partial<NewKey> = {},
): NewKey => ({
  id: randomUUID(),
  accountId,
  name,
  ...newSecret(key),
  scopes,
  models: null,
  toolkits: [],
  economy: null,
  limits: noLimits,
  createdAt: Date.now(),
  expiresAt: null,
  ...more,
});

/** What is stored of a key itself. */
export const newSecret = (key: string): Pick<NewKey, 'prefix' | 'hash'> => ({
  prefix: key.slice(0, prefixLength),
  hash: hashKey(key),
});

/** Issues the first key, to the first account. @returns what is stored; null if there are keys */
export const makeFirstKey = (store: Store, key: string): Promise<KeyRecord | null> =>
  store.keys.addFirst(keyFor(firstAccountId, 'first', key));

/** How long the old secret works beside the new one, unless a rotation says otherwise. */
const defaultOverlapSeconds = 86_400;

/** The longest overlap, 30 days. */
export const maxOverlapSeconds = 30 * 86_400;

/** Whose key, and how long its old secret stays valid. */
export interface KeyRotationRequest {
  readonly id: string;
  /** The account that must own the key; null: any. */
  readonly accountId: string | null;
  /** 0: the old secret ends at once. Default: a day. */
  readonly overlapSeconds?: number | null;
}

/**
 * Gives a key a new secret. Its id, name, limits, budgets and usage stay. The old secret works until
 * the overlap ends, those of earlier rotations no longer than that.
 * @returns the key's record and the new secret, of which only the hash is stored
 * @throws GatewayError `not_found`, `conflict` for a key that may not be used any more
 */
export async function rotateKey(
  { keys }: Pick<Store, 'keys'>,
  { id, accountId, overlapSeconds }: KeyRotationRequest,
): Promise<{ record: KeyRecord; key: string }> {
  const now = Date.now();
  const before = await keys.find(accountId, id);
  const refusal = before && refusalOf(before, now);
  if (refusal) throw new GatewayError('conflict', refusal);
  const key = newKey();
  const validUntil = now + (overlapSeconds ?? defaultOverlapSeconds) * 1_000;
  const record = before && (await keys.rotate(accountId, id, { ...newSecret(key), validUntil }));
  if (!record) throw new GatewayError('not_found', 'key: not found');
  return { record, key };
}
