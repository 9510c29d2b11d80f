import { defaultScopes } from '../accounts/caller.js';
import { keyFor, maxOverlapSeconds, rotateKey } from '../accounts/first-key.js';
import { newKey } from '../accounts/static-keys.js';
import { keyCreated } from '../accounts/write-act.js';
import { mailAddressOf } from '../accounts/mail-address.js';
import { firstAccountId, noLimits } from '../store/contracts/accounts.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/contracts/page.js';
import { recordAct } from './record-act.js';
import { printable, tableOf } from './table.js';
import type { Command } from 'commander';
import { groupOf, onStore, withConfig } from './command-group.js';
import { longestAnswersOf } from '../gateway.js';
import { changesOf, type KeyOptions, withSettings } from './key-options.js';

/**
 * `signalbox keys create`: prints the key on its own line, and says apart from that how many of the
 * longest `answers` its budget pays for. @throws Error that names the wrong argument
 */
export async function createKeyCommand(
  store: Store,
  options: KeyOptions,
  answers: ReturnType<typeof longestAnswersOf> = [],
  say: (line: string) => void = sayAtTerminal,
): Promise<string> {
  if (!options.name) throw new Error('--name: must not be empty');
  const key = newKey();
  const { limits, ...terms } = changesOf(options);
  const added = await store.keys.add(
    keyFor(await findAccountId(store, options.account), options.name, key, {
      scopes: defaultScopes,
      ...terms,
      limits: { ...noLimits, ...limits },
    }),
  );
  await recordAct(store, keyCreated(added));
  const usd = added.limits.dayBudgetUsd ?? added.limits.monthBudgetUsd ?? 0;
  for (const one of usd > 0 ? answers : [])
    say(`${usd} USD pay for ${Math.floor(usd / one.usd)} longest answers of ${one.model}`);
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
  const changes = changesOf(options);
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

/** The id of an account by mail address, by default the first. @throws Error if there is none */
export async function findAccountId(store: Store, email: string | undefined): Promise<string> {
  if (email === undefined) return firstAccountId;
  const account = await store.accounts.findByEmail(mailAddressOf(email, '--account'));
  if (!account) throw new Error(`--account: no account has the mail address ${email}`);
  return account.id;
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
    .action(
      withConfig((store, config, options: KeyOptions) =>
        createKeyCommand(store, options, longestAnswersOf(config)),
      ),
    );
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

/** The account's mail address; accounts of configured keys have none and show their id. */
async function ownerOf({ accounts }: Store, { accountId }: KeyRecord): Promise<string> {
  const account = await accounts.find(accountId);
  return account?.email ?? (accountId === firstAccountId ? 'first account' : accountId);
}

function stateOf({ revokedAt, expiresAt, accountDisabledAt }: KeyRecord): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= Date.now()) return 'expired';
  return accountDisabledAt === null ? 'active' : 'disabled';
}
