import { defaultScopes } from '../accounts/caller.js';
import { keyFor } from '../accounts/first-key.js';
import { rotateKey } from '../accounts/rotate-key.js';
import { newKey } from '../accounts/static-keys.js';
import { type DoneAct, keyCreated } from '../accounts/write-act.js';
import { GatewayError, invalidField } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { Act } from '../store/contracts/audit.js';
import { type KeyLimits, noLimits } from '../store/contracts/key-limits.js';
import type { KeyChanges, KeyRecord, Scope } from '../store/contracts/keys.js';
import type { PageRequest } from '../store/contracts/page.js';
import type { Acting } from './acting.js';
import { isoOf, isoOrNull, type List, listOf } from './page-request.js';

/** What a new key allows. */
export interface KeyTerms {
  readonly name: string;
  /** Default: `completions` and `model-select`. */
  readonly scopes?: readonly Scope[] | null;
  /** Globs of the labels that it may use. Default: every model. */
  readonly models?: readonly string[] | null;
  /** Names or globs of the toolkits that it may use. Default: none. */
  readonly toolkits?: readonly string[] | null;
  /** ISO 8601. Default: never. */
  readonly expiresAt?: string | null;
  /** Default: none. */
  readonly limits?: Partial<KeyLimits> | null;
}

/** A key as the API returns it, without the key itself or its hash. */
export interface Key {
  readonly object: 'key';
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The key's first characters, by which its owner recognizes it. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** Globs of the labels that it may use; null: every model. */
  readonly models: readonly string[] | null;
  /** Names or globs of the toolkits that it may use. */
  readonly toolkits: readonly string[];
  readonly limits: KeyLimits;
  /** Times in ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** Until when the secrets that a rotation has replaced work; null: it was never rotated. */
  readonly previousValidUntil: string | null;
  readonly revokedAt: string | null;
  /** Accurate to about a minute; null: never. */
  readonly lastUsedAt: string | null;
}

/** How a key gets a new secret. */
export interface RotationTerms {
  /** How long the old secret stays valid; 0: it ends at once. Default: a day. */
  readonly overlapSeconds?: number;
}

/** A key that was just issued: the only answer that contains the key itself. */
export interface IssuedKey extends Key {
  readonly key: string;
}

/** A key as the API returns it. */
function shownKey(record: KeyRecord): Key {
  const { id, accountId, name, prefix, scopes, models, toolkits, limits } = record;
  const { createdAt, expiresAt, previousValidUntil, revokedAt, lastUsedAt } = record;
  return {
    object: 'key',
    id,
    accountId,
    name,
    prefix,
    scopes,
    models,
    toolkits,
    limits,
    createdAt: isoOf(createdAt),
    expiresAt: isoOrNull(expiresAt),
    previousValidUntil: isoOrNull(previousValidUntil),
    revokedAt: isoOrNull(revokedAt),
    lastUsedAt: isoOrNull(lastUsedAt),
  };
}

/** Issues a key to an account. @throws GatewayError `validation_failed`, `unavailable` */
export async function issueKey(
  { parts, record: recordAct }: Acting,
  accountId: string,
  { name, scopes, models, toolkits, expiresAt, limits }: KeyTerms,
): Promise<IssuedKey> {
  const { store } = await parts.state.opened();
  const key = newKey();
  const record = await store.keys.add(
    keyFor(accountId, name, key, {
      scopes: scopes ?? defaultScopes,
      models: models ?? null,
      toolkits: toolkits ?? [],
      limits: { ...noLimits, ...limits },
      expiresAt: timeOf(expiresAt),
    }),
  );
  await parts.state.keys.changed(record);
  await recordAct(keyCreated(record));
  return { ...shownKey(record), key };
}

/** A page of an account's keys, including revoked ones. @param accountId null: of all accounts */
export async function pageOfKeys(
  { state }: GatewayParts,
  accountId: string | null,
  page: PageRequest,
): Promise<List<Key>> {
  const { store } = await state.opened();
  return listOf(await store.keys.list(accountId, page), shownKey);
}

/**
 * One key.
 * @param reach the account whose keys may be accessed; null: all
 * @throws GatewayError `not_found`
 */
export async function oneKey(parts: GatewayParts, reach: string | null, id: string): Promise<Key> {
  return shownKey(await foundKey(parts, reach, id));
}

/**
 * Changes the given fields of a key; takes effect on every replica within a second.
 * @param reach the account whose keys may be accessed; null: all
 * @throws GatewayError `not_found`, `validation_failed`
 */
export async function updateKey(
  acting: Acting,
  reach: string | null,
  id: string,
  { limits, expiresAt, scopes, toolkits, ...rest }: Partial<KeyTerms>,
): Promise<Key> {
  await foundKey(acting.parts, reach, id);
  const changes: KeyChanges = {
    ...rest,
    ...(scopes ? { scopes } : {}),
    ...(toolkits === undefined ? {} : { toolkits: toolkits ?? [] }),
    ...(expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt) }),
    ...(limits === undefined ? {} : { limits: limits ?? noLimits }),
  };
  const record = await change(acting.parts, reach, id, changes);
  await acting.record({ ...actOn('key.change', record), details: changes });
  return shownKey(record);
}

/**
 * Gives a key a new secret, which only this answer contains. Its id, limits and usage stay.
 * @param reach the account whose keys may be accessed; null: all
 * @throws GatewayError `not_found`, `conflict` for a key that may not be used any more
 */
export async function renewKey(
  { parts, record: recordAct }: Acting,
  reach: string | null,
  id: string,
  { overlapSeconds }: RotationTerms,
): Promise<IssuedKey> {
  const { store } = await parts.state.opened();
  const { record, key } = await rotateKey(store, { id, accountId: reach, overlapSeconds });
  await parts.state.keys.changed(record);
  const details = { previousValidUntil: isoOrNull(record.previousValidUntil) };
  await recordAct({ ...actOn('key.rotate', record), details });
  return { ...shownKey(record), key };
}

/**
 * Revokes a key permanently. A revoked one stays as it is.
 * @param reach the account whose keys may be accessed; null: all
 * @throws GatewayError `not_found`
 */
export async function endKey(acting: Acting, reach: string | null, id: string): Promise<void> {
  const { revokedAt } = await foundKey(acting.parts, reach, id);
  if (revokedAt !== null) return;
  const record = await change(acting.parts, reach, id, { revokedAt: Date.now() });
  await acting.record(actOn('key.revoke', record));
}

const actOn = (act: Act, { accountId, id }: KeyRecord): DoneAct => ({ act, accountId, target: id });

async function change(
  { state }: GatewayParts,
  reach: string | null,
  id: string,
  changes: KeyChanges,
): Promise<KeyRecord> {
  const { store } = await state.opened();
  const record = found(await store.keys.update(reach, id, changes));
  await state.keys.changed(record);
  return record;
}

async function foundKey(
  { state }: GatewayParts,
  reach: string | null,
  id: string,
): Promise<KeyRecord> {
  const { store } = await state.opened();
  return found(await store.keys.find(reach, id));
}

function found(key: KeyRecord | null): KeyRecord {
  if (!key) throw new GatewayError('not_found', 'key: not found');
  return key;
}

function timeOf(text: string | null | undefined): number | null {
  const at = text ? Date.parse(text) : null;
  // a leap second is valid by RFC 3339, but not in JavaScript
  if (Number.isNaN(at)) throw invalidField('expiresAt', 'must be a valid date-time');
  return at;
}
