import { compileSchema } from '../../config/schema/compile-schema.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { changeShadowing, readShadowing, type Shadowing } from '../shadowing.js';
import { checkFields, refuseOthers, requiredAccount } from './host-fields.js';

/** Whether an account's completions are sent to a second model too, to compare the answers. */
export interface ShadowingMethods {
  /** The account's will, and the share of completions that is configured. */
  get(account: { readonly account: string }): Promise<Shadowing>;
  /** Allows or forbids it, for all requests that end from now on. */
  update(will: { readonly account: string; readonly allowed: boolean }): Promise<Shadowing>;
}

/** What an account allows of shadowing, for the code of a host app. */
export function shadowingMethods(parts: GatewayParts): ShadowingMethods {
  const will = compileSchema<{ readonly allowed: boolean }>('shadowing.request');
  return {
    async get(asked) {
      refuseOthers(asked, ['account']);
      return readShadowing(parts, await requiredAccount(parts, asked));
    },
    async update({ account, ...given }) {
      checkFields(will, given);
      return changeShadowing(parts, await requiredAccount(parts, { account }), given.allowed);
    },
  };
}
