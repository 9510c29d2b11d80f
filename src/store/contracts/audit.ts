import type { Page, PageRequest } from './page.js';

/** The administrative acts that are recorded. */
export const acts = [
  'account.claim',
  'account.claim-code',
  'account.create',
  'account.change',
  'account.delete',
  'account.export',
  'account.password',
  'account.reset-link',
  'account.sign-in',
  'account.sign-in-failed',
  'account.sign-out',
  'account.sign-up',
  'config.apply',
  'config.refuse',
  'conversation.delete',
  'conversation.export',
  'key.create',
  'key.change',
  'key.revoke',
  'key.rotate',
  'learning.forget',
  'preference.delete',
  'prices.revert',
  'prices.update',
] as const;

/** What was done: `<kind of thing>.<verb>`. */
export type Act = (typeof acts)[number];

/** One administrative act. */
export interface AuditRow {
  readonly id: string;
  readonly at: number;
  readonly act: Act;
  /** The account that the act concerns; null: none. */
  readonly accountId: string | null;
  /** The id of the key, account, conversation or preference that was changed; null: none. */
  readonly target: string | null;
  /** Who did it: a key's name, a mail address, `host`, the operating system's user, or `anonymous`. */
  readonly actor: string;
  /** The actor's account; null for the command line, a start, and for who had none yet. */
  readonly actorAccountId: string | null;
  /** The actor's key; null for browsers and the command line. */
  readonly actorKeyId: string | null;
  /**
   * The address on the network that the request came from, `command line`, `configuration file`, or
   * `start` for what a start issues; null: none.
   */
  readonly address: string | null;
  /** The changed fields, never a secret; null: none. */
  readonly details: unknown;
}

/** Selects acts. Times in ms: `from` inclusive, `to` exclusive; null or absent: all. */
export interface AuditFilter {
  /** The account that the act concerns, or whose owner did it. */
  readonly accountId?: string | null;
  readonly act?: Act | null;
  readonly from?: number | null;
  readonly to?: number | null;
}

/** The audit log: rows are added and, when they are old, deleted; never changed. */
export interface AuditStore {
  add(row: AuditRow): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditRow>>;
}
