import { defaultScopes } from '../accounts/caller.js';
import { keyFor, maxOverlapSeconds, rotateKey } from '../accounts/first-key.js';
import { newKey } from '../accounts/static-keys.js';
import { keyCreated } from '../accounts/write-act.js';
import { mailAddressOf } from '../accounts/mail-address.js';
import { firstAccountId, type KeyLimits, noLimits } from '../store/contracts/accounts.js';
import { type KeyRecord, type Scope, scopes } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/contracts/page.js';
import { recordAct } from './record-act.js';
import { printable, tableOf } from './table.js';
import type { Command } from 'commander';
import { groupOf, onStore } from './command-group.js';

/** The options of `signalbox keys create` and `update`. */
export interface KeyOptions {
  readonly name?: string;
  /** Mail address. Default: the first account. */
  readonly account?: string;
  /** Separated by commas, like `models` and `toolkits`. */
  readonly scopes?: string;
  readonly models?: string;
  readonly toolkits?: string;
  /** A date such as `2027-01-31`. */
  readonly expires?: string;
  readonly requestsPerMinute?: string;
  readonly tokensPerMinute?: string;
  readonly dayBudget?: string;
  readonly monthBudget?: string;
}

/** Removes a setting in `signalbox keys update`. */
const none = 'none';

/**
 * `signalbox keys create`: prints the key on its own line.
 * @throws Error that names the wrong argument
 */
export async function createKeyCommand(store: Store, options: KeyOptions): Promise<string> {
  if (!options.name) throw new Error('--name: must not be empty');
  const key = newKey();
  const added = await store.keys.add(
    keyFor(await findAccountId(store, options.account), options.name, key, {
      scopes: scopesOf(options.scopes),
      models: options.models ? listOf(options.models) : null,
      toolkits: listOf(options.toolkits ?? ''),
      expiresAt: options.expires === undefined ? null : dateOf(options.expires),
      limits: { ...noLimits, ...limitsOf(options) },
    }),
  );
  await recordAct(store, keyCreated(added));
  return `${key}\n`;
}

/**
 * `signalbox keys update <id or prefix>`: changes what the options name, with effect on running
 * gateways within a second.
 * @throws Error if no key or several keys match, or an option is wrong
 */
