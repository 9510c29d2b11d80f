import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changeAccountCommand,
  claimCodeCommand,
  createAccountCommand,
  resetAccountCommand,
} from '../../src/cli/accounts.js';
import {
  deleteConversationCommand,
  exportConversationCommand,
} from '../../src/cli/conversations.js';
import {
  createKeyCommand,
  revokeKeyCommand,
  rotateKeyCommand,
  updateKeyCommand,
} from '../../src/cli/keys.js';
import { issueFirstSecret } from '../../src/cli/serve/first-secrets.js';
import { resolveConfig } from '../../src/config/config.js';
import { acts, type AuditRow } from '../../src/store/contracts/audit.js';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import type { Store } from '../../src/store/contracts/store.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { openStore } from '../../src/store/open-store.js';
import { Browser, goodPassword } from '../helpers/browser.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt, textAt } from '../helpers/json.js';
import { type SmtpServer, startSmtp } from '../helpers/smtp.js';
import { ask, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';

const adminMail = 'ada@example.org';
const mail = 'bob@example.org';
const newPassword = 'a wholly new password';
const address = '127.0.0.1';

let store: Store;
let gateway: RunningGateway;
/** The same accounts, with a mail server. */
let mailing: RunningGateway;
let smtp: SmtpServer;
let admin: Browser;
let bob: Browser;
/** What no row may contain. */
const secrets: string[] = [goodPassword, newPassword, 'a wrong one'];
/** Ids that earlier acts have made. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  smtp = await startSmtp();
  store = await openStore(':memory:');
  const databases = (): LazyDatabases =>
    new LazyDatabases(() => Promise.resolve({ store, counters: createMemoryCounters() }), false);
  gateway = await startGateway({}, { databases: databases() });
  mailing = await startGateway(
    { mail: { url: smtp.url, from: 'box@example.org' } },
    { databases: databases() },
  );
  [admin, bob] = [new Browser(gateway.url), new Browser(gateway.url)];
});
afterAll(async () => {
  await Promise.all([gateway.close(), mailing.close()]);
  await smtp.close();
});

const rowsOf = async (): Promise<readonly AuditRow[]> =>
  (await store.audit.list({}, { limit: 100, cursor: null })).items;

/** The rows that some work leaves; waits until there is one, because some are written later. */
async function rowsAfter(work: () => Promise<unknown>): Promise<AuditRow[]> {
  const before = new Set((await rowsOf()).map(({ id }) => id));
  const added = async (): Promise<AuditRow[]> =>
    (await rowsOf()).filter(({ id }) => !before.has(id));
  await work();
  await until(async () => (await added()).length > 0);
  return added();
}
async function ok(replied: Promise<Reply>): Promise<Reply> {
  const reply = await replied;
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply;
}
/** Remembers the text of a field of an answer as an id. */
async function kept(name: string, replied: Promise<Reply>, ...path: string[]): Promise<void> {
  ids[name] = textAt((await ok(replied)).json, ...path);
}
/** Remembers it as a secret. */
async function secret(replied: Promise<Reply>, field: string): Promise<string> {
  const text = textAt((await ok(replied)).json, field);
  secrets.push(text);
  return text;
}
const byBob = { actor: mail, address, actorKeyId: null };
const byAdmin = { ...byBob, actor: adminMail, actorAccountId: firstAccountId };
const byStranger = { actor: 'anonymous', actorAccountId: null, actorKeyId: null, address };
const bySystem = { ...byStranger, actor: userInfo().username, address: 'command line' };

type Act = [name: string, work: () => Promise<unknown>, row: () => object];

const atTheGateway: Act[] = [
  [
    'account.claim',
    async () => {
      const code = await gateway.claimCode();
      secrets.push(code);
      const owner = { code, email: adminMail, password: goodPassword };
      await ok(admin.ask('POST', '/api/v1/auth/claim', owner));
    },
    () => ({ ...byAdmin, target: firstAccountId, details: { email: adminMail } }),
  ],
  [
    'account.sign-in',
    () => ok(admin.signIn(adminMail, goodPassword)),
    () => ({ ...byAdmin, target: firstAccountId, details: null }),
  ],
  [
    'account.sign-in-failed',
    async () => {
      for (const wrong of ['a wrong one', 'another', 'a third'])
        expect((await new Browser(gateway.url).signIn(adminMail, wrong)).status).toBe(401);
    },
    () => ({ ...byStranger, accountId: firstAccountId, target: firstAccountId, details: null }),
  ],
  [
    'account.sign-up',
    async () => {
      await ok(bob.signUp(mail, goodPassword));
      await bob.signIn(mail, goodPassword);
      await kept('bob', bob.account(), 'account', 'id');
    },
    () => ({ ...byStranger, target: ids['bob'], details: { email: mail } }),
  ],
  [
    'account.password',
    () =>
      ok(
        bob.ask('POST', '/api/v1/auth/password', {
          currentPassword: goodPassword,
          newPassword,
        }),
      ),
    () => ({ ...byBob, actorAccountId: ids['bob'], details: { with: 'password' } }),
  ],
  [
    'account.reset-link',
    async () => {
      const path = `/api/v1/accounts/${ids['bob'] ?? ''}/reset-link`;
      ids['token'] = await secret(admin.ask('POST', path), 'token');
    },
    () => ({ ...byAdmin, accountId: ids['bob'], target: ids['bob'], details: null }),
  ],
  [
    'account.password',
    () =>
      ok(
        new Browser(gateway.url).ask('POST', '/api/v1/auth/password-reset/complete', {
          token: ids['token'],
          password: newPassword,
        }),
      ),
    () => ({ ...byBob, actorAccountId: ids['bob'], details: { with: 'link' } }),
  ],
  [
    'account.sign-out',
    async () => {
      await bob.signIn(mail, newPassword);
      await ok(bob.ask('POST', '/api/v1/auth/sign-out', { everywhere: true }));
    },
    () => ({ ...byBob, actorAccountId: ids['bob'], details: { everywhere: true } }),
  ],
  [
    'account.reset-link',
    () =>
      ok(ask('POST', `${mailing.url}/api/v1/auth/password-reset`, {}, { email: mail })).then(() =>
        until(() => smtp.mails.length > 0),
      ),
    () => ({ ...byStranger, accountId: ids['bob'], details: { sentBy: 'mail' } }),
  ],
  [
    'account.create',
    () => {
      const invited = admin.ask('POST', '/api/v1/accounts', { email: 'eve@example.org' });
      return Promise.all([kept('eve', invited, 'account', 'id'), secret(invited, 'token')]);
    },
    () => ({
      ...byAdmin,
      accountId: ids['eve'],
      details: { email: 'eve@example.org', role: 'member' },
    }),
  ],
  ...[{ role: 'admin' }, { limits: { dayBudgetUsd: 5 } }, { disabled: true }].map((change): Act => [
    'account.change',
    () => ok(admin.ask('PATCH', `/api/v1/accounts/${ids['eve'] ?? ''}`, change)),
    () => ({ ...byAdmin, accountId: ids['eve'], target: ids['eve'], details: change }),
  ]),
  [
    'account.export',
    () => ok(admin.ask('GET', `/api/v1/accounts/${ids['eve'] ?? ''}/export`)),
    () => ({ ...byAdmin, accountId: ids['eve'], target: ids['eve'] }),
  ],
  [
    'account.delete',
    () => ok(admin.ask('DELETE', `/api/v1/accounts/${ids['eve'] ?? ''}`)),
    () => ({ ...byAdmin, accountId: ids['eve'], target: ids['eve'] }),
  ],
  [
    'key.create',
    () => {
      const made = admin.ask('POST', '/api/v1/keys', { name: 'ci' });
      return Promise.all([kept('key', made, 'id'), secret(made, 'key')]);
    },
    () => ({ ...byAdmin, target: ids['key'], details: expect.objectContaining({ name: 'ci' }) }),
  ],
  [
    'key.change',
    () => ok(admin.ask('PATCH', `/api/v1/keys/${ids['key'] ?? ''}`, { name: 'build' })),
    () => ({ ...byAdmin, target: ids['key'], details: { name: 'build' } }),
  ],
  [
    'key.rotate',
    () => secret(admin.ask('POST', `/api/v1/keys/${ids['key'] ?? ''}/rotate`), 'key'),
    () => ({ ...byAdmin, target: ids['key'] }),
  ],
  [
    'key.revoke',
    () => ok(admin.ask('DELETE', `/api/v1/keys/${ids['key'] ?? ''}`)),
    () => ({ ...byAdmin, target: ids['key'], details: null }),
  ],
  [
    'preference.delete',
    async () => {
      await kept('pref', admin.ask('POST', '/api/v1/preferences', { name: 'quick' }), 'id');
      await ok(admin.ask('DELETE', `/api/v1/preferences/${ids['pref'] ?? ''}`));
    },
    () => ({ ...byAdmin, target: ids['pref'] }),
  ],
  [
    'learning.forget',
    () => ok(admin.ask('DELETE', '/api/v1/learning')),
    () => ({ ...byAdmin, accountId: firstAccountId, target: null }),
  ],
];

const config = resolveConfig({}, {});
const onTheCommandLine: Act[] = [
  [
    'account.create',
    () => createAccountCommand(store, { email: 'zoe@example.org', role: 'member' }, config),
    () => ({ details: { email: 'zoe@example.org', role: 'member' } }),
  ],
  ['account.reset-link', () => resetAccountCommand(store, 'zoe@example.org', config), () => ({})],
  [
    'account.change',
    () => changeAccountCommand(store, 'zoe@example.org', 'disable'),
    () => ({ details: { disabled: true } }),
  ],
  [
    'key.create',
    async () => {
      const key = (await createKeyCommand(store, { name: 'shop' })).trim();
      secrets.push(key);
      ids['shop'] = key.slice(0, 11);
    },
    () => ({ accountId: firstAccountId, details: expect.objectContaining({ name: 'shop' }) }),
  ],
  [
    'key.change',
    () => updateKeyCommand(store, ids['shop'] ?? '', { name: 'till' }),
    () => ({ details: { name: 'till' } }),
  ],
  [
    'key.rotate',
    async () => {
      const key = (await rotateKeyCommand(store, ids['shop'] ?? '', '1h')).trim();
      secrets.push(key);
      ids['shop'] = key.slice(0, 11);
    },
    () => ({ details: { overlapSeconds: 3_600 } }),
  ],
  ['key.revoke', () => revokeKeyCommand(store, ids['shop'] ?? ''), () => ({ details: null })],
  [
    'conversation.export',
    async () => {
      const zoe = await store.accounts.findByEmail('zoe@example.org');
      ids['zoe'] = zoe?.id ?? '';
      await store.conversations.create({
        id: 'c1',
        accountId: ids['zoe'],
        title: 'a secret title',
        titleSource: 'given',
        createdAt: 1,
      });
      secrets.push('a secret title');
      await exportConversationCommand(store, 'c1', { account: 'zoe@example.org' });
    },
    () => ({ accountId: ids['zoe'], target: 'c1', details: null }),
  ],
  [
    'conversation.delete',
    () => deleteConversationCommand(store, 'c1', { account: 'zoe@example.org' }),
    () => ({ accountId: ids['zoe'], target: 'c1', details: null }),
  ],
];

describe('the audit log', () => {
  it.each(atTheGateway)('has exactly one row for %s at the gateway', async (act, work, row) => {
    expect(await rowsAfter(work)).toEqual([expect.objectContaining({ act, ...row() })]);
  });

  it.each(onTheCommandLine)(
    "has exactly one row for %s on the command line, with the system's user",
    async (act, work, row) => {
      expect(await rowsAfter(work)).toEqual([
        expect.objectContaining({ act, ...bySystem, ...row() }),
      ]);
    },
  );

  it('has a claim code that the command line issues', async () => {
    const unclaimed = await openStore(':memory:');
    const [code = ''] = (await claimCodeCommand(unclaimed)).split('\n');
    const { items } = await unclaimed.audit.list({}, { limit: 5, cursor: null });
    expect(items).toMatchObject([{ act: 'account.claim-code', ...bySystem }]);
    expect(JSON.stringify(items)).not.toContain(code);
    await unclaimed.close();
  });

  it.each([true, false])(
    'has the first key, or the claim code, that a start issues, once, where keys are required: %s',
    async (required) => {
      const fresh = await openStore(':memory:');
      const warnings: unknown[] = [];
      const logger = { warn: (warning: unknown) => warnings.push(warning) };
      const auth = { ...config.auth, required };
      const start = (): ReturnType<typeof issueFirstSecret> =>
        issueFirstSecret(fresh, { config: { ...config, auth }, isTerminal: true, logger });
      const secret = await start();
      expect(await start()).toBeNull();
      const { items } = await fresh.audit.list({}, { limit: 5, cursor: null });
      const [first] = (await fresh.keys.list(null, { limit: 5, cursor: null })).items;
      const byStart = { ...bySystem, address: 'start', accountId: firstAccountId };
      const details = expect.objectContaining({ name: 'first', models: null }) as object;
      expect(items).toEqual([
        expect.objectContaining(
          required
            ? { act: 'key.create', ...byStart, target: first?.id, details }
            : { act: 'account.claim-code', ...byStart, target: firstAccountId },
        ),
      ]);
      expect(secret?.kind).toBe(required ? 'key' : 'claimCode');
      expect(JSON.stringify(items)).not.toContain(secret?.text);
      expect(warnings).toEqual([]);
      await fresh.close();
    },
  );

  it('has no row for sign-ins of members, and none for a failure', async () => {
    const before = (await rowsOf()).length;
    await bob.signIn(mail, newPassword);
    await new Browser(gateway.url).signIn(mail, 'wrong');
    expect((await admin.ask('PATCH', '/api/v1/keys/unknown', { name: 'x' })).status).toBe(404);
    expect((await admin.ask('POST', '/api/v1/accounts', { email: 'zoe@example.org' })).status).toBe(
      409,
    );
    // written after those before it
    expect(await rowsAfter(() => ok(admin.ask('DELETE', '/api/v1/learning')))).toHaveLength(1);
    expect(await rowsOf()).toHaveLength(before + 1);
    // three were tried above, within a minute
    expect((await rowsOf()).filter(({ act }) => act === 'account.sign-in-failed')).toHaveLength(1);
  });

  it('contains no password, key, code or link, and every kind of act was tried', async () => {
    const rows = await rowsOf();
    const text = JSON.stringify(rows);
    expect(secrets.length).toBeGreaterThan(8);
    for (const one of secrets) expect(text).not.toContain(one);
    const tried = new Set(rows.map(({ act }) => act));
    const elsewhere = [
      'account.claim-code',
      'config.apply',
      'config.refuse',
      'prices.revert',
      'prices.update',
    ];
    expect(acts.filter((act) => !tried.has(act))).toEqual(elsewhere);
  });

  it('is one table in CSV, filtered as the list', async () => {
    const reply = await ok(
      admin.ask('GET', '/api/v1/audit?account=all&act=account.change&format=csv'),
    );
    expect(reply.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="audit.csv"',
    });
    const [head, ...lines] = reply.text.trimEnd().split('\r\n');
    expect(head).toBe('at,id,act,accountId,target,actor,actorAccountId,actorKeyId,address,details');
    const listed = await admin.ask('GET', '/api/v1/audit?account=all&act=account.change');
    expect(lines).toHaveLength(listAt(listed.json, 'items').length);
    expect(lines[0]).toMatch(
      new RegExp(
        `,account\\.change,.*,${userInfo().username},,,command line,"{""disabled"":true}"$`,
      ),
    );
    expect((await admin.ask('GET', '/api/v1/audit?format=pdf')).status).toBe(422);
  });
});
