import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Caller } from '../../accounts/caller.js';
import { GatewayError } from '../../errors.js';
import type { PreferenceSettings } from '../../routing/preference.js';
import type { PreferenceRecord } from '../../store/contracts/preferences.js';
import type { TrainingState } from '../../store/contracts/trainings.js';
import { whyPassedOver } from '../../training/tuning-reader.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from '../../resources/page-request.js';

/** The body of `POST /api/v1/preferences`; `PATCH` and `PUT` change the given fields. */
export interface PreferenceRequest extends PreferenceSettings {
  readonly name?: string | null;
}

const defaultName = 'Preference';
const noSettings = {
  weights: null,
  allow: null,
  exclude: null,
  maxPrice: null,
  maxLatency: null,
  tradeoff: null,
  exploration: null,
};

/**
 * Why requests do not use the preference's trained router; null if they use it, or there is none.
 */
export function whyPassedOverNow({ current }: Parts, { router }: PreferenceRecord): string | null {
  if (router === null) return null;
  return current().ranker.name === 'learned'
    ? whyPassedOver(router.weights)
    : 'routing.ranker is not "learned"';
}

/** @param state the state of its last training; null if there was none */
function shownPreference(
  parts: Parts,
  preference: PreferenceRecord,
  state: TrainingState | null,
): object {
  const { id, name, settings, router, createdAt, updatedAt } = preference;
  const trained =
    router || state
      ? {
          state: state ?? 'done',
          trainedAt: isoOrNull(router?.trainedAt ?? null),
          gain: router?.gain ?? null,
          passedOver: whyPassedOverNow(parts, preference),
        }
      : null;
  return {
    object: 'preference',
    id,
    preference_id: id,
    name,
    ...noSettings,
    ...settings,
    router: trained,
    createdAt: isoOrNull(createdAt),
    updatedAt: isoOrNull(updatedAt),
  };
}

/**
 * Returns a function that formats these preferences of one account, with the state of their last
 * training.
 */
async function shown(
  parts: Parts,
  accountId: string,
  preferences: readonly PreferenceRecord[],
): Promise<(preference: PreferenceRecord) => object> {
  const { store } = await parts.state.opened();
  const trainings = await store.trainings.latest(
    accountId,
    preferences.map(({ id }) => id),
  );
  const states = new Map(trainings.map(({ preferenceId, state }) => [preferenceId, state]));
  return (preference) => shownPreference(parts, preference, states.get(preference.id) ?? null);
}

/**
 * Creates a preference of the caller's account.
 * @throws GatewayError `unavailable` if the database cannot be reached
 */
export async function addPreference(
  { state }: Parts,
  { accountId }: Caller,
  { name, ...settings }: PreferenceRequest,
): Promise<PreferenceRecord> {
  const { store } = await state.opened();
  return store.preferences.add({
    id: randomUUID(),
    accountId,
    name: name ?? defaultName,
    settings,
    createdAt: Date.now(),
  });
}

/**
 * Changes the given fields of a preference.
 * @throws GatewayError `not_found` if it does not exist or belongs to another account
 */
export async function changeSettings(
  { state }: Parts,
  { accountId }: Caller,
  id: string,
  { name, ...settings }: PreferenceRequest,
): Promise<PreferenceRecord> {
  const { store } = await state.opened();
  // guesses must not make all caches ask for changes
  found(await store.preferences.find(accountId, id));
  const record = found(
    await store.preferences.update(accountId, id, { ...(name ? { name } : {}), settings }),
  );
  state.preferences.changed(record);
  return record;
}

/** @throws GatewayError `not_found` for what is not this account's */
export async function dropPreference(
  { state }: Parts,
  { accountId }: Caller,
  id: string,
): Promise<void> {
  const { store } = await state.opened();
  const before = found(await store.preferences.find(accountId, id));
  await store.preferences.remove(accountId, id);
  state.preferences.changed({ ...before, settings: {}, deletedAt: Date.now() });
}

/** `POST /api/v1/preferences`. */
export function createPreference(parts: Parts): RequestHandler {
  return answer(async (req, res) =>
    sendJson(
      res,
      201,
      shownPreference(
        parts,
        await addPreference(parts, callerOf(res), req.body as PreferenceRequest),
        null,
      ),
    ),
  );
}

/** `GET /api/v1/preferences`. */
export function listPreferences(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const { store } = await parts.state.opened();
    const { accountId } = callerOf(res);
    const found = await store.preferences.list(accountId, page);
    sendJson(res, 200, listOf(found, await shown(parts, accountId, found.items)));
  });
}

/** `GET /api/v1/preferences/{id}`. */
export function readPreference(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { store } = await parts.state.opened();
    const preference = found(await store.preferences.find(callerOf(res).accountId, idOf(req)));
    sendJson(res, 200, (await shown(parts, preference.accountId, [preference]))(preference));
  });
}

/** `PATCH` and `PUT /api/v1/preferences/{id}`. */
export function changePreference(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const preference = await changeSettings(
      parts,
      callerOf(res),
      idOf(req),
      req.body as PreferenceRequest,
    );
    sendJson(res, 200, (await shown(parts, preference.accountId, [preference]))(preference));
  });
}

/** `DELETE /api/v1/preferences/{id}`. */
export function deletePreference(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    await dropPreference(parts, callerOf(res), idOf(req));
    res.status(204).end();
  });
}

function found(preference: PreferenceRecord | null): PreferenceRecord {
  if (!preference)
    throw new GatewayError('not_found', 'preference_id: not found', { field: 'preference_id' });
  return preference;
}
