import type { Command } from 'commander';
import { groupOf, onStore, wholeNumber } from './command-group.js';
import type { Store } from '../store/contracts/store.js';
import { shownConversation, shownMessage } from '../api/shown-conversation.js';
import { everyPage } from '../store/contracts/page.js';
import { findAccountId } from './keys.js';
import { recordAct } from './record-act.js';
import { tableOf } from './table.js';

/** Whose conversation is meant. */
interface OfAccount {
  readonly account?: string;
}

/** Adds `signalbox conversations …`. */
export function addConversationCommands(program: Command): void {
  const group = groupOf(program, 'conversations', 'list, export and delete conversations');
  const ofAccount = (name: string): Command =>
    group.command(name).option('--account <mail>', 'whose; default: the first account');
  ofAccount('list')
    .description('list the conversations of an account, the last used first')
    .option('--limit <n>', 'how many at most', wholeNumber, 20)
    .action(onStore(listConversationsCommand));
  ofAccount('export <id>')
    .description('print a conversation with its messages as JSON')
    .action(onStore(exportConversationCommand));
  ofAccount('delete <id>')
    .description('delete a conversation')
    .action(onStore(deleteConversationCommand));
}

async function listConversationsCommand(
  store: Store,
  { account, limit }: OfAccount & { readonly limit: number },
): Promise<string> {
  const accountId = await findAccountId(store, account);
  const rows: (string | number)[][] = [];
  for await (const one of everyPage((page) => store.conversations.list(accountId, page))) {
    if (rows.length >= limit) break;
    const usedAt = new Date(one.updatedAt).toISOString().slice(0, 16).replace('T', ' ');
    rows.push([one.id, usedAt, one.messageCount, one.title]);
  }
  return tableOf(['id', 'last used', 'messages', 'title'], rows);
}

/** `signalbox conversations export <id>`: the conversation with its messages, as JSON. */
export async function exportConversationCommand(
  store: Store,
  id: string,
  { account }: OfAccount,
): Promise<string> {
  const accountId = await findAccountId(store, account);
  const found = await store.conversations.find(accountId, id);
  if (!found) throw new Error(noConversation(id));
  const messages: object[] = [];
  for await (const message of everyPage((page) =>
    store.conversations.messages(accountId, id, page),
  ))
    messages.push(shownMessage(message));
  await recordAct(store, { act: 'conversation.export', accountId, target: id });
  return `${JSON.stringify({ ...shownConversation(found), messages }, null, 2)}\n`;
}

/** `signalbox conversations delete <id>`. */
export async function deleteConversationCommand(
  store: Store,
  id: string,
  { account }: OfAccount,
): Promise<string> {
  const accountId = await findAccountId(store, account);
  if (!(await store.conversations.remove(accountId, id))) throw new Error(noConversation(id));
  await recordAct(store, { act: 'conversation.delete', accountId, target: id });
  return `deleted: ${id}\n`;
}

const noConversation = (id: string): string =>
  `the account has no conversation ${JSON.stringify(id)}; --account MAIL names another account`;
