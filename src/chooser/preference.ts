/** The importance of each figure in a ranking: not negative, not all 0. Only the ratios matter. */
export interface Weights {
  readonly quality: number;
  readonly cost: number;
  readonly latency: number;
}

/** The part of a stored preference that changes rankings. Every field is optional. */
export interface PreferenceSettings {
  /** Null: rank by quality or tradeoff. */
  readonly weights?: Weights | null;
  /** Globs over labels `<provider>/<model>` that may be chosen; null: all. */
  readonly allow?: readonly string[] | null;
  /** Globs over labels that may not be chosen. */
  readonly exclude?: readonly string[] | null;
  /** USD per million tokens, blended: models that are known to cost more are not chosen. */
  readonly maxPrice?: number | null;
  /** Seconds to the first token: models that are known to take longer are not chosen. */
  readonly maxLatency?: number | null;
  /** The share of decisions, 0 to 0.2, that may try another candidate; null: as configured. */
  readonly exploration?: number | null;
  /** Applies if the request names none. */
  readonly tradeoff?: 'cost' | 'latency' | null;
}
