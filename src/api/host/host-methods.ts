import { writeAct } from '../../accounts/write-act.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { ApiContext } from '../api-context.js';
import type { UsageSums } from '../usage.js';
import { type AccountMethods, accountMethods } from './accounts.js';
import { type ConversationMethods, conversationMethods } from './conversations.js';
import { type KeyMethods, keyMethods } from './keys.js';
import { type PreferenceMethods, preferenceMethods } from './preferences.js';
import { type ShadowingMethods, shadowingMethods } from './shadowing.js';
import { usageFor, type UsageQuestion } from './usage.js';

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
  const acting: ApiContext = {
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
    keys: keyMethods(acting),
    accounts: accountMethods(acting),
    conversations: conversationMethods(parts),
    preferences: preferenceMethods(acting),
    shadowing: shadowingMethods(parts),
    usage: (question = {}) => usageFor(parts, question),
  };
}
