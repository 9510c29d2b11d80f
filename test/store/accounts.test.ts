import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AccountRecord,
  firstAccountId,
  type NewAccount,
  noLimits,
  type SignInRecord,
} from '../../src/store/contracts/accounts.js';
import type { NewKey } from '../../src/store/contracts/keys.js';
import type { Store } from '../../src/store/contracts/store.js';
import { type Place, storeRows } from '../helpers/stores.js';

let at = 1_000;
const somebody = (changes: Partial<NewAccount> = {}): NewAccount => ({
  id: randomUUID(),
  email: `${randomUUID()}@example.com`,
  passwordHash: '$argon2id$…',
  at: at++,
  ...changes,
});
const keyOf = (accountId: string): NewKey => ({
  id: randomUUID(),
  accountId,
  name: 'one',
  prefix: 'sk_abcd',
  hash: randomUUID(),
  scopes: ['completions'],
  models: null,
  toolkits: [],
  economy: null,
  limits: noLimits,
  createdAt: at++,
  expiresAt: null,
});

describe.each(storeRows)('the claim of the first account, on $name,', (row) => {
  let place: Place;
  beforeEach(async () => {
    place = await row.place();
    return () => place.remove();
  });

  it('gets the first account with its keys and is the administrator; the others are members', async () => {
    const { accounts, claims, keys } = await place.open();
    const key = await keys.add(keyOf(firstAccountId));
    expect(await claims.hasOwner()).toBe(false);
    const first = await claims.claim({
      email: 'Ada@Example.com',
      passwordHash: '$argon2id$…',
      at: 5,
    });
    expect(await claims.hasOwner()).toBe(true);
    expect(first).toEqual({
      id: firstAccountId,
      email: 'ada@example.com',
      passwordHash: '$argon2id$…',
      role: 'admin',
      createdAt: 5,
      disabledAt: null,
      limits: noLimits,
    });
    expect(await keys.find(first!.id, key.id)).toEqual(key);
    const second = somebody();
    expect(await accounts.create(second)).toMatchObject({ id: second.id, role: 'member' });
  });

  it('is exactly one of 200 at the same time', async () => {
    const stores = await Promise.all([place.open(), place.open()]);
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        stores[index % 2]!.claims.claim({ email: `${index}@a.org`, passwordHash: 'x', at: index }),
      ),
    );
    expect(made.flatMap((account) => account?.id ?? [])).toEqual([firstAccountId]);
  });

  it('updates cached keys, and forgets the code', async () => {
    const { claims, keys } = await place.open();
    const key = await keys.add(keyOf(firstAccountId));
    const { revision } = await keys.changedSince(0);
    expect(await claims.codeHash()).toBeNull();
    expect([await claims.addCode('aa'), await claims.addCode('bb')]).toEqual([true, false]);
    expect(await claims.codeHash()).toBe('aa');
    await claims.setCode('cc');
    expect(await claims.codeHash()).toBe('cc');
    await claims.claim({ email: 'ada@example.com', passwordHash: 'x', at: 1 });
    expect(await claims.codeHash()).toBeNull();
    expect(await claims.addCode('dd')).toBe(false);
    expect((await keys.changedSince(revision)).records).toMatchObject([{ id: key.id }]);
  });

  it('is refused to the address of another account, and then still possible', async () => {
    const { accounts, claims } = await place.open();
    await accounts.create(somebody({ email: 'ada@example.com' }));
    await claims.setCode('aa');
    const claim = (email: string): Promise<AccountRecord | null> =>
      claims.claim({ email, passwordHash: 'x', at: 1 });
    await expect(claim('Ada@example.com')).rejects.toMatchObject({ code: 'conflict' });
    expect(await claims.codeHash()).toBe('aa');
    expect(await claim('grace@example.com')).toMatchObject({ id: firstAccountId });
  });
});

