import {
  changeAccount,
  createAccount,
  findAccount,
  isMailAddress,
  resetLink,
} from '../accounts/administration.js';
import { issueClaimCode } from '../accounts/claim.js';
import { resetUrl } from '../accounts/reset-link.js';
import type { Config } from '../config/config.js';
import {
  type AccountRecord,
  type AccountRole,
  firstAccountId,
} from '../store/contracts/accounts.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/contracts/page.js';
import { recordAct } from './record-act.js';
import { printable, tableOf } from './table.js';
import { actOnAccount } from '../accounts/write-act.js';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isRowless } from '../accounts/caller.js';
import { deleteAccount } from '../accounts/delete-account.js';
import { exportAccount } from '../accounts/export-account.js';
import { type Command, Option } from 'commander';
import { groupOf, onStore, withConfig } from './command-group.js';

type Link = Awaited<ReturnType<typeof resetLink>>['link'];

async function listAccountsCommand(store: Store): Promise<string> {
  const rows: string[][] = [];
  for await (const { id, email, role, createdAt, disabledAt } of everyPage((page) =>
    store.accounts.list(page),
  ))
    rows.push([
      id,
      email ?? (id === firstAccountId ? '(first account)' : ''),
      role,
      disabledAt === null ? 'active' : 'disabled',
      new Date(createdAt).toISOString().slice(0, 10),
    ]);
  return tableOf(['id', 'mail', 'role', 'state', 'created'], rows);
}

/** `signalbox accounts create <mail>`: creates an account, prints a link for its password. */
export async function createAccountCommand(
  store: Store,
  { email, role }: { readonly email: string; readonly role: AccountRole },
  config: Config,
): Promise<string> {
  const { account, link } = await createAccount(store, { email, role }, config.auth.resetMs);
  const details = { email: account.email, role: account.role };
  await recordAct(store, actOnAccount('account.create', account.id, details));
  return `${account.role === 'admin' ? 'administrator' : 'account'} ${account.email ?? ''}\n${linkLines(link, config)}`;
}

/** `signalbox accounts claim-code`: prints a new code that claims the gateway, once. */
export async function claimCodeCommand(store: Store): Promise<string> {
  const code = await issueClaimCode(store);
  await recordAct(store, actOnAccount('account.claim-code', firstAccountId));
  return `${code}\nwhoever enters it on the dashboard's page /claim becomes the administrator, once; or POST /api/v1/auth/claim with {"code", "email", "password"}\n`;
}

/** `signalbox accounts reset <mail address or id>`: prints a link that sets a new password. */
export async function resetAccountCommand(
  store: Store,
  named: string,
  config: Config,
): Promise<string> {
  const { id } = await accountNamed(store, named);
  const { account, link } = await resetLink(store, id, config.auth.resetMs);
  await recordAct(store, actOnAccount('account.reset-link', id));
  return `account ${account.email ?? account.id}\n${linkLines(link, config)}`;
}

/** What `signalbox accounts disable`, `enable`, `promote` and `demote` change. */
const accountChanges = {
  disable: { disabled: true },
  enable: { disabled: false },
  // lets an administrator in who locked themselves out
  promote: { role: 'admin', disabled: false },
  demote: { role: 'member' },
} as const;

/** Changes an account's rights, with effect on running gateways within a second. */
export async function changeAccountCommand(
  store: Store,
  named: string,
  change: keyof typeof accountChanges,
): Promise<string> {
  const { id } = await accountNamed(store, named);
  const { email, role, disabledAt } = await changeAccount(store, id, accountChanges[change]);
  await recordAct(store, actOnAccount('account.change', id, accountChanges[change]));
  return `${email ?? id}: ${role === 'admin' ? 'administrator' : 'member'}, ${disabledAt === null ? 'active' : 'disabled'}\n`;
}

/** @throws Error if there is no account with this mail address or id */
async function accountNamed(store: Store, named: string): Promise<AccountRecord> {
  const account = await findAccount(store, named, 'the account');
  if (!account)
    throw new Error(
      `no account has the ${isMailAddress(named) ? 'mail address' : 'id'} ${named}; "signalbox accounts list" shows all`,
    );
  return account;
}

