import type { KnownPreference } from '../accounts/preference-book.js';
import type { Caller } from '../accounts/caller.js';
import { invalidField } from '../errors.js';
import type { Parts } from './parts.js';

/** The ids in a request that link it to what was made before. */
export interface Links {
  preference_id?: string | null;
  previous_session?: string | null;
}

// an empty id is an id that nobody issued
const isGiven = (id: string | null | undefined): id is string => id !== null && id !== undefined;

/**
 * What a request links to, as routing takes it: the preference that it names, and the router that was trained for it. Immediate where nothing
 * has to be looked up.
 * @throws GatewayError `not_found` for an id that was never this caller's, `unavailable` where it cannot be looked up
 */
export function followLinks(parts: Parts, caller: Caller, links: Links): KnownPreference | null | Promise<KnownPreference | null> {
  const { preference_id: preferenceId, previous_session: session } = links;
  const { memory: { ids, preferences } } = parts;
  const { accountId } = caller;
  if (isGiven(session) && !ids.isReady) return ids.ready().then(() => followLinks(parts, caller, links));
  if (isGiven(session) && !ids.isOf(session, accountId)) throw invalidField('previous_session', 'not found', 'not_found');
  if (!isGiven(preferenceId)) return null;
  const preference = preferences.find(accountId, preferenceId);
  return preference instanceof Promise ? preference.then(known) : known(preference);
}

function known(preference: KnownPreference | null): KnownPreference {
  if (preference === null) throw invalidField('preference_id', 'not found', 'not_found');
  return preference;
}
