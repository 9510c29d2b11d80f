import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcesses, type Ended, newFolder, runToEnd, startProcess } from '../helpers/process.js';
import { ask, post } from '../helpers/sse.js';
import { listAt, textAt } from '../helpers/json.js';
import { until } from '../helpers/until.js';
import { openStore } from '../../src/store/open-store.js';

afterEach(endProcesses);

const run = (folder: string, ...args: string[]): Promise<Ended> => runToEnd({ folder, args });
/** A folder with a database of its own, as a start leaves it. */
async function folderWithDatabase(): Promise<string> {
  const folder = newFolder();
  await (await openStore(`file:${join(folder, 'data/signalbox.db')}`)).close();
  return folder;
}
const keyIn = ({ stdout }: Ended): string => /^sk_\S+$/m.exec(stdout)?.[0] ?? '';
const completionStatus = async (url: string, key: string): Promise<number> =>
  (
    await post(
      `${url}/v1/chat/completions`,
      { model: 'demo/demo-large', messages: [{ role: 'user', content: 'Hi' }] },
      { authorization: `Bearer ${key}` },
    )
  ).status;

describe('signalbox keys', () => {
  it('makes a key that a running gateway takes at once, and soon loses one that is revoked', async () => {
    const gateway = await startProcess();
    const made = await run(gateway.folder, 'keys', 'create', '--name', 'shop');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^sk_[\w-]{32}\n$/);
    expect(await completionStatus(gateway.url, keyIn(made))).toBe(200);
    expect((await run(gateway.folder, 'keys', 'revoke', keyIn(made).slice(0, 11))).stdout).toBe(
      'revoked: shop\n',
    );
    await until(async () => (await completionStatus(gateway.url, keyIn(made))) === 401);
  });

  it('lists all keys with their state, never the keys themselves', async () => {
    const folder = await folderWithDatabase();
    const one = await run(folder, 'keys', 'create', '--name', 'one');
    await run(folder, 'keys', 'revoke', keyIn(one).slice(0, 11));
    const { stdout } = await run(folder, 'keys', 'list');
    expect(stdout).toMatch(/revoked .* one$/m);
    expect(stdout).not.toContain(keyIn(one));
  });

  it('gives a key its scopes, models and limits', async () => {
    const gateway = await startProcess();
    const limits = ['--requests-per-minute', '5', '--day-budget', '2.5'];
    const bounded = keyIn(
      await run(
        gateway.folder,
        'keys',
        'create',
        '--name',
        'bounded',
        '--scopes',
        'completions',
        '--models',
        'demo/*,up/m',
        ...limits,
      ),
    );
    const { json } = await ask('GET', `${gateway.url}/api/v1/keys`, gateway.auth);
    const shown = listAt(json, 'items').find((item) => textAt(item, 'name') === 'bounded');
    expect(shown).toMatchObject({
      scopes: ['completions'],
      models: ['demo/*', 'up/m'],
      limits: {
        requestsPerMinute: 5,
        tokensPerMinute: null,
        dayBudgetUsd: 2.5,
        monthBudgetUsd: null,
      },
    });
    expect(
      (await ask('GET', `${gateway.url}/api/v1/keys`, { authorization: `Bearer ${bounded}` }))
        .status,
    ).toBe(403);
  });

  it.each([
    [['keys', 'create'], "required option '--name <name>' not specified"],
    [['keys', 'create', '--name', 'x', '--scopes', 'all'], 'unknown scope "all"'],
    [
      ['keys', 'create', '--name', 'x', '--day-budget', 'much'],
      '--day-budget: must be a number of USD',
    ],
    [
      ['keys', 'create', '--name', 'x', '--requests-per-minute', '0'],
      '--requests-per-minute: must be a whole number',
    ],
    [['keys', 'create', '--name', 'x', '--expires', 'soon'], '--expires: must be a date'],
    [
      ['keys', 'create', '--name', 'x', '--expires', '2020-01-01'],
      '--expires: must be in the future',
    ],
    [
      ['keys', 'create', '--name', 'x', '--account', 'nobody@example.org'],
      'no account has the mail address nobody@example.org',
    ],
    [['keys', 'revoke', 'sk_nothing'], 'no key has the id or prefix "sk_nothing"'],
    [['keys', 'revoke'], "missing required argument 'key'"],
    [['keys', 'burn'], 'unknown command "keys burn"'],
    [['keys', 'list', 'all'], "too many arguments for 'list'"],
    [['keys', 'list', '--name', 'x'], "unknown option '--name'"],
    [['start', '--name', 'x'], "unknown option '--name'"],
    [['db', 'backup'], "missing required argument 'file'"],
    [['accounts', 'create', 'nobody'], 'email'],
    [
      ['accounts', 'reset', 'nobody@example.org'],
      'no account has the mail address nobody@example.org',
    ],
    [['train', 'none.csv', '--preference', 'x'], 'train: none.csv: there is no such file'],
  ])('%j is refused: %s', async (args, message) => {
    const ended = await run(await folderWithDatabase(), ...args);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(message);
  });
});

