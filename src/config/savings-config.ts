/** How savings are measured. */
export interface SavingsConfig {
  /** The share of completions (0 to 0.1) that are sent to a second model too. */
  readonly shadow: number;
  /** What that may cost in a UTC day, in USD, of all accounts together. */
  readonly maxUsdPerDay: number;
}
