import { userInfo } from 'node:os';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/administration.js';
import { deleteAccountCommand, exportAccountCommand } from '../../src/cli/accounts.js';
import { createKeyCommand } from '../../src/cli/keys.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';

const mail = 'ada@example.org';
let store: Store;
let id: string;
beforeEach(async () => {
  store = await openStore(':memory:');
  ({
    account: { id },
  } = await createAccount(store, { email: mail }, 1_000));
  await createKeyCommand(store, { name: 'shop', account: mail });
  const conversation = { id: 'c', accountId: id, title: 'Whales', createdAt: 1 };
  await store.conversations.create({ ...conversation, titleSource: 'given' });
  await store.research.save({ id: 'r', accountId: id, json: '{"asked":["Whales?"]}', at: 2 });
});
afterEach(() => store.close());

describe('signalbox accounts export', () => {
  it('prints the account, its keys, conversations and notes of research as JSON Lines', async () => {
    const output = new PassThrough();
    const read = text(output);
    await exportAccountCommand(store, mail, output);
    output.end();
    const lines = (await read).trimEnd().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows).toMatchObject([
      { object: 'account', id, email: mail },
      { object: 'key', name: 'shop' },
      { object: 'conversation', title: 'Whales', createdAt: '1970-01-01T00:00:00.001Z' },
      {
        object: 'research',
        id: 'r',
        at: '1970-01-01T00:00:00.002Z',
        notes: { asked: ['Whales?'] },
      },
      { object: 'end' },
    ]);
  });
});

describe('signalbox accounts delete', () => {
  it('deletes an account by its mail address or id, once', async () => {
    expect(await deleteAccountCommand(store, mail, true)).toBe(`deleted: ${mail}\n`);
    const page = { limit: 1, cursor: null };
    expect((await store.audit.list({ accountId: id }, page)).items).toMatchObject([
      { act: 'account.delete', actor: userInfo().username, address: 'command line', target: id },
    ]);
    expect(await store.accounts.find(id)).toBeNull();
    expect(await store.conversations.find(id, 'c')).toBeNull();
    expect(await store.research.find(id, 'r')).toBeNull();
    await expect(deleteAccountCommand(store, id, true)).rejects.toThrow(
      `no account has the id ${id}`,
    );
  });

  it('deletes the data of a fixed key, which has no account of its own', async () => {
    const conversation = { id: 'f', accountId: 'fixed:ci', title: 'Build', createdAt: 1 };
    await store.conversations.create({ ...conversation, titleSource: 'given' });
    expect(await deleteAccountCommand(store, 'fixed:ci', true)).toBe('deleted: fixed:ci\n');
    expect(await store.conversations.find('fixed:ci', 'f')).toBeNull();
    await expect(deleteAccountCommand(store, 'fixed:ci', true)).rejects.toThrow('not found');
  });

  it('does nothing without --yes where it cannot ask', async () => {
    await expect(deleteAccountCommand(store, mail, false)).rejects.toThrow(
      '--yes: is required where the command cannot ask for confirmation',
    );
    expect(await store.accounts.find(id)).not.toBeNull();
  });
});
