import type { Tuning } from '../routing/predictor/tuning.js';
import type { PreferenceSettings } from '../routing/preference.js';
import type { LazyDatabases } from '../store/lazy-databases.js';
import type { PreferenceRecord } from '../store/contracts/preferences.js';
import { RecordCache } from '../store/record-cache.js';

/** A preference as requests use it: what changes their ranking. */
export interface KnownPreference {
  readonly preference: PreferenceSettings;
  /** The preference's own router, where it has one. */
  readonly tunings: readonly Tuning[];
}

/** Makes a tuning of the stored weights of a preference; null where they cannot be used. Never throws. */
export type ReadTuning = (weights: string, preferenceId: string) => Tuning | null;

const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`;

/** Preferences by account and id: one that has been used here before is known without asking the database. */
export class PreferenceCache {
  private readonly cache: RecordCache<PreferenceRecord>;
  private readonly read = new WeakMap<PreferenceRecord, KnownPreference>();

  constructor(
    backing: LazyDatabases,
    private readonly readTuning: ReadTuning = () => null,
  ) {
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
  find(accountId: string, id: string): KnownPreference | null | Promise<KnownPreference | null> {
    // what is no id is nobody's, and does not reach the database
    if (!/^[\w-]{1,64}$/.test(id)) return null;
    const record = this.cache.find(keyOf(accountId, id));
    return record instanceof Promise
      ? record.then((found) => this.known(found))
      : this.known(record);
  }

  /** Takes in a preference that this process has changed. */
  changed(preference: PreferenceRecord): void {
    this.cache.changed(preference);
  }

  /** Stops following changes. */
  close(): void {
    this.cache.close();
  }

  private known(record: PreferenceRecord | null): KnownPreference | null {
    if (record === null || record.deletedAt !== null) return null;
    let known = this.read.get(record);
    if (!known) {
      const tuning = record.router && this.readTuning(record.router.weights, record.id);
      this.read.set(
        record,
        (known = { preference: record.settings, tunings: tuning ? [tuning] : [] }),
      );
    }
    return known;
  }
}
