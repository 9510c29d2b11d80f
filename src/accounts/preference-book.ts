import type { PreferenceSettings } from '../routing/preference.js';
import type { Backing } from '../store/backing.js';
import type { PreferenceRecord } from '../store/preference-records.js';
import { RecordCache } from '../store/record-cache.js';

const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`;

/** Preferences by account and id: one that has been used here before is known without asking the database. */
export class PreferenceBook {
  private readonly cache: RecordCache<PreferenceRecord>;

  constructor(backing: Backing) {
    this.cache = new RecordCache(backing, {
      topic: 'preferences',
      keyOf: ({ accountId, id }) => keyOf(accountId, id),
      load: ({ store }, key) => {
        const [accountId = '', id = ''] = key.split(' ');
        return store.preferences.find(accountId, id);
      },
      changedSince: ({ store }, revision) => store.preferences.changedSince(revision),
    });
  }

  /** Null where the account has no such preference; a promise where it has to be looked up. @throws GatewayError `unavailable` */
  find(accountId: string, id: string): PreferenceSettings | null | Promise<PreferenceSettings | null> {
    // what is no id is nobody's, and does not reach the database
    if (!/^[\w-]{1,64}$/.test(id)) return null;
    const record = this.cache.find(keyOf(accountId, id));
    return record instanceof Promise ? record.then(settingsOf) : settingsOf(record);
  }

  /** Takes in a preference that this process has changed. */
  changed(preference: PreferenceRecord): void {
    this.cache.changed(preference);
  }

  /** Stops following changes. */
  close(): void {
    this.cache.close();
  }
}

const settingsOf = (record: PreferenceRecord | null): PreferenceSettings | null => (record === null || record.deletedAt !== null ? null : record.settings);
