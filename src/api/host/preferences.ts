import type { ApiContext } from '../api-context.js';
import type { List } from '../page-request.js';
import {
  createPreference,
  deletePreference,
  getPreference,
  listPreferences,
  type Preference,
  type PreferenceRequest,
  updatePreference,
} from '../preferences.js';
import type { OwnedId } from './conversations.js';
import { hostMethod } from './host-call.js';
import type { PageOptions } from './host-fields.js';

/** The preferences of an account, as `/api/v1/preferences` has them. */
export interface PreferenceMethods {
  /** Creates a preference. @throws GatewayError `validation_failed` */
  create(preference: PreferenceRequest & { readonly account: string }): Promise<Preference>;
  /** An account's preferences, newest first. */
  list(options: PageOptions & { readonly account: string }): Promise<List<Preference>>;
  /** One preference. @throws GatewayError `not_found` */
  get(preference: OwnedId): Promise<Preference>;
  /**
   * Changes the given fields; `null` removes a setting.
   * @throws GatewayError `not_found`, `validation_failed`
   */
  update(changes: PreferenceRequest & OwnedId): Promise<Preference>;
  /** Deletes a preference. @throws GatewayError `not_found` */
  delete(preference: OwnedId): Promise<void>;
}

/** The preferences, for the code of a host app. */
export const preferenceMethods = (host: ApiContext): PreferenceMethods => ({
  create: hostMethod(host, createPreference, 'required'),
  list: hostMethod(host, listPreferences, 'required'),
  get: hostMethod(host, getPreference, 'required'),
  update: hostMethod(host, updatePreference, 'required'),
  delete: hostMethod(host, deletePreference, 'required'),
});
