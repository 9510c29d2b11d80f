import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isRowless } from '../accounts/caller.js';
import { deleteAccount } from '../accounts/delete-account.js';
import { exportAccount } from '../accounts/export-account.js';
import type { Store } from '../store/contracts/store.js';
import { accountNamed } from './accounts.js';
import { recordAct } from './record-act.js';
import { printable } from './table.js';
import { actOnAccount } from '../accounts/write-act.js';

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