function linkLines({ token, expiresAt }: Link, { publicUrl, listen }: Config): string {
  const localUrl = `http://${listen.host}:${listen.port}`;
  return `${resetUrl(publicUrl ?? localUrl, token)}\nvalid once, until ${new Date(expiresAt).toISOString()}\n`;
}

/**
 * `signalbox accounts delete <mail address or id>`.
 * @param isConfirmed otherwise a person at the terminal is asked
 * @throws Error where there is no terminal, and unless the answer is yes
 */
export async function deleteAccountCommand(
  store: Store,
  named: string,
  isConfirmed: boolean,
): Promise<string> {
  const id = await idNamed(store, named);
  if (!isConfirmed) await confirm(named);
  await deleteAccount(store, id);
  await recordAct(store, actOnAccount('account.delete', id));
  return `deleted: ${printable(named)}\n`;
}

/** `signalbox accounts export <mail address or id>`: writes JSON Lines, of any length. */
export async function exportAccountCommand(
  store: Store,
  named: string,
  output: NodeJS.WritableStream = process.stdout,
): Promise<string> {
  const id = await idNamed(store, named);
  await recordAct(store, actOnAccount('account.export', id));
  const lines = exportAccount(store, id, { isComplete: true });
  await pipeline(Readable.from(lines), output, { end: false });
  return '';
}

/** The accounts of fixed keys and of a host's users have no row, and so no other name. */
const idNamed = async (store: Store, named: string): Promise<string> =>
  isRowless(named) ? named : (await accountNamed(store, named)).id;

async function confirm(named: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Error('--yes: is required where the command cannot ask for confirmation');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal
    .question(
      `Delete ${printable(named)} with its keys, conversations and all other data? (yes/no) `,
    )
    .finally(() => terminal.close());
  if (answer.trim().toLowerCase() !== 'yes') throw new Error('nothing was deleted');
}

const meanings: Record<keyof typeof accountChanges, string> = {
  disable: 'disable an account: end its sign-ins and refuse its keys',
  enable: 'enable an account: its keys work again, and its owner can sign in again',
  promote: 'make an account an administrator and enable it; its sign-ins and keys stay',
  demote: 'make an account a member; its sign-ins and keys stay, for its own data only',
};

/** Adds `signalbox accounts …`. */
export function addAccountCommands(program: Command): void {
  const accounts = groupOf(program, 'accounts', 'create, list and change accounts');
  accounts.command('list').description('list all accounts').action(onStore(listAccountsCommand));
  accounts
    .command('create <mail>')
    .description('create an account and print a link that sets its password')
    .addOption(
      new Option('--role <role>', 'what it may do').choices(['admin', 'member']).default('member'),
    )
    .action(
      withConfig((store, config, email: string, { role }: { role: AccountRole }) =>
        createAccountCommand(store, { email, role }, config),
      ),
    );
  accounts
    .command('claim-code')
    .description('print a code that claims an unclaimed gateway')
    .action(onStore(claimCodeCommand));
  accounts
    .command('reset <account>')
    .description('print a link that sets a new password')
    .action(
      withConfig((store, config, account: string) => resetAccountCommand(store, account, config)),
    );
  for (const change of Object.keys(accountChanges) as (keyof typeof accountChanges)[])
    accounts
      .command(`${change} <account>`)
      .description(`${meanings[change]} (a mail address or an id)`)
      .action(onStore((store, account: string) => changeAccountCommand(store, account, change)));
  addDataCommands(accounts);
}

function addDataCommands(accounts: Command): void {
  accounts
    .command('delete <account>')
    .description('delete an account with all its data (a mail address or an id)')
    .option('--yes', 'do not ask for confirmation')
    .action(
      onStore((store, account: string, { yes = false }: { yes?: boolean }) =>
        deleteAccountCommand(store, account, yes),
      ),
    );
  accounts
    .command('export <account>')
    .description('print all data of an account as JSON Lines (a mail address or an id)')
    .action(onStore((store, account: string) => exportAccountCommand(store, account)));
}
