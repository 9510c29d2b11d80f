import type { KnownPreference } from '../accounts/preference-cache.js';
import type { Caller } from '../accounts/caller.js';
import { invalidField } from '../errors.js';
import type { KnownLearning } from '../training/online/learning-cache.js';
import type { Taught } from '../routing/plan.js';
import type { Parts } from '../http/parts.js';
import type { GatewaySnapshot } from './snapshot.js';

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
export function followLinks(
  parts: Parts,
  caller: Caller,
  links: Links,
): KnownPreference | null | Promise<KnownPreference | null> {
  const { preference_id: preferenceId, previous_session: session } = links;
  const {
    memory: { ids, preferences },
  } = parts;
  const { accountId } = caller;
  if (isGiven(session) && !ids.isReady)
    return ids.ready().then(() => followLinks(parts, caller, links));
  if (isGiven(session) && !ids.isOf(session, accountId))
    throw invalidField('previous_session', 'not found', 'not_found');
  if (!isGiven(preferenceId)) return null;
  const preference = preferences.find(accountId, preferenceId);
  return preference instanceof Promise ? preference.then(known) : known(preference);
}

function known(preference: KnownPreference | null): KnownPreference {
  if (preference === null) throw invalidField('preference_id', 'not found', 'not_found');
  return preference;
}

/**
 * What the caller's feedback and outcomes have taught, with the preference that the request names or without any. Immediate where it is known here;
 * null where nothing is, or it cannot be looked up in a moment. Never fails.
 * @param linked as `followLinks` told it
 */
export function taughtIn(
  parts: Parts,
  { routing: { learning } }: GatewaySnapshot,
  caller: Caller,
  links: Links,
  linked: KnownPreference | null,
): Taught | null | Promise<Taught | null> {
  if (!learning.enabled) return null;
  // a session that goes on may have begun where nobody here knows of it
  const share = isGiven(links.previous_session)
    ? 0
    : (linked?.preference.exploration ?? learning.exploration);
  const taught = (found: KnownLearning | null): Taught | null =>
    found?.tuning ? { tuning: found.tuning, exploration: found.isRated ? share : 0 } : null;
  const found = parts.memory.learning.find({
    accountId: caller.accountId,
    preferenceId: links.preference_id ?? '',
  });
  return found instanceof Promise ? found.then(taught) : taught(found);
}
