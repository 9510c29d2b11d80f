import type { ModelOverride } from '../../models/model-facts.js';

/** What a training takes from the configuration: how `tradeoff: cost` chooses, and prices. */
export interface TrainingTerms {
  /** How far below the best quality (0 to 1) that of a cheaper model may be. */
  readonly tolerance: number;
  /** What the configuration states about models, by `provider/model`. */
  readonly overrides: Readonly<Record<string, ModelOverride>>;
  /** Configured provider -> its id in the price data; null if no list has its prices. */
  readonly priceIds: Readonly<Record<string, string | null>>;
}
