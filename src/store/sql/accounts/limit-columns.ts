import type { Updateable } from 'kysely';
import type { KeyLimits } from '../../contracts/key-limits.js';
import type { LimitColumns } from '../tables.js';

/** The limits of a row. */
export const limitsFromRow = (row: LimitColumns): KeyLimits => ({
  requestsPerMinute: row.requests_per_minute,
  tokensPerMinute: row.tokens_per_minute,
  dayBudgetUsd: row.day_budget_usd,
  monthBudgetUsd: row.month_budget_usd,
});

/** All columns of new limits. */
export const limitColumns = (limits: KeyLimits): LimitColumns => ({
  requests_per_minute: limits.requestsPerMinute,
  tokens_per_minute: limits.tokensPerMinute,
  day_budget_usd: limits.dayBudgetUsd,
  month_budget_usd: limits.monthBudgetUsd,
});

/** Absent changes are undefined, and leave the column unchanged. */
export const changedLimitColumns = (limits: Partial<KeyLimits>): Updateable<LimitColumns> => ({
  requests_per_minute: limits.requestsPerMinute,
  tokens_per_minute: limits.tokensPerMinute,
  day_budget_usd: limits.dayBudgetUsd,
  month_budget_usd: limits.monthBudgetUsd,
});
