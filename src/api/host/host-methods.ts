import type { AccountChanges } from '../../accounts/administration.js';
import { writeAct } from '../../accounts/write-act.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { UsageGrouping } from '../../store/contracts/requests.js';
import * as accounts from '../accounts.js';
import * as conversations from '../conversations.js';
import type { ApiContext } from '../endpoint.js';
import * as keys from '../keys.js';
import type { List } from '../page-request.js';
import * as preferences from '../preferences.js';
import { getShadowing, setShadowing, type Shadowing } from '../savings.js';
import type { ConversationWithMessages, StoredConversation } from '../shown-conversation.js';
import { getUsageSums, type UsageSums } from '../figures/usage.js';
import { hostMethod, refuseOthers, requiredText } from './host-call.js';

/** Which part of a list is wanted. */
export interface PageOptions {
  /** From 1 to 100. Default: 20. */
  readonly limit?: number | null;
  /** `next` of the page before. Default: the first page. */
  readonly cursor?: string | null;
}

/** Names something that belongs to an account. */
export interface OwnedId {
  /** `host:<your id>` for one of your users, or an id that the gateway has given. */
  readonly account: string;
  readonly id: string;
}

/** Names one key. */
export interface KeyId {
  readonly id: string;
  /** If given, keys of other accounts are not found. */
  readonly account?: string;
}

/** The keys that the gateway issues, as `/api/v1/keys` has them. */
export interface KeyMethods {
  /**
   * Issues a key to an account. Only this answer contains the key itself.
   * @param key `account`: `host:<your id>` for one of your users, or an id that the gateway has given
   * @throws GatewayError `validation_failed`, `not_found` for an unknown account
   */
  create(key: keys.KeyTerms & { readonly account: string }): Promise<keys.IssuedKey>;
  /** An account's keys, revoked ones too, newest first. Without `account`: of all accounts. */
  list(options?: PageOptions & { readonly account?: string }): Promise<List<keys.Key>>;
  /** One key. @throws GatewayError `not_found` */
  get(key: KeyId): Promise<keys.Key>;
  /**
   * Changes the given fields, with effect on every replica within a second; `null` removes a limit,
   * the models or the end.
   * @throws GatewayError `not_found`, `validation_failed`
   */
  update(changes: Partial<keys.KeyTerms> & KeyId): Promise<keys.Key>;
  /**
   * Gives a key a new secret, which only this answer contains. The old one works until the overlap
   * ends, by default for a day.
   * @throws GatewayError `not_found`, `conflict` for a key that may not be used any more
   */
  rotate(rotation: keys.RotationTerms & KeyId): Promise<keys.IssuedKey>;
  /** Revokes a key permanently. @throws GatewayError `not_found` */
  revoke(key: KeyId): Promise<void>;
}

/**
 * The accounts that the gateway stores: those of people who sign in to it. Your own users and the
 * keys of the configuration are not among them, but have data that can be exported and deleted.
 */
export interface AccountMethods {
  /** The accounts, newest first. */
  list(options?: PageOptions): Promise<List<accounts.Account>>;
  /** One account. @throws GatewayError `not_found` */
  get(account: { readonly id: string }): Promise<accounts.Account>;
  /**
   * Changes an account's role, its limits, or whether it is disabled, with effect on its keys and
   * browsers within a second.
   * @throws GatewayError `not_found`, `validation_failed`, `conflict` if no administrator would be
   * left
   */
  update(changes: AccountChanges & { readonly id: string }): Promise<accounts.Account>;
  /**
   * Deletes an account with all its data; `host:<your id>` deletes that of one of your users.
   * @throws GatewayError `not_found`, `conflict` for the last administrator
   */
  delete(account: { readonly id: string }): Promise<void>;
  /**
   * All data of an account, with its conversations, as lines of JSON; `host:<your id>` for one of
   * your users. The last line is `{"object":"end"}`.
   * @throws GatewayError `not_found`, as the lines are read
   */
  export(account: { readonly id: string }): AsyncIterable<string>;
}

/** The stored conversations of an account, as `/api/v1/conversations` has them. */
export interface ConversationMethods {
  /** An account's conversations, most recently used first. */
  list(options: PageOptions & { readonly account: string }): Promise<List<StoredConversation>>;
  /** A conversation with a page of its messages, oldest first. @throws GatewayError `not_found` */
  get(conversation: OwnedId & PageOptions): Promise<ConversationWithMessages>;
  /** Gives it a title. @throws GatewayError `not_found`, `validation_failed` */
  rename(conversation: OwnedId & { readonly title: string }): Promise<StoredConversation>;
  /** Deletes it with its messages. @throws GatewayError `not_found` */
  delete(conversation: OwnedId): Promise<void>;
}

