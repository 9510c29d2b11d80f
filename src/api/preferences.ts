import { randomUUID } from 'node:crypto';
import { whyPassedOver } from '../chooser/chooser.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { type PreviewRequest, previewPreference } from '../pipeline/preview/preview-preference.js';
import type { PreferenceSettings, PreferenceRecord } from '../store/contracts/preferences.js';
import type { TrainingState } from '../store/contracts/trainings.js';
import { type Call, endpointsOf, type Endpoint } from './endpoint.js';
import { found, idOf, type List, listOf, pageRequestOf } from './page-request.js';
import { queryParameter } from './parameters.js';
import { isoOrNull, shownFieldsOf, type Shown } from './shown-fields.js';

/** What a preference consists of; a change leaves what is absent, and null removes a setting. */
export interface PreferenceRequest extends PreferenceSettings {
  readonly name?: string | null;
}

/** A preference as the API returns it. Times in ISO 8601. */
export interface Preference
  extends
    Required<PreferenceSettings>,
    Shown<PreferenceRecord, 'id' | 'name' | 'createdAt' | 'updatedAt'> {
  readonly object: 'preference';
  /** The same as `id`, as requests name it. */
  readonly preference_id: string;
  /** The router that was trained for it; null: there was no training. */
  readonly router: PreferenceRouter | null;
}

/** The router that was trained for a preference. */
export interface PreferenceRouter {
  /** Of the last training. What an earlier one has put in use stays in use meanwhile. */
  readonly state: TrainingState;
  /** When what is in use was trained, ISO 8601; null: nothing is. */
  readonly trainedAt: string | null;
  /** What is in use: a trained router, or corrected levels of quality alone; null: nothing. */
  readonly inUse: 'router' | 'calibration' | null;
  /** Of what is in use, over always calling the best single model. */
  readonly gain: number | null;
  /** The share of that model's cost that `tradeoff: cost` saves; null: not as good for less. */
  readonly saved: number | null;
  /** Why requests do not use it; null if they do, or nothing is in use. */
  readonly passedOver: string | null;
}

const noSettings = {
  weights: null,
  allow: null,
  exclude: null,
  maxPrice: null,
  maxLatency: null,
  tradeoff: null,
  exploration: null,
};

/** Why requests do not use the preference's trained router; null: they do, or there is none. */
export function whyPassedOverNow(
  { current }: GatewayParts,
  { router }: PreferenceRecord,
): string | null {
  if (router === null) return null;
  return current().ranker.learns
    ? whyPassedOver(router.weights)
    : 'routing.ranker is not "learned"';
}

/** @param state the state of its last training; null if there was none */
function shownPreference(
  parts: GatewayParts,
  preference: PreferenceRecord,
  state: TrainingState | null,
): Preference {
  const { id, settings, router } = preference;
  const trained =
    router || state
      ? {
          state: state ?? 'done',
          trainedAt: isoOrNull(router?.trainedAt ?? null),
          inUse: router && (router.part ?? 'router'),
          gain: router?.gain ?? null,
          saved: router?.saved ?? null,
          passedOver: whyPassedOverNow(parts, preference),
        }
      : null;
  return {
    object: 'preference',
    id,
    preference_id: id,
    name: preference.name,
    ...noSettings,
    ...settings,
    router: trained,
    ...shownFieldsOf(preference, ['createdAt', 'updatedAt']),
  };
}

/** Returns a function that formats an account's preferences, with the state of their training. */
async function shownWith(
  parts: GatewayParts,
  accountId: string,
  preferences: readonly PreferenceRecord[],
): Promise<(preference: PreferenceRecord) => Preference> {
  const { store } = await parts.state.opened();
  const trainings = await store.trainings.latest(
    accountId,
    preferences.map(({ id }) => id),
  );
  const states = new Map(trainings.map(({ preferenceId, state }) => [preferenceId, state]));
  return (preference) => shownPreference(parts, preference, states.get(preference.id) ?? null);
}

const endpoint = endpointsOf({ tag: 'Preferences' });
const path = '/api/v1/preferences';
const onePath = `${path}/{id}`;
const request = 'preference.request';
const response = 'preference.response';
const weights = { quality: 3, cost: 1, latency: 1 };

