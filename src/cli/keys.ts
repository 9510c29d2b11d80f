import { defaultScopes } from '../accounts/caller.js';
import { keyFor } from '../accounts/first-key.js';
import { newKey } from '../accounts/static-keys.js';
import { mailAddressOf } from '../accounts/mail-address.js';
import { firstAccountId } from '../store/contracts/accounts.js';
import {
  type KeyLimits,
  type KeyRecord,
  noLimits,
  type Scope,
  scopes,
} from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';
import { printable } from './list-keys.js';

/** The options of `signalbox keys create`. */
export interface KeyOptions {
  readonly name: string | undefined;
  /** Mail address. Default: the first account. */
  readonly account: string | undefined;
  /** Separated by commas, like `models`. */
  readonly scopes: string | undefined;
  readonly models: string | undefined;
  /** A date such as `2027-01-31`. */
  readonly expires: string | undefined;
  readonly requestsPerMinute: string | undefined;
  readonly tokensPerMinute: string | undefined;
  readonly dayBudget: string | undefined;
  readonly monthBudget: string | undefined;
}

/**
 * `signalbox keys create`: prints the key on its own line.
 * @throws Error that names the wrong argument
 */
export async function createKeyCommand(store: Store, options: KeyOptions): Promise<string> {
  if (!options.name) throw new Error('keys create: --name is missing');
  const key = newKey();
  await store.keys.add(
    keyFor(await findAccountId(store, options.account), options.name, key, {
      scopes: scopesOf(options.scopes),
      models: options.models ? listOf(options.models) : null,
      expiresAt: dateOf(options.expires),
      limits: limitsOf(options),
    }),
  );
  return `${key}\n`;
}

/**
 * `signalbox keys revoke <id or prefix>`: running gateways refuse the key within a second.
 * @throws Error if no key or several keys match
 */
export async function revokeKeyCommand(store: Store, named: string | undefined): Promise<string> {
  if (!named) throw new Error('keys revoke: the id or prefix of a key is missing');
  const { id, name, revokedAt } = await keyNamed(store, named);
  if (revokedAt === null) await store.keys.update(null, id, { revokedAt: Date.now() });
  return `revoked: ${printable(name)}\n`;
}

async function keyNamed(store: Store, named: string): Promise<KeyRecord> {
  const byId = await store.keys.find(null, named);
  if (byId) return byId;
  const matching: KeyRecord[] = [];
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const page = await store.keys.list(null, { limit: 100, cursor });
    matching.push(...page.items.filter(({ prefix }) => prefix === named));
    cursor = page.next;
  }
  const [only, another] = matching;
  if (!only) throw new Error(`no key has the id or prefix ${JSON.stringify(named)}`);
  if (another) throw new Error(`several keys have the prefix ${named}: give the id of one of them`);
  return only;
}

/**
 * The id of the account with a mail address, by default of the first account.
 * @throws Error if there is no such account
 */
export async function findAccountId(store: Store, email: string | undefined): Promise<string> {
  if (email === undefined) return firstAccountId;
  const account = await store.accounts.findByEmail(mailAddressOf(email, '--account'));
  if (!account) throw new Error(`--account: no account has the mail address ${email}`);
  return account.id;
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function scopesOf(text: string | undefined): readonly Scope[] {
  if (text === undefined) return defaultScopes;
  const named = listOf(text);
  const unknown = named.find((scope) => !scopes.some((known) => known === scope));
  if (unknown !== undefined || named.length === 0)
    throw new Error(
      `--scopes: unknown scope ${JSON.stringify(unknown ?? '')}; the scopes are ${scopes.join(', ')}`,
    );
  return scopes.filter((scope) => named.includes(scope));
}

function dateOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error('--expires: must be a date such as 2027-01-31');
  return at;
}

function limitsOf(options: KeyOptions): KeyLimits {
  return {
    ...noLimits,
    requestsPerMinute: numberOf('--requests-per-minute', options.requestsPerMinute, true),
    tokensPerMinute: numberOf('--tokens-per-minute', options.tokensPerMinute, true),
    dayBudgetUsd: numberOf('--day-budget', options.dayBudget, false),
    monthBudgetUsd: numberOf('--month-budget', options.monthBudget, false),
  };
}

function numberOf(option: string, text: string | undefined, isWhole: boolean): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (
    text.trim() === '' ||
    !Number.isFinite(value) ||
    value < 0 ||
    (isWhole && (!Number.isSafeInteger(value) || value < 1))
  )
    throw new Error(
      `${option}: must be ${isWhole ? 'a whole number of at least 1' : 'a number of USD'}`,
    );
  return value;
}
