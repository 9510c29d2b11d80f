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

/** What `signalbox keys create` is told. */
export interface KeyWishes {
  readonly name: string | undefined;
  /** Mail address; absent: the account that is there from the start. */
  readonly account: string | undefined;
  /** Separated by commas, as `models`. */
  readonly scopes: string | undefined;
  readonly models: string | undefined;
  /** A date, as `2027-01-31`. */
  readonly expires: string | undefined;
  readonly requestsPerMinute: string | undefined;
  readonly tokensPerMinute: string | undefined;
  readonly dayBudget: string | undefined;
  readonly monthBudget: string | undefined;
}

/** `signalbox keys create`: the key on a line of its own. @throws Error that says which argument is wrong */
export async function createKey(store: Store, wishes: KeyWishes): Promise<string> {
  if (!wishes.name) throw new Error('keys create: --name is needed');
  const key = newKey();
  await store.keys.add(
    keyFor(await accountOf(store, wishes.account), wishes.name, key, {
      scopes: scopesOf(wishes.scopes),
      models: wishes.models ? listOf(wishes.models) : null,
      expiresAt: dateOf(wishes.expires),
      limits: limitsOf(wishes),
    }),
  );
  return `${key}\n`;
}

/** `signalbox keys revoke <id or prefix>`: running gateways feel it within a second. @throws Error where it names no key, or several */
export async function revokeKey(store: Store, named: string | undefined): Promise<string> {
  if (!named) throw new Error('keys revoke: the id or the prefix of a key is needed');
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
  if (!only) throw new Error(`there is no key ${JSON.stringify(named)}`);
  if (another) throw new Error(`several keys begin with ${named}: name one by its id`);
  return only;
}

/** The account with a mail address; the one that is there from the start where none is named. @throws Error where there is none */
export async function accountOf(store: Store, email: string | undefined): Promise<string> {
  if (email === undefined) return firstAccountId;
  const account = await store.accounts.findByEmail(mailAddressOf(email, '--account'));
  if (!account) throw new Error(`--account: there is no account ${email}`);
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
      `--scopes: there is no scope ${JSON.stringify(unknown ?? '')}; there are ${scopes.join(', ')}`,
    );
  return scopes.filter((scope) => named.includes(scope));
}

function dateOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error('--expires: must be a date, as 2027-01-31');
  return at;
}

function limitsOf(wishes: KeyWishes): KeyLimits {
  return {
    ...noLimits,
    requestsPerMinute: numberOf('--requests-per-minute', wishes.requestsPerMinute, true),
    tokensPerMinute: numberOf('--tokens-per-minute', wishes.tokensPerMinute, true),
    dayBudgetUsd: numberOf('--day-budget', wishes.dayBudget, false),
    monthBudgetUsd: numberOf('--month-budget', wishes.monthBudget, false),
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
