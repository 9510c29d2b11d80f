import type { Selectable, Updateable } from 'kysely';
import type { AccountRole } from '../contracts/accounts.js';
import type { KeyChanges, KeyLimits, KeyRecord, NewKey, Scope } from '../contracts/keys.js';
import { clean } from './columns.js';
import type { ApiKeyTable } from './tables.js';

/** A key's row with the columns of its account; the account of a fixed key has no row. */
export type KeyRow = Selectable<ApiKeyTable> & {
  readonly account_role: string | null;
  readonly account_disabled_at: number | null;
};

/** The key of a row. */
export function keyFromRow(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    accountRole: (row.account_role ?? 'member') as AccountRole,
    accountDisabledAt: row.account_disabled_at,
    name: row.name,
    prefix: row.prefix,
    hash: row.hash,
    scopes: JSON.parse(row.scopes) as Scope[],
    models: row.models === null ? null : (JSON.parse(row.models) as string[]),
    limits: {
      requestsPerMinute: row.requests_per_minute,
      tokensPerMinute: row.tokens_per_minute,
      dayBudgetUsd: row.day_budget_usd,
      monthBudgetUsd: row.month_budget_usd,
    },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

/** The row of a new key. */
export function newRow(key: NewKey, revision: number): Selectable<ApiKeyTable> {
  return {
    id: key.id,
    account_id: key.accountId,
    name: clean(key.name),
    prefix: key.prefix,
    hash: key.hash,
    scopes: JSON.stringify(key.scopes),
    models: modelsOf(key.models),
    requests_per_minute: key.limits.requestsPerMinute,
    tokens_per_minute: key.limits.tokensPerMinute,
    day_budget_usd: key.limits.dayBudgetUsd,
    month_budget_usd: key.limits.monthBudgetUsd,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: null,
    last_used_at: null,
    revision,
  };
}

/** Absent changes are undefined, and leave the column unchanged. */
export function changedColumns({
  name,
  scopes,
  models,
  limits,
  expiresAt,
  revokedAt,
}: KeyChanges): Updateable<ApiKeyTable> {
  return {
    name: name === undefined ? undefined : clean(name),
    scopes: scopes === undefined ? undefined : JSON.stringify(scopes),
    models: models === undefined ? undefined : modelsOf(models),
    ...(limits === undefined ? {} : limitColumns(limits)),
    expires_at: expiresAt,
    revoked_at: revokedAt,
  };
}

const modelsOf = (models: readonly string[] | null): string | null =>
  models === null ? null : JSON.stringify(models);

const limitColumns = (limits: Partial<KeyLimits>): Updateable<ApiKeyTable> => ({
  requests_per_minute: limits.requestsPerMinute,
  tokens_per_minute: limits.tokensPerMinute,
  day_budget_usd: limits.dayBudgetUsd,
  month_budget_usd: limits.monthBudgetUsd,
});
