import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/administration.js';
import type { KeyOptions } from '../../src/cli/key-options.js';
import { createKeyCommand, listKeysCommand } from '../../src/cli/keys.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';

let store: Store;
beforeEach(async () => void (store = await openStore(':memory:')));
afterEach(() => store.close());

const nothing: KeyOptions = {
  name: undefined,
  account: undefined,
  scopes: undefined,
  models: undefined,
  expires: undefined,
  requestsPerMinute: undefined,
  tokensPerMinute: undefined,
  dayBudget: undefined,
  monthBudget: undefined,
};
const make = (wishes: Partial<KeyOptions>): Promise<string> =>
  createKeyCommand(store, { ...nothing, ...wishes });
const invite = (email: string): Promise<unknown> => createAccount(store, { email }, 1_000);
const lines = async (): Promise<string[]> => (await listKeysCommand(store)).trimEnd().split('\n');

describe('the list of keys', () => {
  it('shows the account, state and scopes of each key in columns', async () => {
    await make({ name: 'before anybody', scopes: 'admin,completions' });
    expect((await lines())[1]).toMatch(/active +first account +completions,admin +before anybody$/);
    for (const email of ['ada@example.org', 'bob@example.org']) await invite(email);
    await make({ name: 'shop', account: 'BOB@example.org', scopes: 'model-select' });
    const [titles, newest, oldest] = await lines();
    expect(titles).toMatch(/^id {36}prefix {7}state {3}account {10}scopes {13}name$/);
    expect(newest).toMatch(
      /^\S{36} {2}sk_\S{8} {2}active {2}bob@example\.org {2}model-select {7}shop$/,
    );
    expect(oldest).toMatch(
      /^\S{36} {2}sk_\S{8} {2}active {2}first account {4}completions,admin {2}before anybody$/,
    );
  });

  it('shows a key whose account is disabled as disabled', async () => {
    for (const email of ['ada@example.org', 'bob@example.org']) await invite(email);
    await make({ name: 'shop', account: 'bob@example.org' });
    await store.accounts.update((await store.accounts.findByEmail('bob@example.org'))!.id, {
      disabledAt: 1,
    });
    expect((await lines())[1]).toMatch(/ disabled +bob@example\.org /);
  });

  it('lets no name move the cursor or turn the line around', async () => {
    await make({ name: 'one\u001b[2J\u202e\nid' });
    expect((await lines())[1]).toMatch(/ one\?\[2J\?\?id$/);
  });

  it('finds an account however its address is typed', async () => {
    await invite('jos\u00e9@example.org');
    await make({ name: 'shop', account: 'Jose\u0301@example.org' });
    expect((await lines())[1]).toContain('jos\u00e9@example.org');
  });
});
