import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Caller } from '../../accounts/caller.js';
import { GatewayError } from '../../errors.js';
import type { PreferenceSettings } from '../../routing/preference.js';
import type { PreferenceRecord } from '../../store/preference-records.js';
import { callerOf } from '../context.js';
import type { Parts } from '../parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from './page-request.js';

/** The body of `POST /api/v1/preferences`; `PATCH` and `PUT` change what is there. */
export interface PreferenceRequest extends PreferenceSettings {
  readonly name?: string | null;
}

const unnamed = 'Preference';
const nothing = { weights: null, allow: null, exclude: null, maxPrice: null, maxLatency: null, tradeoff: null };

function shownPreference({ id, name, settings, createdAt, updatedAt }: PreferenceRecord): object {
  return { object: 'preference', id, preference_id: id, name, ...nothing, ...settings, createdAt: isoOrNull(createdAt), updatedAt: isoOrNull(updatedAt) };
}

/** Makes a preference for that account. */
export async function addPreference({ memory }: Parts, { accountId }: Caller, { name, ...settings }: PreferenceRequest): Promise<PreferenceRecord> {
  const { store } = await memory.opened();
  return store.preferences.add({ id: randomUUID(), accountId, name: name ?? unnamed, settings, createdAt: Date.now() });
}

/** Changes what is given of it. @throws GatewayError `not_found` for what is not this account's */
export async function changeSettings({ memory }: Parts, { accountId }: Caller, id: string, { name, ...settings }: PreferenceRequest): Promise<PreferenceRecord> {
  const { store } = await memory.opened();
  // guesses must not make all caches ask for changes
  found(await store.preferences.find(accountId, id));
  const record = found(await store.preferences.update(accountId, id, { ...(name ? { name } : {}), settings }));
  memory.preferences.changed(record);
  return record;
}

/** @throws GatewayError `not_found` for what is not this account's */
export async function dropPreference({ memory }: Parts, { accountId }: Caller, id: string): Promise<void> {
  const { store } = await memory.opened();
  const before = found(await store.preferences.find(accountId, id));
  await store.preferences.remove(accountId, id);
  memory.preferences.changed({ ...before, settings: {}, deletedAt: Date.now() });
}

/** `POST /api/v1/preferences`. */
export function createPreference(parts: Parts): RequestHandler {
  return answer(async (req, res) => sendJson(res, 201, shownPreference(await addPreference(parts, callerOf(res), req.body as PreferenceRequest))));
}

/** `GET /api/v1/preferences`. */
export function listPreferences(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const { store } = await parts.memory.opened();
    sendJson(res, 200, listOf(await store.preferences.list(callerOf(res).accountId, page), shownPreference));
  });
}

/** `GET /api/v1/preferences/{id}`. */
export function readPreference(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { store } = await parts.memory.opened();
    sendJson(res, 200, shownPreference(found(await store.preferences.find(callerOf(res).accountId, idOf(req)))));
  });
}

/** `PATCH` and `PUT /api/v1/preferences/{id}`. */
export function changePreference(parts: Parts): RequestHandler {
  return answer(async (req, res) => sendJson(res, 200, shownPreference(await changeSettings(parts, callerOf(res), idOf(req), req.body as PreferenceRequest))));
}

/** `DELETE /api/v1/preferences/{id}`. */
export function deletePreference(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    await dropPreference(parts, callerOf(res), idOf(req));
    res.status(204).end();
  });
}

function found(preference: PreferenceRecord | null): PreferenceRecord {
  if (!preference) throw new GatewayError('not_found', 'preference_id: not found', { field: 'preference_id' });
  return preference;
}
