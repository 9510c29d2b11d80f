import { firstAccountId } from '../store/contracts/accounts.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';

const titles = ['id', 'prefix', 'state', 'account', 'scopes', 'name'];

/** `signalbox keys list`: one line for each key of all accounts, newest first. */
export async function listKeysCommand(store: Store): Promise<string> {
  const rows = [titles];
  const owners = new Map<string, string>();
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const page = await store.keys.list(null, { limit: 100, cursor });
    for (const key of page.items) {
      const owner = owners.get(key.accountId) ?? (await ownerOf(store, key));
      owners.set(key.accountId, owner);
      rows.push([
        key.id,
        key.prefix,
        stateOf(key),
        owner,
        key.scopes.join(','),
        printable(key.name),
      ]);
    }
    cursor = page.next;
  }
  const widths = titles.map((_title, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/**
 * Replaces control characters, so that a name cannot move the terminal's cursor or start a new
 * line.
 */
export const printable = (name: string): string => name.replace(/\p{C}/gu, '?');

/**
 * The account's mail address. The accounts of keys in the configuration have none and are shown by
 * id.
 */
async function ownerOf({ accounts }: Store, { accountId }: KeyRecord): Promise<string> {
  const account = await accounts.find(accountId);
  return account?.email ?? (accountId === firstAccountId ? 'first account' : printable(accountId));
}

function stateOf({ revokedAt, expiresAt, accountDisabledAt }: KeyRecord): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= Date.now()) return 'expired';
  return accountDisabledAt === null ? 'active' : 'disabled';
}