/** Newest first. */
export const listPreferences = endpoint('get', path, 'listPreferences', {
  summary: "List the account's preferences, newest first",
  response,
  isList: true,
  async run(call: Call): Promise<List<Preference>> {
    const page = pageRequestOf(call);
    const { accountId } = call.caller;
    const { store } = await call.parts.state.opened();
    const records = await store.preferences.list(accountId, page);
    return listOf(records, await shownWith(call.parts, accountId, records.items));
  },
});

/** Stores a new preference. */
export const createPreference = endpoint('post', path, 'createPreference', {
  summary: 'Create a preference',
  request,
  example: { name: 'support', weights, exclude: ['demo/*'] },
  response,
  status: 201,
  async run({ parts, caller, body }: Call<PreferenceRequest>): Promise<Preference> {
    const { name, ...settings } = body;
    const { store } = await parts.state.opened();
    const preference = await store.preferences.add({
      id: randomUUID(),
      accountId: caller.accountId,
      name: name ?? 'Preference',
      settings,
      createdAt: Date.now(),
    });
    return shownPreference(parts, preference, null);
  },
});

/** One preference. */
export const getPreference = endpoint('get', onePath, 'getPreference', {
  summary: 'One preference',
  response,
  async run(call: Call): Promise<Preference> {
    const { accountId } = call.caller;
    const { store } = await call.parts.state.opened();
    const preference = found(await store.preferences.find(accountId, idOf(call)), 'preference_id');
    return (await shownWith(call.parts, accountId, [preference]))(preference);
  },
});

/** Changes the given settings. */
export const updatePreference = endpoint('patch', onePath, 'updatePreference', {
  summary: 'Change a preference',
  request,
  example: { weights },
  response,
  async run({ parts, caller, params, body }: Call<PreferenceRequest>): Promise<Preference> {
    const { name, ...settings } = body;
    const { accountId } = caller;
    const id = idOf({ params });
    const { store } = await parts.state.opened();
    // guesses must not make all caches ask for changes
    found(await store.preferences.find(accountId, id), 'preference_id');
    const changes = { ...(name ? { name } : {}), settings };
    const changed = await store.preferences.update(accountId, id, changes);
    const record = found(changed, 'preference_id');
    parts.state.chooser.preferences.changed(record);
    return (await shownWith(parts, accountId, [record]))(record);
  },
});

const replacePreference = endpoint('put', onePath, 'replacePreference', {
  ...updatePreference,
  summary: 'Change a preference with PUT',
  description: 'The same as PATCH.',
});

/** Deletes a preference with what was learned and trained for it. */
export const deletePreference = endpoint('delete', onePath, 'deletePreference', {
  summary: 'Delete a preference',
  async run(call: Call): Promise<void> {
    const { accountId } = call.caller;
    await dropPreference(call.parts, accountId, idOf(call));
    await call.record({ act: 'preference.delete', accountId, target: idOf(call) });
  },
});

const preview = endpoint('post', `${path}/preview`, 'previewPreference', {
  summary: 'Try a preference without storing it',
  description:
    'Tells which model would win, by how much and at what cost, for requests of the account, example prompts and messages, beside what wins now.',
  parameters: [queryParameter('explain', 'True: each item names all its candidates.', 'boolean')],
  request: 'preference-preview.request',
  example: { preference: { weights }, examples: true },
  response: 'preference-preview.response',
  run: ({ parts, caller, body, query }: Call<PreviewRequest>) =>
    previewPreference(parts, caller, body, query['explain'] === 'true'),
});

/** Preferences of an account. */
export const preferenceEndpoints: readonly Endpoint[] = [
  listPreferences,
  createPreference,
  getPreference,
  updatePreference,
  replacePreference,
  deletePreference,
  preview,
];

/** Deletes a preference. @throws GatewayError `not_found` for what is not this account's */
export async function dropPreference(
  { state }: GatewayParts,
  accountId: string,
  id: string,
): Promise<void> {
  const { store } = await state.opened();
  const before = found(await store.preferences.find(accountId, id), 'preference_id');
  await store.preferences.remove(accountId, id);
  state.chooser.preferences.changed({ ...before, settings: {}, deletedAt: Date.now() });
}
