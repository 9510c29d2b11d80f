import type { PreferenceSettings } from '../../routing/preference.js';
import type { Changes, Page, PageRequest } from './store.js';
import type { StoredRouter } from './trainings.js';

export interface PreferenceRecord {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly settings: PreferenceSettings;
  /** What was trained for it and is switched on. */
  readonly router: StoredRouter | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | null;
}

/** Preferences of accounts. */
export interface PreferenceStore {
  add(
    preference: Omit<PreferenceRecord, 'router' | 'updatedAt' | 'deletedAt'>,
  ): Promise<PreferenceRecord>;
  /** Null for one that was deleted. */
  find(accountId: string, id: string): Promise<PreferenceRecord | null>;
  list(accountId: string, page: PageRequest): Promise<Page<PreferenceRecord>>;
  /** Of the settings too only what is given is changed, whoever else changes something else at the same time. Null for one that is not there. */
  update(
    accountId: string,
    id: string,
    changes: Partial<Pick<PreferenceRecord, 'name' | 'settings'>>,
  ): Promise<PreferenceRecord | null>;
  /** False where there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Those that have changed since then, deleted ones too. */
  changedSince(revision: number): Promise<Changes<PreferenceRecord>>;
}
