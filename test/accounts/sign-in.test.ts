import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AccountContext,
  type AccountRules,
  BackgroundTasks,
} from '../../src/accounts/account-context.js';
import type { Mail, Mailer } from '../../src/accounts/mailer.js';
import { changePassword, completeReset, requestReset } from '../../src/accounts/new-password.js';
import { argon2Hasher, type PasswordHasher, Passwords } from '../../src/accounts/passwords.js';
import { issueResetLink } from '../../src/accounts/reset-link.js';
import { signIn } from '../../src/accounts/sign-in.js';
import { signUp } from '../../src/accounts/sign-up.js';
import { hashToken } from '../../src/accounts/tokens.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { noLimits } from '../../src/store/contracts/accounts.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';

const from = '192.0.2.1';
const password = 'correct horse';
const rules: AccountRules = {
  web: true,
  signUp: 'open',
  signUpLimits: noLimits,
  signUpDomains: [],
  signInMs: 3_600_000,
  resetMs: 60_000,
  publicUrl: 'https://llm.example.org',
  mailer: null,
  warn: () => undefined,
};

/**
 * argon2 that records its work; a test may act after a password is verified and before one is
 * hashed.
 */
class WatchedHasher implements PasswordHasher {
  work: string[] = [];
  beforeVerify: () => Promise<void> = () => Promise.resolve();
  beforeHash: () => Promise<void> = () => Promise.resolve();

  async hash(text: string): Promise<string> {
    this.work.push('hash');
    await this.beforeHash();
    return argon2Hasher.hash(text);
  }

  async verify(hash: string, text: string): Promise<boolean> {
    this.work.push('verify');
    const result = await argon2Hasher.verify(hash, text);
    await this.beforeVerify();
    return result;
  }

  isCurrent(hash: string): Promise<boolean> {
    return argon2Hasher.isCurrent(hash);
  }
}

let store: Store;
let hasher: WatchedHasher;
let context: AccountContext;
beforeEach(async () => {
  store = await openStore(':memory:');
  hasher = new WatchedHasher();
  context = {
    store,
    counters: createMemoryCounters(),
    passwords: new Passwords(hasher),
    backgroundTasks: new BackgroundTasks(),
    rules,
    now: Date.now,
    record: () => Promise.resolve(),
  };
  await signUp(context, { email: 'ada@example.org', password, from });
});
afterEach(() => store.close());

/** The decoy is hashed once, by the first check. */
const passwordsReady = (): Promise<unknown> =>
  context.passwords.check('any password', null, { from });

describe('signing in', () => {
  it('does the same work for an address without an account, a disabled account and one without a password', async () => {
    const bob = await store.accounts.create({
      id: '00000000-0000-4000-8000-00000000000b',
      email: 'bob@example.org',
      passwordHash: await argon2Hasher.hash(password),
      at: 0,
    });
    await store.accounts.update(bob!.id, { disabledAt: 1 });
    await store.accounts.create({
      id: '00000000-0000-4000-8000-00000000000c',
      email: 'carol@example.org',
      passwordHash: null,
      at: 0,
    });
    await expect(
      signIn(context, { email: 'ada@example.org', password: 'wrong horse', from }),
    ).rejects.toMatchObject({ code: 'unauthorized' });
    for (const [email, tried] of [
      ['ada@example.org', 'wrong horse'],
      ['nobody@example.org', password],
      ['bob@example.org', password],
      ['carol@example.org', password],
    ] as const) {
      hasher.work = [];
      await expect(signIn(context, { email, password: tried, from: email })).rejects.toMatchObject({
        code: 'unauthorized',
        message: 'the mail address or the password is wrong',
      });
      expect(hasher.work, email).toEqual(['verify']);
    }
  });

  it('stores only the hash of the token', async () => {
    const { token, signIn: kept } = await signIn(context, {
      email: 'ada@example.org',
      password,
      from,
    });
    expect(kept.tokenHash).toBe(hashToken(token));
    expect(JSON.stringify(await store.signIns.find(hashToken(token), Date.now()))).not.toContain(
      token,
    );
    expect(kept.csrfToken).toMatch(/^[\w-]{43}$/);
    expect(kept.expiresAt - kept.createdAt).toBe(rules.signInMs);
  });

  it('ends with a password that was changed while it was checked', async () => {
    const account = await store.accounts.findByEmail('ada@example.org');
    const changed = await argon2Hasher.hash('another horse');
    hasher.beforeVerify = async () => {
      hasher.beforeVerify = () => Promise.resolve();
      await store.accounts.setPassword(account!.id, changed);
    };
    await expect(
      signIn(context, { email: 'ada@example.org', password, from }),
    ).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await expect(
      signIn(context, { email: 'ada@example.org', password: 'another horse', from }),
    ).resolves.toBeDefined();
  });

  it('ends with an account that was disabled while the password was checked, even if it is enabled later', async () => {
    const account = await store.accounts.findByEmail('ada@example.org');
    await passwordsReady();
    hasher.beforeVerify = () =>
      store.accounts.update(account!.id, { disabledAt: 1 }).then(() => undefined);
    await expect(
      signIn(context, { email: 'ada@example.org', password, from }),
    ).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });

  it('does not restore a password that was changed while it was hashed anew', async () => {
    const { hash } = await import('@node-rs/argon2');
    const account = await store.accounts.findByEmail('ada@example.org');
    await store.accounts.update(account!.id, {
      passwordHash: await hash(password, { memoryCost: 8_192, timeCost: 1 }),
    });
    const changed = await argon2Hasher.hash('another horse');
    await passwordsReady();
    hasher.beforeHash = () =>
      store.accounts.setPassword(account!.id, changed).then(() => undefined);
    await signIn(context, { email: 'ada@example.org', password, from });
    expect((await store.accounts.find(account!.id))!.passwordHash).toBe(changed);
  });

  it('hashes a password anew that was hashed with weaker parameters', async () => {
    const { hash } = await import('@node-rs/argon2');
    const account = await store.accounts.findByEmail('ada@example.org');
    await store.accounts.update(account!.id, {
      passwordHash: await hash(password, { memoryCost: 8_192, timeCost: 1 }),
    });
    await signIn(context, { email: 'ada@example.org', password, from });
    const { passwordHash } = (await store.accounts.find(account!.id))!;
    expect(passwordHash).toMatch(/m=19456,t=2,p=1/);
    await signIn(context, { email: 'ada@example.org', password, from });
    expect((await store.accounts.find(account!.id))!.passwordHash).toBe(passwordHash);
  });
});

