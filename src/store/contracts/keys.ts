import type { Role } from './accounts.js';
import type { Changes, Page, PageRequest } from './store.js';

/** What a key may be used for. `admin`: its account's keys, request log and settings, as its owner could in a browser. */
export type Scope = 'completions' | 'model-select' | 'admin';

/** All scopes, for schemas and the first key. */
export const scopes: readonly Scope[] = ['completions', 'model-select', 'admin'];

/** Bounds of one key. Null: none. */
export interface KeyLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** USD for each UTC day and month. */
  readonly dayBudgetUsd: number | null;
  readonly monthBudgetUsd: number | null;
}

/** A key without bounds. */
export const noLimits: KeyLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  dayBudgetUsd: null,
  monthBudgetUsd: null,
};

/** An issued key. The key itself is kept nowhere. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly accountRole: Role;
  /** The account's `disabledAt`. */
  readonly accountDisabledAt: number | null;
  readonly name: string;
  /** The key's first characters, by which its owner knows it again. */
  readonly prefix: string;
  /** As `hashKey` makes it. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** Globs of the labels that it may use; null: all. */
  readonly models: readonly string[] | null;
  readonly limits: KeyLimits;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** To the minute or so; null: never. */
  readonly lastUsedAt: number | null;
}

export type NewKey = Omit<
  KeyRecord,
  'accountRole' | 'accountDisabledAt' | 'revokedAt' | 'lastUsedAt'
>;
export type KeyChanges = Partial<
  Pick<KeyRecord, 'name' | 'scopes' | 'models' | 'expiresAt' | 'revokedAt'> & {
    readonly limits: Partial<KeyLimits>;
  }
>;

/** Issued keys. */
export interface KeyStore {
  add(key: NewKey): Promise<KeyRecord>;
  /** Null where there is a key already, whoever else asks at the same time. */
  addFirst(key: NewKey): Promise<KeyRecord | null>;
  findByHash(hash: string): Promise<KeyRecord | null>;
  /** Null for `accountId`: of all accounts. */
  find(accountId: string | null, id: string): Promise<KeyRecord | null>;
  list(accountId: string | null, page: PageRequest): Promise<Page<KeyRecord>>;
  /** Of the limits too only those that are given are changed, whoever else changes others at the same time. */
  update(accountId: string | null, id: string, changes: KeyChanges): Promise<KeyRecord | null>;
  /** The keys that have changed since then, revoked ones too, and those of accounts that have changed. */
  changedSince(revision: number): Promise<Changes<KeyRecord>>;
  /** Puts down when keys were last used, by id. */
  touch(usedAt: ReadonlyMap<string, number>): Promise<void>;
}
