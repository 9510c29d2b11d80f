/** How much each thing counts in a ranking; not negative, not all 0. Only their ratios matter. */
export interface Weights {
  readonly quality: number;
  readonly cost: number;
  readonly latency: number;
}

/** What somebody prefers, as it changes a ranking. Every part is optional. */
export interface PreferenceSettings {
  /** Null: the usual ranking. */
  readonly weights?: Weights | null;
  /** Globs of labels `<provider>/<model>`: what may be chosen; null: everything. */
  readonly allow?: readonly string[] | null;
  /** What may not. */
  readonly exclude?: readonly string[] | null;
  /** USD per million tokens, blended: a model that is known to cost more is not chosen. */
  readonly maxPrice?: number | null;
  /** Seconds to the first token: a model that is known to take longer is not chosen. */
  readonly maxLatency?: number | null;
  /** The share of decisions, 0 to 0.2, that may try another candidate; null: as configured. */
  readonly exploration?: number | null;
  /** Where the request names none. */
  readonly tradeoff?: 'cost' | 'latency' | null;
}
