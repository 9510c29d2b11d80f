import type { Selectable, Updateable } from 'kysely';
import type { AccountRole } from '../../contracts/accounts.js';
import type { KeyChanges, KeyRecord, NewKey, Scope } from '../../contracts/keys.js';
import { clean, columnsOf, toJson } from '../columns.js';
import { limitsFromRow } from './accounts.js';
import type { ApiKeyTable, LimitColumns } from '../tables.js';

/** A key's row with the columns of its account; the account of a fixed key has no row. */
export type KeyRow = Selectable<ApiKeyTable> & {
  readonly account_role: string | null;
  readonly account_disabled_at: number | null;
  readonly previous_valid_until: number | null;
} & { readonly [Column in keyof LimitColumns as `account_${Column}`]: LimitColumns[Column] };

/** The key of a row. */
export const keyFromRow = (row: KeyRow): KeyRecord => ({
  id: row.id,
  accountId: row.account_id,
  accountRole: (row.account_role ?? 'member') as AccountRole,
  accountDisabledAt: row.account_disabled_at,
  accountLimits: limitsFromRow({
    requests_per_minute: row.account_requests_per_minute,
    tokens_per_minute: row.account_tokens_per_minute,
    day_budget_usd: row.account_day_budget_usd,
    month_budget_usd: row.account_month_budget_usd,
  }),
  name: row.name,
  prefix: row.prefix,
  hash: row.hash,
  secretValidUntil: null,
  previousValidUntil: row.previous_valid_until,
  scopes: JSON.parse(row.scopes) as Scope[],
  models: row.models === null ? null : (JSON.parse(row.models) as string[]),
  toolkits: row.toolkits === null ? [] : (JSON.parse(row.toolkits) as string[]),
  economy: row.economy,
  limits: limitsFromRow(row),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
});

/** A row that was found by a secret that a rotation has replaced. */
export type ReplacedRow = KeyRow & {
  readonly replaced_hash: string;
  readonly replaced_until: number;
};

/** The key of such a row, under that secret. */
export const keyFromReplaced = (row: ReplacedRow): KeyRecord => ({
  ...keyFromRow(row),
  hash: row.replaced_hash,
  secretValidUntil: row.replaced_until,
});

/** The row of a new key. */
export function newRow(
  { scopes, models, toolkits, limits, ...plain }: NewKey,
  revision: number,
): Selectable<ApiKeyTable> {
  const lists = { scopes: toJson(scopes)!, models: toJson(models), toolkits: toJson(toolkits) };
  const state = { revoked_at: null, last_used_at: null, revision };
  return { ...columnsOf(plain), ...columnsOf(limits), ...lists, ...state };
}

/** Absent changes are undefined, and leave the column unchanged. */
export function changedColumns(changes: KeyChanges): Updateable<ApiKeyTable> {
  const { name, scopes, models, toolkits, economy, limits, expiresAt, revokedAt } = changes;
  return {
    name: name === undefined ? undefined : clean(name),
    scopes: scopes === undefined ? undefined : JSON.stringify(scopes),
    models: models === undefined ? undefined : toJson(models),
    toolkits: toolkits === undefined ? undefined : toJson(toolkits),
    economy,
    ...(limits === undefined ? {} : columnsOf(limits)),
    expires_at: expiresAt,
    revoked_at: revokedAt,
  };
}