export async function updateKeyCommand(
  store: Store,
  named: string,
  options: KeyOptions,
): Promise<string> {
  const { name, scopes: scopeNames, models, toolkits, expires } = options;
  const limits = limitsOf(options);
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(scopeNames === undefined ? {} : { scopes: scopesOf(scopeNames) }),
    ...(models === undefined ? {} : { models: models === none ? null : listOf(models) }),
    ...(toolkits === undefined ? {} : { toolkits: toolkits === none ? [] : listOf(toolkits) }),
    ...(expires === undefined ? {} : { expiresAt: expires === none ? null : dateOf(expires) }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
  if (Object.keys(changes).length === 0)
    throw new Error('nothing to change; "signalbox keys update --help" lists the options');
  const { id, accountId } = await keyNamed(store, named);
  const updated = await store.keys.update(null, id, changes);
  await recordAct(store, { act: 'key.change', accountId, target: id, details: changes });
  return `updated: ${printable(updated?.name ?? named)}\n`;
}

/**
 * `signalbox keys revoke <id or prefix>`: running gateways refuse the key within a second.
 * @throws Error if no key or several keys match
 */
export async function revokeKeyCommand(store: Store, named: string): Promise<string> {
  const { id, accountId, name, revokedAt } = await keyNamed(store, named);
  if (revokedAt === null) {
    await store.keys.update(null, id, { revokedAt: Date.now() });
    await recordAct(store, { act: 'key.revoke', accountId, target: id });
  }
  return `revoked: ${printable(name)}\n`;
}

/** @throws Error if no key or several keys have this id or prefix */
async function keyNamed(store: Store, named: string): Promise<KeyRecord> {
  const byId = await store.keys.find(null, named);
  if (byId) return byId;
  const matching: KeyRecord[] = [];
  for await (const key of everyPage((page) => store.keys.list(null, page)))
    if (key.prefix === named) matching.push(key);
  const [only, another] = matching;
  if (!only)
    throw new Error(
      `no key has the id or prefix ${JSON.stringify(named)}; "signalbox keys list" shows all`,
    );
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

function dateOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error('--expires: must be a date such as 2027-01-31');
  if (at <= Date.now()) throw new Error('--expires: must be in the future');
  return at;
}

/** The limits that the options name. */
function limitsOf(options: KeyOptions): Partial<KeyLimits> {
  const { requestsPerMinute, tokensPerMinute, dayBudget, monthBudget } = options;
  const limits = {
    requestsPerMinute: numberOf('--requests-per-minute', requestsPerMinute, true),
    tokensPerMinute: numberOf('--tokens-per-minute', tokensPerMinute, true),
    dayBudgetUsd: numberOf('--day-budget', dayBudget, false),
    monthBudgetUsd: numberOf('--month-budget', monthBudget, false),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** Undefined if the option is absent; null for `none`. */
function numberOf(
  option: string,
  text: string | undefined,
  isWhole: boolean,
): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === none) return null;
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

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * `signalbox keys rotate <id or prefix>`: prints the new secret on its own line.
 * @param overlap how long the old secret works, such as `24h`
 * @param say tells a person when that ends, apart from the output
 * @throws Error if no key or several keys match, or the overlap is wrong
 */
export async function rotateKeyCommand(
  store: Store,
  named: string,
  overlap: string,
  say: (line: string) => void = sayAtTerminal,
): Promise<string> {
  const overlapSeconds = secondsOf(overlap);
  const { id, accountId } = await keyNamed(store, named);
  const { key } = await rotateKey(store, { id, accountId: null, overlapSeconds });
  await recordAct(store, { act: 'key.rotate', accountId, target: id, details: { overlapSeconds } });
  const end = new Date(Date.now() + overlapSeconds * 1_000).toISOString().slice(0, 19);
  say(`the old secret ${overlapSeconds === 0 ? 'works no longer' : `works until ${end}Z`}`);
  return `${key}\n`;
}

function sayAtTerminal(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${line}\n`);
}

function secondsOf(text: string): number {
  const [, digits, unit = 's'] = /^(\d{1,7})([smhd])?$/.exec(text) ?? [];
  const span = Number(digits) * (seconds[unit] ?? NaN);
  // a number that has no unit could mean anything, except 0
  if (!(span >= 0 && span <= maxOverlapSeconds) || (span > 0 && /\d$/.test(text)))
    throw new Error(
      `--overlap: must be a time such as 90s, 30m, 24h or 7d, at most ${maxOverlapSeconds / 86_400}d`,
    );
  return span;
}

/** Adds `signalbox keys …`. */
export function addKeyCommands(program: Command): void {
  const keys = groupOf(program, 'keys', 'create, list, change, rotate and revoke API keys');
  withSettings(keys.command('create'))
    .description('create a key and print it; only its hash is stored')
    .requiredOption('--name <name>', 'a name for people')
    .option('--account <mail>', 'whose key; default: the first account')
    .action(onStore(createKeyCommand));
  keys
    .command('list')
    .description('list the keys of all accounts')
    .action(onStore(listKeysCommand));
  withSettings(keys.command('update <key>'))
    .description('change a key, by id or prefix; "none" removes a limit')
    .option('--name <name>', 'a name for people')
    .action(onStore(updateKeyCommand));
  keys
    .command('rotate <key>')
    .description('give a key, by id or prefix, a new secret and print it')
    .option('--overlap <time>', 'how long the old one works: 90s, 30m, 24h, 7d or 0', '24h')
    .action(
      onStore((store, key: string, { overlap }: { overlap: string }) =>
        rotateKeyCommand(store, key, overlap),
      ),
    );
  keys
    .command('revoke <key>')
    .description('revoke a key, by id or prefix, within a second everywhere')
    .action(onStore(revokeKeyCommand));
}

const withSettings = (command: Command): Command =>
  command
    .option('--scopes <list>', 'of completions, model-select and admin')
    .option('--models <globs>', 'models it may use, such as openai/*,<provider>/*')
    .option('--toolkits <globs>', 'toolkits it may use; default: none')
    .option('--expires <date>', 'such as 2027-01-31')
    .option('--requests-per-minute <n>', 'requests a minute')
    .option('--tokens-per-minute <n>', 'tokens a minute')
    .option('--day-budget <usd>', 'USD a day (UTC)')
    .option('--month-budget <usd>', 'USD a month (UTC)');

const titles = ['id', 'prefix', 'state', 'account', 'scopes', 'name'];

/** `signalbox keys list`: one line for each key of all accounts, newest first. */
export async function listKeysCommand(store: Store): Promise<string> {
  const rows: string[][] = [];
  const owners = new Map<string, string>();
  for await (const key of everyPage((page) => store.keys.list(null, page))) {
    const owner = owners.get(key.accountId) ?? (await ownerOf(store, key));
    owners.set(key.accountId, owner);
    rows.push([key.id, key.prefix, stateOf(key), owner, key.scopes.join(','), key.name]);
  }
  return tableOf(titles, rows);
}

/**
 * The account's mail address. The accounts of keys in the configuration have none and are shown by
 * id.
 */
async function ownerOf({ accounts }: Store, { accountId }: KeyRecord): Promise<string> {
  const account = await accounts.find(accountId);
  return account?.email ?? (accountId === firstAccountId ? 'first account' : accountId);
}

function stateOf({ revokedAt, expiresAt, accountDisabledAt }: KeyRecord): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= Date.now()) return 'expired';
  return accountDisabledAt === null ? 'active' : 'disabled';
}
