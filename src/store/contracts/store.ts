import type { StoreParts } from '../sql/sql-store.js';

/**
 * What outlives the process: one SQL schema on an embedded database or on PostgreSQL. Every method
 * rejects with a GatewayError `unavailable` while the database cannot be reached, and with
 * `internal` for what should not happen. Times are ms since 1970, ids UUIDs. Ids of other accounts
 * count as not existing.
 */
export interface Store extends StoreParts {
  readonly kind: 'libsql' | 'postgres';
  /** 32 random bytes by name, equal for every process on this database; made at the first call. */
  secret(name: string): Promise<Buffer>;
  /** Resolves if the database answers. */
  ping(): Promise<void>;
  /**
   * Copies the whole database into a new file while it is in use.
   * @throws GatewayError `not_implemented` on PostgreSQL, which has its own tools
   */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
