import type { Command } from 'commander';
import { groupOf, onStore } from './command-group.js';
import {
  createKeyCommand,
  type KeyOptions,
  revokeKeyCommand,
  rotateKeyCommand,
  updateKeyCommand,
} from './keys.js';
import { firstAccountId } from '../store/contracts/accounts.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/contracts/page.js';
import { tableOf } from './table.js';

/** Adds `signalbox keys …`. */
export function addKeyCommands(program: Command): void {
  const keys = groupOf(program, 'keys', 'create, list, change, rotate and revoke API keys');
  withSettings(keys.command('create'))
    .description('create a key and print it; only its hash is stored')
    .requiredOption('--name <name>', 'a name for people')
    .option('--account <mail>', 'whose key; default: the first account')
    .action((options: KeyOptions, command: Command) =>
      onStore(command, (store) => createKeyCommand(store, options)),
    );
  keys
    .command('list')
    .description('list the keys of all accounts')
    .action((_options: unknown, command: Command) => onStore(command, listKeysCommand));
  withSettings(keys.command('update <key>'))
    .description('change a key, by id or prefix; "none" removes a limit')
    .option('--name <name>', 'a name for people')
    .action((key: string, options: KeyOptions, command: Command) =>
      onStore(command, (store) => updateKeyCommand(store, key, options)),
    );
  keys
    .command('rotate <key>')
    .description('give a key, by id or prefix, a new secret and print it')
    .option('--overlap <time>', 'how long the old one works: 90s, 30m, 24h, 7d or 0', '24h')
    .action((key: string, { overlap }: { overlap: string }, command: Command) =>
      onStore(command, (store) => rotateKeyCommand(store, key, overlap)),
    );
  keys
    .command('revoke <key>')
    .description('revoke a key, by id or prefix, within a second everywhere')
    .action((key: string, _options: unknown, command: Command) =>
      onStore(command, (store) => revokeKeyCommand(store, key)),
    );
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
