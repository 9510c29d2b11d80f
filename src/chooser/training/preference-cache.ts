import { messageOf } from '../../errors.js';
import type { Tuning } from '../predictor/tuning.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import type { PreferenceRecord, PreferenceSettings } from '../../store/contracts/preferences.js';
import { RecordCache } from '../../store/record-cache.js';
import { decodeCustom } from '../predictor/custom-weights.js';
import { createTuning } from '../predictor/custom-tuning.js';
import { shippedPredictor } from '../predictor/shipped-predictor.js';

/** A tuning of stored weights, or why they cannot be used. */
function readTuning(weights: string): Tuning | string {
  try {
    const tuning = createTuning(decodeCustom(weights), shippedPredictor());
    return tuning ?? 'it was fitted on another router: train it again';
  } catch (error) {
    return `it cannot be used: ${messageOf(error)}`;
  }
}

/** Reads weights as tunings of the shipped predictor; unusable ones are ignored with a warning. */
export function tuningReader(warn: (warning: string) => void): ReadTuning {
  return (weights, preferenceId) => {
    const found = readTuning(weights);
    if (typeof found !== 'string') return found;
    warn(`the trained router of preference ${preferenceId} is ignored: ${found}`);
    return null;
  };
}

/** Why these stored weights are ignored, in a few words; null if they are used. */
export function whyPassedOver(weights: string): string | null {
  const found = readTuning(weights);
  return typeof found === 'string' ? found : null;
}

/** A preference as requests use it: what changes their ranking. */
export interface KnownPreference {
  readonly preference: PreferenceSettings;
  /** The tuning that was trained for the preference, if any. */
  readonly tunings: readonly Tuning[];
}

/** Makes a tuning of a preference's stored weights; null if they cannot be used. Never throws. */
type ReadTuning = (weights: string, preferenceId: string) => Tuning | null;

const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`;

/** Preferences by account and id. A preference that was used here before needs no database. */
export class PreferenceCache {
  private readonly cache: RecordCache<PreferenceRecord>;
  private readonly read = new WeakMap<PreferenceRecord, KnownPreference>();

  constructor(
    databases: LazyDatabases,
    private readonly readTuning: ReadTuning,
  ) {
    this.cache = new RecordCache(databases, {
      topic: 'preferences',
      keyOf: ({ accountId, id }) => keyOf(accountId, id),
      load: ({ store }, key) => {
        const [accountId = '', id = ''] = key.split(' ');
        return store.preferences.find(accountId, id);
      },
      changedSince: ({ store }, revision) => store.preferences.changedSince(revision),
    });
  }

  /** Null if the account has no such preference. @throws GatewayError `unavailable` */
  async find(accountId: string, id: string): Promise<KnownPreference | null> {
    // what cannot be an id does not reach the database
    if (!/^[\w-]{1,64}$/.test(id)) return null;
    const record = await this.cache.find(keyOf(accountId, id));
    return record === null || record.deletedAt !== null ? null : this.known(record);
  }

  /** Must be called when this process has changed a preference. */
  changed(preference: PreferenceRecord): void {
    this.cache.changed(preference);
  }

  /** Stops following changes. */
  close(): void {
    this.cache.close();
  }

  private known(record: PreferenceRecord): KnownPreference {
    let known = this.read.get(record);
    if (!known) {
      const tuning = record.router && this.readTuning(record.router.weights, record.id);
      known = { preference: record.settings, tunings: tuning ? [tuning] : [] };
      this.read.set(record, known);
    }
    return known;
  }
}