/** The preferences of an account, as `/api/v1/preferences` has them. */
export interface PreferenceMethods {
  /** Creates a preference. @throws GatewayError `validation_failed` */
  create(
    preference: preferences.PreferenceRequest & { readonly account: string },
  ): Promise<preferences.Preference>;
  /** An account's preferences, newest first. */
  list(options: PageOptions & { readonly account: string }): Promise<List<preferences.Preference>>;
  /** One preference. @throws GatewayError `not_found` */
  get(preference: OwnedId): Promise<preferences.Preference>;
  /**
   * Changes the given fields; `null` removes a setting.
   * @throws GatewayError `not_found`, `validation_failed`
   */
  update(changes: preferences.PreferenceRequest & OwnedId): Promise<preferences.Preference>;
  /** Deletes a preference. @throws GatewayError `not_found` */
  delete(preference: OwnedId): Promise<void>;
}

/** Selects usage. Times are a `Date`, ISO 8601, or ms since 1970. */
export interface UsageQuestion {
  /** `host:<your id>` for one of your users, or the gateway's id. Default: all accounts. */
  readonly account?: string;
  /** The id or the name of a key. */
  readonly key?: string | null;
  readonly provider?: string | null;
  /** With `provider`, or as `<provider>/<model>`. */
  readonly model?: string | null;
  /** Default: 30 days before `to`. The whole UTC day counts. */
  readonly from?: Date | string | number | null;
  /** Exclusive. Default: now. */
  readonly to?: Date | string | number | null;
  /** What the sums are grouped by. Default: by day and model. */
  readonly by?: readonly UsageGrouping[] | null;
  /** From 1 to 1,000, which is the default. */
  readonly limit?: number | null;
  /** `next` of the page before. */
  readonly cursor?: string | null;
}

/** Whether an account's completions are sent to a second model too, to compare the answers. */
export interface ShadowingMethods {
  /** The account's will, and the share of completions that is configured. */
  get(account: { readonly account: string }): Promise<Shadowing>;
  /** Allows or forbids it, for all requests that end from now on. */
  update(will: { readonly account: string; readonly allowed: boolean }): Promise<Shadowing>;
}

/**
 * What the HTTP routes do with keys, accounts, usage, conversations, preferences and shadowing, for a
 * host's own code, which acts as an administrator. The audit log names it `host`.
 */
export interface HostMethods {
  readonly keys: KeyMethods;
  readonly accounts: AccountMethods;
  readonly conversations: ConversationMethods;
  readonly preferences: PreferenceMethods;
  readonly shadowing: ShadowingMethods;
  /**
   * Sums of requests, tokens and cost over whole UTC days, as `GET /api/v1/usage`.
   * @throws GatewayError `validation_failed`, `not_found` for an unknown account
   */
  usage(question?: UsageQuestion): Promise<UsageSums>;
}

/** Who acts, as the audit log shows it. */
const host = { actor: 'host', actorAccountId: null, actorKeyId: null, address: null };

/** The methods of a gateway for its host's own code. */
export function hostMethods(parts: GatewayParts): HostMethods {
  const context: ApiContext = {
    parts,
    record: (done) =>
      writeAct(
        async () => (await parts.state.opened()).store,
        host,
        done,
        ({ message }) => parts.log.warning(message),
      ),
  };
  return {
    keys: {
      create: hostMethod(context, keys.createKey, 'required'),
      list: hostMethod(context, keys.listKeys, 'optional'),
      get: hostMethod(context, keys.getKey, 'optional'),
      update: hostMethod(context, keys.updateKey, 'optional'),
      rotate: hostMethod(context, keys.replaceSecret, 'optional'),
      revoke: hostMethod(context, keys.revokeKey, 'optional'),
    },
    accounts: accountMethods(context),
    conversations: {
      list: hostMethod(context, conversations.listConversations, 'required'),
      get: hostMethod(context, conversations.getConversation, 'required'),
      rename: hostMethod(context, conversations.updateConversation, 'required'),
      delete: hostMethod(context, conversations.deleteConversation, 'required'),
    },
    preferences: {
      create: hostMethod(context, preferences.createPreference, 'required'),
      list: hostMethod(context, preferences.listPreferences, 'required'),
      get: hostMethod(context, preferences.getPreference, 'required'),
      update: hostMethod(context, preferences.updatePreference, 'required'),
      delete: hostMethod(context, preferences.deletePreference, 'required'),
    },
    shadowing: {
      get: hostMethod(context, getShadowing, 'required'),
      update: hostMethod(context, setShadowing, 'required'),
    },
    usage: hostMethod(context, getUsageSums, 'optional'),
  };
}

const accountMethods = (context: ApiContext): AccountMethods => ({
  list: hostMethod(context, accounts.listAccounts, 'none'),
  update: hostMethod(context, accounts.updateAccount, 'none'),
  async get(account) {
    refuseOthers(account, ['id']);
    return accounts.oneAccount(context.parts, requiredText(account, 'id'));
  },
  async delete(account) {
    refuseOthers(account, ['id']);
    await accounts.dropAccount(context, requiredText(account, 'id'));
  },
  async *export(account) {
    refuseOthers(account, ['id']);
    yield* await accounts.accountLines(context, requiredText(account, 'id'), { isComplete: true });
  },
});
