import { firstAccountId } from '../store/contracts/accounts.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/every-page.js';
import { tableOf } from './table.js';

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