describe.each(storeRows)('a new account, on $name,', (row) => {
  let place: Place;
  beforeEach(async () => {
    place = await row.place();
    return () => place.remove();
  });

  it('has its address, even if others request it at the same time', async () => {
    const { accounts } = await place.open();
    const made = await Promise.all(
      Array.from({ length: 20 }, () => accounts.create(somebody({ email: 'ada@example.com' }))),
    );
    expect(made.filter((account) => account !== null)).toHaveLength(1);
  });
});

describe.each(storeRows)('accounts on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
    await store.claims.claim({ email: 'first@example.com', passwordHash: 'x', at: at++ });
  });
  afterAll(() => place.remove());
  const member = async (changes: Partial<NewAccount> = {}): Promise<AccountRecord> =>
    (await store.accounts.create(somebody(changes)))!;

  it('are found by id and by address, however it is written', async () => {
    const account = await member({ email: 'Grace@Example.com' });
    expect(await store.accounts.find(account.id)).toEqual(account);
    expect(await store.accounts.findByEmail('gRACE@example.COM')).toEqual(account);
    expect(await store.accounts.find(randomUUID())).toBeNull();
    expect(await store.accounts.find('\0')).toBeNull();
    expect(await store.accounts.findByEmail('nobody@example.com')).toBeNull();
    expect(await store.accounts.create(somebody({ email: 'grace@EXAMPLE.com' }))).toBeNull();
  });

  it('change only in the given fields', async () => {
    const account = await member();
    expect(await store.accounts.update(account.id, { passwordHash: 'new' })).toEqual({
      ...account,
      passwordHash: 'new',
    });
    expect(await store.accounts.update(account.id, { disabledAt: 7, role: 'admin' })).toEqual({
      ...account,
      passwordHash: 'new',
      disabledAt: 7,
      role: 'admin',
    });
    expect(
      await store.accounts.update(account.id, { disabledAt: null, email: 'New@Example.com' }),
    ).toMatchObject({ disabledAt: null, email: 'new@example.com' });
    expect(await store.accounts.update(account.id, {})).toMatchObject({ email: 'new@example.com' });
    expect(await store.accounts.update(randomUUID(), { role: 'admin' })).toBeNull();
  });

  it('cannot take the address of another one', async () => {
    const [ada, grace] = [await member(), await member()];
    await expect(
      store.accounts.update(ada.id, { email: grace.email!.toUpperCase() }),
    ).rejects.toMatchObject({ code: 'conflict', field: 'email' });
    expect(await store.accounts.find(ada.id)).toEqual(ada);
  });

  it('are listed newest first, page by page, each once, those of the same moment too', async () => {
    const made = await Promise.all(Array.from({ length: 7 }, () => member({ at: 1_000_000 })));
    const seen: string[] = [];
    for (let cursor: string | null = null, pages = 0; pages === 0 || cursor !== null; pages++) {
      const page = await store.accounts.list({ limit: 3, cursor });
      expect(page.items.length).toBeLessThanOrEqual(3);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect(seen.slice(0, 7).sort()).toEqual(made.map(({ id }) => id).sort());
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain(firstAccountId);
  });

  it.each([
    '',
    'x',
    '****',
    Buffer.from('1.2').toString('base64'),
    Buffer.from('a.b').toString('base64url'),
    Buffer.from(`${'9'.repeat(16)}.a`).toString('base64url'),
    Buffer.from('1.\0').toString('base64url'),
    '\ud800',
  ])('are not listed from the cursor %j, which no page has given', async (cursor) => {
    const isOne = Buffer.from(cursor, 'base64url').toString() === '1.2';
    const page = store.accounts.list({ limit: 3, cursor });
    if (isOne) await expect(page).resolves.toEqual({ items: [], next: null });
    else
      await expect(page).rejects.toMatchObject({
        code: 'bad_request',
        field: 'cursor',
        message: expect.stringMatching(/^cursor: /),
      });
  });

  it('update cached keys when they are disabled or change their role, and not otherwise', async () => {
    const account = await member();
    const keys = [await store.keys.add(keyOf(account.id)), await store.keys.add(keyOf(account.id))];
    await store.keys.add(keyOf(firstAccountId));
    const { revision } = await store.keys.changedSince(Number.MAX_SAFE_INTEGER);
    await store.accounts.update(account.id, { passwordHash: 'new' });
    expect(await store.keys.changedSince(revision)).toEqual({ revision, records: [] });
    await store.accounts.update(account.id, { disabledAt: 9 });
    const changes = await store.keys.changedSince(revision);
    expect(changes.records.map(({ id }) => id).sort()).toEqual(keys.map(({ id }) => id).sort());
    expect(changes.records[0]).toMatchObject({ accountDisabledAt: 9, accountRole: 'member' });
    await store.accounts.update(account.id, { role: 'admin' });
    expect((await store.keys.changedSince(changes.revision)).records[0]).toMatchObject({
      accountRole: 'admin',
    });
  });

  it('are found by a sign-in until it expires or is removed', async () => {
    const account = await member();
    const signIn = {
      tokenHash: randomUUID(),
      accountId: account.id,
      csrfToken: 'c',
      createdAt: 100,
      expiresAt: 200,
    };
    expect(await store.signIns.add(signIn, account.passwordHash ?? '')).toBe(true);
    expect(await store.signIns.find(signIn.tokenHash, 199)).toEqual({ signIn, account });
    expect(await store.signIns.find(signIn.tokenHash, 200)).toBeNull();
    expect(await store.signIns.find(randomUUID(), 100)).toBeNull();
    await store.signIns.remove(signIn.tokenHash);
    expect(await store.signIns.find(signIn.tokenHash, 150)).toBeNull();
    await store.signIns.remove(signIn.tokenHash);
  });

  it('end all sign-ins except one, and none of another account', async () => {
    const [ada, grace] = [await member(), await member()];
    const signIn = (
      accountId: string,
    ): {
      tokenHash: string;
      accountId: string;
      csrfToken: string;
      createdAt: number;
      expiresAt: number;
    } => ({ tokenHash: randomUUID(), accountId, csrfToken: 'c', createdAt: 100, expiresAt: 200 });
    const [first, second, other] = [signIn(ada.id), signIn(ada.id), signIn(grace.id)];
    for (const each of [first, second, other])
      await store.signIns.add(each, ada.passwordHash ?? '');
    const present = async (): Promise<boolean[]> =>
      Promise.all(
        [first, second, other].map(
          async ({ tokenHash }) => (await store.signIns.find(tokenHash, 150)) !== null,
        ),
      );
    await store.signIns.removeAll(ada.id, second.tokenHash);
    expect(await present()).toEqual([false, true, true]);
    await store.signIns.removeAll(ada.id, null);
    expect(await present()).toEqual([false, false, true]);
  });

  it('accept no sign-in for a password that has changed, nor for a disabled account', async () => {
    const account = await member();
    const signIn = {
      tokenHash: randomUUID(),
      accountId: account.id,
      csrfToken: 'c',
      createdAt: 100,
      expiresAt: 200,
    };
    expect(await store.signIns.add(signIn, 'another')).toBe(false);
    await store.accounts.update(account.id, { disabledAt: 9 });
    expect(await store.signIns.add(signIn, account.passwordHash ?? '')).toBe(false);
    expect(await store.signIns.find(signIn.tokenHash, 150)).toBeNull();
  });

  it('keep their newest hundred sign-ins, so that repeated ones do not fill the table', async () => {
    const [ada, grace] = [await member(), await member()];
    const signInAt = (accountId: string, createdAt: number): SignInRecord => ({
      tokenHash: randomUUID(),
      accountId,
      csrfToken: 'c',
      createdAt,
      expiresAt: 10_000,
    });
    const other = signInAt(grace.id, 1);
    await store.signIns.add(other, grace.passwordHash ?? '');
    const all = Array.from({ length: 105 }, (_, index) => signInAt(ada.id, index + 10));
    for (const each of all)
      expect(await store.signIns.add(each, ada.passwordHash ?? '')).toBe(true);
    const found = await Promise.all(all.map(({ tokenHash }) => store.signIns.find(tokenHash, 500)));
    expect(found.map((each) => each !== null)).toEqual(all.map((_, index) => index >= 5));
    expect(await store.signIns.find(other.tokenHash, 500)).not.toBeNull();
  });

  it('end all sign-ins and links with a new password, and none of another account', async () => {
    const [ada, grace] = [await member(), await member()];
    const [kept, ended, other] = [ada, ada, grace].map(({ id }) => ({
      tokenHash: randomUUID(),
      accountId: id,
      csrfToken: 'c',
      createdAt: 100,
      expiresAt: 200,
    })) as [SignInRecord, SignInRecord, SignInRecord];
    for (const each of [kept, ended, other]) {
      await store.signIns.add(each, ada.passwordHash ?? '');
      await store.signIns.addReset({
        tokenHash: `link of ${each.tokenHash}`,
        accountId: each.accountId,
        expiresAt: 200,
      });
    }
    expect(await store.accounts.setPassword(ada.id, 'new', { from: 'another' })).toBe(false);
    expect(await store.accounts.setPassword(randomUUID(), 'new')).toBe(false);
    expect((await store.accounts.find(ada.id))?.passwordHash).toBe(ada.passwordHash);
    expect(
      await store.accounts.setPassword(ada.id, 'new', {
        from: ada.passwordHash ?? '',
        keepTokenHash: kept.tokenHash,
      }),
    ).toBe(true);
    expect((await store.accounts.find(ada.id))?.passwordHash).toBe('new');
    const isThere = await Promise.all(
      [kept, ended, other].map(
        async ({ tokenHash }) => (await store.signIns.find(tokenHash, 150)) !== null,
      ),
    );
    expect(isThere).toEqual([true, false, true]);
    const owners = await Promise.all(
      [kept, ended, other].map(({ tokenHash }) =>
        store.signIns.takeReset(`link of ${tokenHash}`, 150),
      ),
    );
    expect(owners).toEqual([null, null, grace.id]);
    expect(await store.accounts.setPassword(ada.id, 'newest')).toBe(true);
    expect(await store.signIns.find(kept.tokenHash, 150)).toBeNull();
  });

  it('have no sign-in left with a password that is changed while many sign in with it', async () => {
    const account = await member();
    const signIns = Array.from({ length: 40 }, () => ({
      tokenHash: randomUUID(),
      accountId: account.id,
      csrfToken: 'c',
      createdAt: 100,
      expiresAt: 200,
    }));
    const adding = signIns.map((signIn) => store.signIns.add(signIn, account.passwordHash ?? ''));
    await Promise.all([store.accounts.setPassword(account.id, 'new'), ...adding]);
    for (const { tokenHash } of signIns)
      expect(await store.signIns.find(tokenHash, 150)).toBeNull();
  });

  it("accept a reset link once, even for concurrent requests, and end the account's other links", async () => {
    const [ada, grace] = [await member(), await member()];
    const [link, older, other] = [randomUUID(), randomUUID(), randomUUID()];
    for (const [tokenHash, { id }] of [
      [link, ada],
      [older, ada],
      [other, grace],
    ] as const)
      await store.signIns.addReset({ tokenHash, accountId: id, expiresAt: 200 });
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => store.signIns.takeReset(link, 199)),
    );
    expect(taken.filter((accountId) => accountId !== null)).toEqual([ada.id]);
    expect(await store.signIns.takeReset(older, 199)).toBeNull();
    expect(await store.signIns.takeReset(other, 200)).toBeNull();
    expect(await store.signIns.takeReset(other, 100)).toBeNull();
    expect(await store.signIns.takeReset(randomUUID(), 100)).toBeNull();
  });
});
