import { type Command, Option } from 'commander';
import {
  accountChanges,
  changeAccountCommand,
  claimCodeCommand,
  createAccountCommand,
  deleteAccountCommand,
  exportAccountCommand,
  listAccountsCommand,
  resetAccountCommand,
} from './accounts.js';
import type { AccountRole } from '../store/contracts/accounts.js';
import { groupOf, onStore, wholeNumber } from './command-group.js';
import {
  deleteConversationCommand,
  exportConversationCommand,
  listConversationsCommand,
} from './conversations.js';

const meanings: Record<keyof typeof accountChanges, string> = {
  disable: 'disable an account: end its sign-ins and refuse its keys',
  enable: 'enable an account: its keys work again, and its owner can sign in again',
  promote: 'make an account an administrator and enable it; its sign-ins and keys stay',
  demote: 'make an account a member; its sign-ins and keys stay, for its own data only',
};

/** Adds `signalbox accounts …` and `signalbox conversations …`. */
export function addAccountCommands(program: Command): void {
  const accounts = groupOf(program, 'accounts', 'create, list and change accounts');
  accounts
    .command('list')
    .description('list all accounts')
    .action((_options: unknown, command: Command) => onStore(command, listAccountsCommand));
  accounts
    .command('create <mail>')
    .description('create an account and print a link that sets its password')
    .addOption(
      new Option('--role <role>', 'what it may do').choices(['admin', 'member']).default('member'),
    )
    .action((email: string, { role }: { role: AccountRole }, command: Command) =>
      onStore(command, (store, config) => createAccountCommand(store, { email, role }, config)),
    );
  accounts
    .command('claim-code')
    .description('print a code that claims an unclaimed gateway')
    .action((_options: unknown, command: Command) => onStore(command, claimCodeCommand));
  accounts
    .command('reset <account>')
    .description('print a link that sets a new password')
    .action((account: string, _options: unknown, command: Command) =>
      onStore(command, (store, config) => resetAccountCommand(store, account, config)),
    );
  for (const change of Object.keys(accountChanges) as (keyof typeof accountChanges)[])
    accounts
      .command(`${change} <account>`)
      .description(`${meanings[change]} (a mail address or an id)`)
      .action((account: string, _options: unknown, command: Command) =>
        onStore(command, (store) => changeAccountCommand(store, account, change)),
      );
  addDataCommands(accounts);
  addConversationCommands(program);
}

function addDataCommands(accounts: Command): void {
  accounts
    .command('delete <account>')
    .description('delete an account with all its data (a mail address or an id)')
    .option('--yes', 'do not ask for confirmation')
    .action((account: string, { yes = false }: { yes?: boolean }, command: Command) =>
      onStore(command, (store) => deleteAccountCommand(store, account, yes)),
    );
  accounts
    .command('export <account>')
    .description('print all data of an account as JSON Lines (a mail address or an id)')
    .action((account: string, _options: unknown, command: Command) =>
      onStore(command, (store) => exportAccountCommand(store, account)),
    );
}

interface OfAccount {
  readonly account?: string;
  readonly limit: number;
}

function addConversationCommands(program: Command): void {
  const group = groupOf(program, 'conversations', 'list, export and delete conversations');
  const ofAccount = (name: string): Command =>
    group.command(name).option('--account <mail>', 'whose; default: the first account');
  ofAccount('list')
    .description('list the conversations of an account, the last used first')
    .option('--limit <n>', 'how many at most', wholeNumber, 20)
    .action(({ account, limit }: OfAccount, command: Command) =>
      onStore(command, (store) => listConversationsCommand(store, account, limit)),
    );
  ofAccount('export <id>')
    .description('print a conversation with its messages as JSON')
    .action((id: string, { account }: OfAccount, command: Command) =>
      onStore(command, (store) => exportConversationCommand(store, id, account)),
    );
  ofAccount('delete <id>')
    .description('delete a conversation')
    .action((id: string, { account }: OfAccount, command: Command) =>
      onStore(command, (store) => deleteConversationCommand(store, id, account)),
    );
}
