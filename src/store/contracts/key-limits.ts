/** The limits of one key, or of an account: of all its keys together. Null: none. */
export interface KeyLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** USD per UTC day and per UTC month. */
  readonly dayBudgetUsd: number | null;
  readonly monthBudgetUsd: number | null;
}

/** No limits. */
export const noLimits: KeyLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  dayBudgetUsd: null,
  monthBudgetUsd: null,
};