describe('changing a password', () => {
  it('does not overwrite a password that was set with a link meanwhile', async () => {
    const account = await store.accounts.findByEmail('ada@example.org');
    const rescued = await argon2Hasher.hash('set with a link');
    await passwordsReady();
    hasher.beforeHash = () =>
      store.accounts.setPassword(account!.id, rescued).then(() => undefined);
    const change = changePassword(context, {
      accountId: account!.id,
      currentPassword: password,
      newPassword: 'set by a thief',
      keepTokenHash: null,
      from,
    });
    await expect(change).rejects.toMatchObject({ code: 'forbidden', field: 'currentPassword' });
    expect((await store.accounts.find(account!.id))!.passwordHash).toBe(rescued);
  });
});

const mailerTo = (mails: Mail[]): Mailer => ({
  send: (mail) => Promise.resolve(void mails.push(mail)),
  check: () => Promise.resolve(),
});

describe('mails', () => {
  it('are limited for each address, whoever requests them', async () => {
    const mails: Mail[] = [];
    const mailing = {
      ...context,
      rules: { ...rules, mailer: mailerTo(mails) },
    };
    for (let index = 0; index < 30; index++)
      await requestReset(mailing, { email: 'ADA@example.org', from: `192.0.2.${index}` });
    await context.backgroundTasks.done();
    expect(mails.length).toBeGreaterThan(1);
    expect(mails.length).toBeLessThan(8);
    expect(new Set(mails.map(({ to }) => to))).toEqual(new Set(['ada@example.org']));
  });

  it("go to the account's address, not to a spelling that looks like it", async () => {
    const mails: Mail[] = [];
    const mailing = {
      ...context,
      rules: { ...rules, mailer: mailerTo(mails) },
    };
    await signUp(context, { email: 'mike@example.org', password, from });
    await requestReset(mailing, { email: 'mi\u212ae@example.org', from });
    await context.backgroundTasks.done();
    expect(mails.map(({ to }) => to)).toEqual(['mike@example.org']);
  });

  it('that fail become a warning without the address', async () => {
    const warnings: string[] = [];
    const failing = {
      ...context,
      rules: {
        ...rules,
        warn: (warning: string) => void warnings.push(warning),
        mailer: {
          ...mailerTo([]),
          send: () => Promise.reject(new Error('a mail could not be sent: ETIMEDOUT')),
        },
      },
    };
    await requestReset(failing, { email: 'ada@example.org', from });
    await context.backgroundTasks.done();
    expect(warnings).toEqual([
      'the mail for a new password failed: a mail could not be sent: ETIMEDOUT',
    ]);
  });
});

describe('a reset link', () => {
  it('is not used up while too many passwords wait to be hashed', async () => {
    const account = await store.accounts.findByEmail('ada@example.org');
    const { token } = await issueResetLink(store, account!.id, Date.now() + 60_000);
    const busy = {
      ...context,
      passwords: new Passwords({
        ...argon2Hasher,
        hash: () => new Promise<string>(() => undefined),
      }),
    };
    for (let index = 0; index < 101; index++)
      void busy.passwords.hash('never hashed', { from: `198.51.100.${index}` });
    await expect(
      completeReset(busy, { token, password: 'another horse', from }),
    ).rejects.toMatchObject({ code: 'unavailable' });
    await completeReset(context, { token, password: 'another horse', from });
    await expect(
      signIn(context, { email: 'ada@example.org', password: 'another horse', from }),
    ).resolves.toBeDefined();
  });

  it('lets an account sign in that had to wait after failures', async () => {
    const account = await store.accounts.findByEmail('ada@example.org');
    for (let index = 0; index < 10; index++)
      await signIn(context, {
        email: 'ada@example.org',
        password: 'wrong horse',
        from: `192.0.2.${index}`,
      }).catch(() => undefined);
    await expect(
      signIn(context, { email: 'ada@example.org', password, from: '198.51.100.1' }),
    ).rejects.toMatchObject({ code: 'too_many_requests' });
    const { token } = await issueResetLink(store, account!.id, Date.now() + 60_000);
    await completeReset(context, { token, password: 'another horse', from });
    await expect(
      signIn(context, {
        email: 'ada@example.org',
        password: 'another horse',
        from: '198.51.100.1',
      }),
    ).resolves.toBeDefined();
  });
});
