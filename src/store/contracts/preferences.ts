import type { Changes, Page, PageRequest } from './page.js';
import type { StoredRouter } from './trainings.js';

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

export interface PreferenceRecord {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly settings: PreferenceSettings;
  /** The router that was trained for it and is in use. */
  readonly router: StoredRouter | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | null;
}

export interface PreferenceStore {
  add(
    preference: Omit<PreferenceRecord, 'router' | 'updatedAt' | 'deletedAt'>,
  ): Promise<PreferenceRecord>;
  /** Null also if it was deleted. */
  find(accountId: string, id: string): Promise<PreferenceRecord | null>;
  list(accountId: string, page: PageRequest): Promise<Page<PreferenceRecord>>;
  /**
   * Changes only the given fields, of the settings too, so that concurrent changes of other fields
   * persist. Null if there is no such preference.
   */
  update(
    accountId: string,
    id: string,
    changes: Partial<Pick<PreferenceRecord, 'name' | 'settings'>>,
  ): Promise<PreferenceRecord | null>;
  /** False if there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** The preferences that have changed since the revision, including deleted ones. */
  changedSince(revision: number): Promise<Changes<PreferenceRecord>>;
}
