import { compileSchema } from '../../config/schema/compile-schema.js';
import type { ApiContext } from '../api-context.js';
import type { List } from '../page-request.js';
import {
  addPreference,
  changeSettings,
  endPreference,
  onePreference,
  pageOfPreferences,
  type Preference,
  type PreferenceRequest,
} from '../preferences.js';
import {
  askedPage,
  checkFields,
  type PageOptions,
  refuseOthers,
  requiredAccount,
  requiredAccountAndId,
} from './host-fields.js';
import type { OwnedId } from './conversations.js';

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
export function preferenceMethods(acting: ApiContext): PreferenceMethods {
  const { parts } = acting;
  const settings = compileSchema<PreferenceRequest>('preference.request');
  return {
    async create({ account, ...given }) {
      checkFields(settings, given);
      return addPreference(parts, await requiredAccount(parts, { account }), given);
    },
    async list(options) {
      const page = askedPage(options, ['account']);
      return pageOfPreferences(parts, await requiredAccount(parts, options), page);
    },
    async get(asked) {
      refuseOthers(asked, ['account', 'id']);
      return onePreference(parts, ...(await requiredAccountAndId(parts, asked)));
    },
    async update(asked) {
      const { account: _account, id: _id, ...given } = asked;
      checkFields(settings, given);
      return changeSettings(parts, ...(await requiredAccountAndId(parts, asked)), given);
    },
    async delete(asked) {
      refuseOthers(asked, ['account', 'id']);
      await endPreference(acting, ...(await requiredAccountAndId(parts, asked)));
    },
  };
}
