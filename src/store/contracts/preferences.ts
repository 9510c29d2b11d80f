import type { PreferenceSettings } from '../../chooser/plan.js';
import type { Changes, Page, PageRequest } from './page.js';
import type { StoredRouter } from './trainings.js';

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

/** The preferences of accounts. */
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
