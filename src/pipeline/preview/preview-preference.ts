import type { Caller } from '../../accounts/caller.js';
import { invalidField } from '../../errors.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import { applyPreference } from '../../chooser/chooser.js';
import {
  choicesOfPrompts,
  choicesOfRequests,
  requireChoices,
  type SkippedRequest,
  type Taught,
  type ChoiceSource,
  type WantedChoices,
} from './preview-choices.js';
import type { PreferenceSettings } from '../../store/contracts/preferences.js';

/** What somebody tries out. */
export interface PreviewRequest extends WantedChoices {
  readonly preference: PreferenceSettings & { readonly name?: string | null };
  /** What it is compared with, and whose training counts; absent: requests without a preference. */
  readonly preference_id?: string | null;
}

type Tried = ReturnType<typeof applyPreference<ChoiceSource>>;

/** What a preference would choose, beside what is chosen now. */
export interface Preview {
  readonly object: 'preference_preview';
  readonly items: Tried['items'];
  readonly totals: Tried['totals'];
  /** Requests that it could not be tried on. */
  readonly skipped: readonly SkippedRequest[];
}

/**
 * Tries a preference on requests, examples and messages without storing it.
 * @param explain whether each item names all its candidates
 * @throws GatewayError `not_found` for an unknown preference, `validation_failed`, `forbidden`
 */
export async function previewPreference(
  parts: GatewayParts,
  caller: Caller,
  { preference: asked, preference_id: id = null, ...wanted }: PreviewRequest,
  explain: boolean,
): Promise<Preview> {
  requireChoices(wanted);
  const { current, taught } = await comparedWith(parts, caller, id);
  const { choices, skipped } = await choicesOfRequests(parts, caller, wanted);
  choices.push(...choicesOfPrompts(parts, caller, wanted, taught));
  const { name: _name, ...settings } = asked;
  const { tolerance } = parts.current().training;
  const trial = { settings, current, tolerance, explain };
  return {
    object: 'preference_preview',
    ...applyPreference(choices, trial),
    skipped,
  };
}

/** The setting of now, and what was taught under it. */
async function comparedWith(
  { state, current }: GatewayParts,
  { accountId }: Caller,
  id: string | null,
): Promise<{ readonly current: PreferenceSettings | null; readonly taught: Taught }> {
  const known = id === null ? null : await state.chooser.preference(accountId, id);
  if (id !== null && known === null) throw invalidField('preference_id', 'not found', 'not_found');
  const online = current().routing.learning.enabled
    ? await state.chooser.learned({ accountId, preferenceId: id ?? '' })
    : null;
  return {
    current: known?.preference ?? null,
    taught: {
      tunings: known?.tunings ?? [],
      onlineLearning: online?.tuning ? { tuning: online.tuning, exploration: 0 } : null,
    },
  };
}