describe('signalbox accounts', () => {
  it('makes an account whose link sets its password, and an administrator if asked', async () => {
    const gateway = await startProcess({ env: { SIGNALBOX_PUBLIC_URL: '' } });
    const made = await run(
      gateway.folder,
      'accounts',
      'create',
      'Ada@Example.org',
      '--role',
      'admin',
    );
    expect(made.stdout).toMatch(/^administrator ada@example\.org\n/);
    const token = /token=(\S+)/.exec(made.stdout)?.[1] ?? '';
    const complete = (password: string, withToken = token): Promise<{ status: number }> =>
      post(`${gateway.url}/api/v1/auth/password-reset/complete`, { token: withToken, password });
    expect((await complete('correct horse battery')).status).toBe(204);
    expect((await complete('another one entirely')).status).not.toBe(204);
    const signIn = await post(`${gateway.url}/api/v1/auth/sign-in`, {
      email: 'ada@example.org',
      password: 'correct horse battery',
    });
    expect(signIn).toMatchObject({ status: 200, json: { account: { role: 'admin' } } });
    expect((await run(gateway.folder, 'accounts', 'create', 'bob@example.org')).stdout).toMatch(
      /^account bob/,
    );
    const reset = await run(gateway.folder, 'accounts', 'reset', 'ada@example.org');
    expect(
      (await complete('a third password', /token=(\S+)/.exec(reset.stdout)?.[1] ?? '')).status,
    ).toBe(204);
    const keyed = await run(
      gateway.folder,
      'keys',
      'create',
      '--name',
      'bobs',
      '--account',
      'bob@example.org',
    );
    expect(await completionStatus(gateway.url, keyIn(keyed))).toBe(200);
  });
});

describe('a gateway whose administrator is lost', () => {
  it('is claimed with a new code, and an account is promoted', async () => {
    const gateway = await startProcess();
    const { stdout } = await run(gateway.folder, 'accounts', 'claim-code');
    const [code = ''] = stdout.split('\n');
    const ada = { email: 'ada@example.org', password: 'correct horse battery' };
    expect(await post(`${gateway.url}/api/v1/auth/claim`, { code, ...ada })).toMatchObject({
      status: 201,
      json: { role: 'admin' },
    });
    expect(await run(gateway.folder, 'accounts', 'claim-code')).toMatchObject({ code: 1 });
    await run(gateway.folder, 'accounts', 'create', 'bob@example.org');
    expect(await run(gateway.folder, 'accounts', 'promote', 'bob@example.org')).toMatchObject({
      code: 0,
      stdout: 'bob@example.org: administrator, active\n',
    });
  });
});

describe('signalbox db', () => {
  it('migrates the database, and copies it while a gateway uses it', async () => {
    const gateway = await startProcess();
    const { folder } = gateway;
    expect(await run(folder, 'db', 'migrate')).toMatchObject({
      code: 0,
      stdout: 'the embedded database is up to date\n',
    });
    expect(await run(folder, 'db', 'backup', 'copy.db')).toMatchObject({
      code: 0,
      stdout: 'the database was copied to copy.db\n',
    });
    expect((await run(folder, 'db', 'backup', 'copy.db')).code).toBe(1);
    const copied = await startProcess({
      env: { SIGNALBOX_DATABASE_URL: `file:${join(folder, 'copy.db')}` },
    });
    expect(copied.key).toBe('');
    expect(await completionStatus(copied.url, gateway.key)).toBe(200);
  });
});

describe('signalbox', () => {
  it.each([['keys list'], ['keys create --name x'], ['accounts list'], ['usage'], ['db migrate']])(
    '%s makes no database where there is none, and says where it looked',
    async (command) => {
      const folder = newFolder();
      const ended = await run(folder, ...command.split(' '));
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toContain(`there is no database in ${join(folder, 'data')}`);
      expect(ended.stderr).toContain('--data-dir');
      expect(existsSync(join(folder, 'data'))).toBe(false);
      const elsewhere = await folderWithDatabase();
      const named = await run(folder, ...command.split(' '), '--data-dir', join(elsewhere, 'data'));
      expect(named).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('shows help of every command and group, within 80 columns', async () => {
    for (const words of [['--help'], ['help'], ['keys'], ['config'], ['accounts', '--help']]) {
      const { code, stdout, stderr } = await run(newFolder(), ...words);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: signalbox/);
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  it('changes keys and accounts, and shows requests and usage', async () => {
    const gateway = await startProcess();
    const { folder } = gateway;
    await run(folder, 'accounts', 'create', 'ada@example.org');
    await run(folder, 'accounts', 'create', 'bob@example.org');
    expect((await run(folder, 'accounts', 'promote', 'bob@example.org')).stdout).toBe(
      'bob@example.org: administrator, active\n',
    );
    expect((await run(folder, 'accounts', 'disable', 'bob@example.org')).stdout).toBe(
      'bob@example.org: administrator, disabled\n',
    );
    expect((await run(folder, 'accounts', 'list')).stdout).toMatch(/bob@example.org +admin +disab/);
    const made = await run(folder, 'keys', 'create', '--name', 'shop', '--day-budget', '5');
    const prefix = keyIn(made).slice(0, 11);
    const update = await run(
      folder,
      'keys',
      'update',
      prefix,
      '--day-budget',
      'none',
      '--name',
      'till',
    );
    expect(update.stdout).toBe('updated: till\n');
    expect(await completionStatus(gateway.url, keyIn(made))).toBe(200);
    await until(async () =>
      (await run(folder, 'requests', '--key', 'till')).stdout.includes('200'),
    );
    expect((await run(folder, 'requests', '--failed')).stdout).toBe(
      'time  key  model  status  ms  USD  held  error\n',
    );
    expect((await run(folder, 'usage', '--by', 'provider', '--csv')).stdout).toMatch(
      /^provider,requests,errors,promptTokens,completionTokens,costUsd,estimatedUsd,heldUsd\ndemo,1,0,/,
    );
  });
});
