import { GatewayError } from '../errors.js';
import {
  type AccountRecord,
  type AccountRole,
  type KeyLimits,
  noLimits,
} from '../store/contracts/accounts.js';
import { type KeyRecord, type Scope, scopes } from '../store/contracts/keys.js';

/** Who sent a request, and what they may do. */
export interface Caller extends Pick<KeyRecord, 'scopes' | 'models' | 'toolkits' | 'economy'> {
  /** Whose data the caller sees; each fixed key is an account of its own, `fixed:<name>`. */
  readonly accountId: string;
  readonly role: AccountRole;
  /** Null for a signed-in browser, and where no key is required. */
  readonly keyId: string | null;
  /** The key's name or the account's mail address; `anonymous` where no key is required. */
  readonly name: string;
  /** Its share where requests wait for a slot: see `SlotQueue`. */
  readonly weight: number;
  readonly limits: KeyLimits;
  /** The limits of its account, for all keys and browsers together. */
  readonly accountLimits: KeyLimits;
}

/** The scopes of a key that states none. */
export const defaultScopes: readonly Scope[] = ['completions', 'model-select'];

/** The caller without a key, where none is required: may use models, and has no account. */
export const anonymous: Caller = {
  accountId: 'anonymous',
  role: 'member',
  keyId: null,
  name: 'anonymous',
  scopes: defaultScopes,
  models: null,
  toolkits: [],
  economy: null,
  weight: 1,
  limits: noLimits,
  accountLimits: noLimits,
};

/** A key that the configuration fixes, without the key itself. */
export interface FixedKey {
  readonly name: string;
  /** Globs of the model labels that the key may use; absent: all. */
  readonly models?: readonly string[];
  /** Names or globs of the toolkits that the key may use; absent: none. */
  readonly toolkits?: readonly string[];
  /** The dial of economy for requests that do not set it; absent: as configured. */
  readonly economy?: number;
  /** Its share where requests wait; absent: 1. */
  readonly weight?: number;
  /** Absent: all, but for a limited key, which could issue keys without limits, not `admin`. */
  readonly scopes?: readonly Scope[];
  readonly limits?: Partial<KeyLimits>;
}

/** The caller of a key that the configuration fixes. */
export function fixedCaller({ scopes: granted, limits, ...key }: FixedKey): Caller {
  const { name, models = null, toolkits = [], economy = null, weight = 1 } = key;
  return {
    ...anonymous,
    accountId: `fixed:${name}`,
    keyId: `fixed:${name}`,
    name,
    models,
    toolkits,
    economy,
    weight,
    limits: { ...noLimits, ...limits },
    scopes: granted ?? (models || limits ? defaultScopes : scopes),
  };
}

/** The caller of an issued key. */
export const issuedCaller = (key: KeyRecord): Caller => ({
  accountId: key.accountId,
  role: key.accountRole,
  keyId: key.id,
  name: key.name,
  scopes: key.scopes,
  models: key.models,
  toolkits: key.toolkits,
  economy: key.economy,
  weight: 1,
  limits: key.limits,
  accountLimits: key.accountLimits,
});

/** The caller of a signed-in browser, for its own account. Administrators may use all toolkits. */
export function signedInCaller({ id, email, role, limits }: AccountRecord): Caller {
  const toolkits = role === 'admin' ? ['*'] : [];
  const own = { accountId: id, role, name: email ?? id, scopes, toolkits, accountLimits: limits };
  return { ...anonymous, ...own };
}

/** Why an issued key may not be used at `now`, in ms since 1970; null: it may. */
export function refusalOf(
  { revokedAt, expiresAt, accountDisabledAt, secretValidUntil }: KeyRecord,
  now: number,
): string | null {
  if (revokedAt !== null) return `this API key was revoked on ${isoOf(revokedAt)}`;
  if (expiresAt !== null && now >= expiresAt) return `this API key expired on ${isoOf(expiresAt)}`;
  if (secretValidUntil !== null && now >= secretValidUntil)
    return `this API key was rotated, and its old secret ended on ${isoOf(secretValidUntil)}; use the new one`;
  return accountDisabledAt === null ? null : 'the account of this API key is disabled';
}

const isoOf = (at: number): string => new Date(at).toISOString();

/** For whom a host's own code acts: an account of the host's, kept apart from all others. */
export interface HostCaller {
  /**
   * Your own id of the user or team: the account that conversations, limits, usage and learning
   * belong to. The gateway's own accounts never have the same.
   */
  readonly account: string;
  /** Shown in the log. Default: the account. */
  readonly name?: string | null;
  /** Default: `completions` and `model-select`. */
  readonly scopes?: readonly Scope[] | null;
  /** Globs of the labels that it may use. Default: every model. */
  readonly models?: readonly string[] | null;
  /** Names or globs of the toolkits that it may use. Default: none. */
  readonly toolkits?: readonly string[] | null;
  /** The dial of economy, 0 to 10, for requests that do not set it. Default: as configured. */
  readonly economy?: number | null;
  /** Bounds of all requests of the account together. Default: none. */
  readonly limits?: Partial<KeyLimits> | null;
}

/** Whether an account id can be one without a row: a host's user's, a fixed key's, `anonymous`. */
export const isRowless = (accountId: string): boolean =>
  /^(host:|fixed:).|^anonymous$/s.test(accountId);

/** A host's user as a caller. The prefix keeps its account apart from the gateway's own. */
export function hostCaller({ account, name, limits, ...given }: HostCaller): Caller {
  return {
    ...anonymous,
    accountId: `host:${account}`,
    name: name ?? account,
    scopes: given.scopes ?? defaultScopes,
    models: given.models ?? null,
    toolkits: given.toolkits ?? [],
    economy: given.economy ?? null,
    accountLimits: { ...noLimits, ...limits },
  };
}

/** @throws GatewayError `forbidden` if the caller lacks the scope */
export function checkScope({ scopes, keyId }: Caller, scope: Scope): void {
  if (scopes.includes(scope)) return;
  const who = keyId === null ? 'this user' : 'this API key';
  throw new GatewayError('forbidden', `authorization: ${who} lacks the scope \`${scope}\``);
}
