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

/** The tuning that was trained for a preference, if any; an unusable one is ignored with a warning. */
export function tuningsOf(
  { id, router }: Pick<PreferenceRecord, 'id' | 'router'>,
  warn: (warning: string) => void,
): readonly Tuning[] {
  const found = router && readTuning(router.weights);
  if (typeof found !== 'string') return found ? [found] : [];
  warn(`the trained router of preference ${id} is ignored: ${found}`);
  return [];
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

const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`;

/** Preferences by account and id. A preference that was used here before needs no database. */
export class PreferenceCache extends RecordCache<PreferenceRecord> {
  private readonly read = new WeakMap<PreferenceRecord, KnownPreference>();

  constructor(
    databases: LazyDatabases,
    private readonly warn: (warning: string) => void,
  ) {
    super(databases, {
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
  async ofAccount(accountId: string, id: string): Promise<KnownPreference | null> {
    // what cannot be an id does not reach the database
    if (!/^[\w-]{1,64}$/.test(id)) return null;
    const record = await this.find(keyOf(accountId, id));
    if (record === null || record.deletedAt !== null) return null;
    let known = this.read.get(record);
    if (!known) {
      known = { preference: record.settings, tunings: tuningsOf(record, this.warn) };
      this.read.set(record, known);
    }
    return known;
  }
}
