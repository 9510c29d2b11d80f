import type { ApiContext } from '../api-context.js';
import {
  createKey,
  getKey,
  type IssuedKey,
  type Key,
  type KeyTerms,
  listKeys,
  revokeKey,
  replaceSecret,
  type RotationTerms,
  updateKey,
} from '../keys.js';
import type { List } from '../page-request.js';
import { hostMethod } from './host-call.js';
import type { PageOptions } from './host-fields.js';

/** Names one key. */
export interface KeyId {
  readonly id: string;
  /** If given, keys of other accounts are not found. */
  readonly account?: string;
}

/** The keys that the gateway issues, as `/api/v1/keys` has them. */
export interface KeyMethods {
  /**
   * Issues a key to an account. Only this answer contains the key itself.
   * @param key `account`: `host:<your id>` for one of your users, or an id that the gateway has given
   * @throws GatewayError `validation_failed`, `not_found` for an unknown account
   */
  create(key: KeyTerms & { readonly account: string }): Promise<IssuedKey>;
  /**
   * The keys of an account, including revoked ones, newest first. Without `account`: of all accounts.
   */
  list(options?: PageOptions & { readonly account?: string }): Promise<List<Key>>;
  /** One key. @throws GatewayError `not_found` */
  get(key: KeyId): Promise<Key>;
  /**
   * Changes the given fields, with effect on every replica within a second; `null` removes a limit,
   * the models or the end.
   * @throws GatewayError `not_found`, `validation_failed`
   */
  update(changes: Partial<KeyTerms> & KeyId): Promise<Key>;
  /**
   * Gives a key a new secret, which only this answer contains. The old one works until the overlap
   * ends, by default for a day.
   * @throws GatewayError `not_found`, `conflict` for a key that may not be used any more
   */
  rotate(rotation: RotationTerms & KeyId): Promise<IssuedKey>;
  /** Revokes a key permanently. @throws GatewayError `not_found` */
  revoke(key: KeyId): Promise<void>;
}

/** The keys, for the code of a host app. */
export const keyMethods = (host: ApiContext): KeyMethods => ({
  create: hostMethod(host, createKey, 'required'),
  list: hostMethod(host, listKeys, 'optional'),
  get: hostMethod(host, getKey, 'optional'),
  update: hostMethod(host, updateKey, 'optional'),
  rotate: hostMethod(host, replaceSecret, 'optional'),
  revoke: hostMethod(host, revokeKey, 'optional'),
});
