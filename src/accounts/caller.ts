import type { AccountRecord, Role } from '../store/contracts/accounts.js';
import {
  type KeyLimits,
  type KeyRecord,
  noLimits,
  type Scope,
  scopes,
} from '../store/contracts/keys.js';

/** Who is asking, and what they may do. */
export interface Caller {
  /** Owner of what is asked for; a fixed key is an account of its own, `fixed:<name>`. */
  readonly accountId: string;
  readonly role: Role;
  /** Null for a browser that has signed in, and where no key is required. */
  readonly keyId: string | null;
  /** The key's name or the account's mail address; `anonymous` where no key is required. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Globs of the labels that it may use; null: every model. */
  readonly models: readonly string[] | null;
  readonly limits: KeyLimits;
}

/** What a key is good for unless it is said otherwise. */
export const ordinaryScopes: readonly Scope[] = ['completions', 'model-select'];

/** Whoever asks where keys are not required: may use models, but has nothing of its own to administer. */
export const anonymous: Caller = {
  accountId: 'anonymous',
  role: 'member',
  keyId: null,
  name: 'anonymous',
  scopes: ordinaryScopes,
  models: null,
  limits: noLimits,
};

/** A key that the configuration fixes. One that is bounded cannot issue unbounded keys, unless `admin` is granted in so many words. */
export function fixedCaller({
  name,
  models,
  scopes: granted,
  limits,
}: {
  name: string;
  models?: readonly string[];
  scopes?: readonly Scope[];
  limits?: Partial<KeyLimits>;
}): Caller {
  return {
    accountId: `fixed:${name}`,
    role: 'member',
    keyId: `fixed:${name}`,
    name,
    scopes: granted ?? (models || limits ? ordinaryScopes : scopes),
    models: models ?? null,
    limits: { ...noLimits, ...limits },
  };
}

/** A key that was issued. */
export function callerOf({
  accountId,
  accountRole,
  id,
  name,
  scopes: granted,
  models,
  limits,
}: KeyRecord): Caller {
  return { accountId, role: accountRole, keyId: id, name, scopes: granted, models, limits };
}

/** An account in a browser that has signed in: it may do everything of its own. */
export function signedInCaller({ id, email, role }: AccountRecord): Caller {
  return {
    accountId: id,
    role,
    keyId: null,
    name: email ?? id,
    scopes,
    models: null,
    limits: noLimits,
  };
}

/** Whether an issued key may be used at that time, in ms since 1970. */
export function isUsable(
  { revokedAt, expiresAt, accountDisabledAt }: KeyRecord,
  now: number,
): boolean {
  return (
    revokedAt === null && accountDisabledAt === null && (expiresAt === null || now < expiresAt)
  );
}

/** Who a host's own code acts for: an account of the host's, which the gateway keeps apart from all others. */
export interface HostCaller {
  /** The account that conversations, limits, usage and learning belong to. */
  readonly account: string;
  /** Shown in the log. Default: the account. */
  readonly name?: string;
  /** Default: `completions` and `model-select`. */
  readonly scopes?: readonly Scope[];
  /** Globs of the labels that it may use. Default: every model. */
  readonly models?: readonly string[] | null;
  /** Default: none. */
  readonly limits?: Partial<KeyLimits>;
}

/** A host's user as a caller. */
export function hostCaller({ account, name, scopes, models, limits }: HostCaller): Caller {
  return {
    accountId: account,
    role: 'member',
    keyId: null,
    name: name ?? account,
    scopes: scopes ?? ordinaryScopes,
    models: models ?? null,
    limits: { ...noLimits, ...limits },
  };
}
