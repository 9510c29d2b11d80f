import type { AccountRole, KeyLimits } from './accounts.js';
import type { Changes, Page, PageRequest } from './page.js';

/** What a key may be used for. `admin`: all that its account's owner can do in a browser. */
export type Scope = 'completions' | 'model-select' | 'admin';

/** All scopes, for schemas and the first key. */
export const scopes: readonly Scope[] = ['completions', 'model-select', 'admin'];

/** An issued key. The key itself is not stored. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly accountRole: AccountRole;
  /** The account's `disabledAt`. */
  readonly accountDisabledAt: number | null;
  /** Bound the sum of all keys of the account. */
  readonly accountLimits: KeyLimits;
  readonly name: string;
  /** The key's first characters, by which its owner recognizes it. */
  readonly prefix: string;
  /** As `hashKey` returns it. */
  readonly hash: string;
  /** Until when a secret that a rotation has replaced is valid; null: it is the present one. */
  readonly secretValidUntil: number | null;
  /** Until when its replaced secrets are valid at the longest; null: the key was never rotated. */
  readonly previousValidUntil: number | null;
  readonly scopes: readonly Scope[];
  /** Globs of the model labels that the key may use; null: all. */
  readonly models: readonly string[] | null;
  /** Names or globs of the toolkits that the key may use. */
  readonly toolkits: readonly string[];
  /** The dial of economy, 0 to 10, for requests that do not set it; null: as configured. */
  readonly economy: number | null;
  readonly limits: KeyLimits;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Accurate to about a minute; null: never. */
  readonly lastUsedAt: number | null;
}

export type NewKey = Omit<
  KeyRecord,
  | 'accountRole'
  | 'accountDisabledAt'
  | 'accountLimits'
  | 'secretValidUntil'
  | 'previousValidUntil'
  | 'revokedAt'
  | 'lastUsedAt'
>;
export type KeyChanges = Partial<
  Pick<
    KeyRecord,
    'name' | 'scopes' | 'models' | 'toolkits' | 'economy' | 'expiresAt' | 'revokedAt'
  > & {
    readonly limits: Partial<KeyLimits>;
  }
>;

/** A new secret for a key. */
export interface KeyRotation {
  readonly hash: string;
  readonly prefix: string;
  /** When all secrets that the key has had end, in ms. */
  readonly validUntil: number;
}

export interface KeyStore {
  add(key: NewKey): Promise<KeyRecord>;
  /** Adds a key if there is none, atomically; null if there is one. */
  addFirst(key: NewKey): Promise<KeyRecord | null>;
  /** By the hash of its present secret, or of one that a rotation has replaced. */
  findByHash(hash: string): Promise<KeyRecord | null>;
  /** @param accountId null: any account */
  find(accountId: string | null, id: string): Promise<KeyRecord | null>;
  /** @param search only those whose name or beginning has this text, in either case of the letters A to Z */
  list(
    accountId: string | null,
    page: PageRequest,
    search?: string | null,
  ): Promise<Page<KeyRecord>>;
  /** The ids of the keys with this id or name. @param accountId null: any account */
  idsOf(accountId: string | null, idOrName: string): Promise<readonly string[]>;
  /** Changes only the given fields, of the limits too: concurrent changes of others persist. */
  update(accountId: string | null, id: string, changes: KeyChanges): Promise<KeyRecord | null>;
  /**
   * Replaces the secret of a key. The old one is found until `validUntil` and after; earlier ones
   * end at the latest then.
   */
  rotate(accountId: string | null, id: string, rotation: KeyRotation): Promise<KeyRecord | null>;
  /**
   * The keys that have changed since the revision, including revoked ones and those whose account
   * has changed; once more for each secret that a rotation has replaced.
   */
  changedSince(revision: number): Promise<Changes<KeyRecord>>;
  /** Stores when keys were last used, by id. */
  touch(usedAt: ReadonlyMap<string, number>): Promise<void>;
}
