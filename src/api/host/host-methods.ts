import { writeAct } from '../../accounts/write-act.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { ApiContext } from '../api-context.js';
import { getShadowing, setShadowing, type Shadowing } from '../savings.js';
import type { UsageGrouping } from '../../store/contracts/requests.js';
import { getUsage, type UsageSums, usageSums } from '../usage.js';
import { hostMethod } from './host-call.js';
import { type AccountMethods, accountMethods } from './accounts.js';
import { type ConversationMethods, conversationMethods } from './conversations.js';
import { type KeyMethods, keyMethods } from './keys.js';
import { type PreferenceMethods, preferenceMethods } from './preferences.js';

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
    keys: keyMethods(context),
    accounts: accountMethods(context),
    conversations: conversationMethods(context),
    preferences: preferenceMethods(context),
    shadowing: {
      get: hostMethod(context, getShadowing, 'required'),
      update: hostMethod(context, setShadowing, 'required'),
    },
    usage: hostMethod(context, { ...getUsage, run: usageSums }, 'optional'),
  };
}
