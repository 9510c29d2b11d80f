import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildOnce } from '../../helpers/build.js';
import { tryJson } from '../../helpers/json.js';
import {
  endProcesses,
  type GatewayProcess,
  newFolder,
  runToEnd,
  startProcess,
} from '../../helpers/process.js';
import { freePort } from '../../helpers/server-process.js';
import { ask, post } from '../../helpers/sse.js';
import { isWholeRun } from '../../helpers/runs.js';

beforeAll(async () => {
  await buildOnce();
}, 120_000);
afterEach(endProcesses);

const linesOf = ({ stdout }: GatewayProcess): string[] => stdout().trimEnd().split('\n');
const fileIn = (folder: string): string => join(folder, 'data/first-key');
const secretIn = (folder: string, name: string): string =>
  new RegExp(`^${name}=(\\S+)$`, 'm').exec(readFileSync(fileIn(folder), 'utf8'))?.[1] ?? '';
const ada = { email: 'ada@example.org', password: 'correct horse battery' };

describe('a first start without a terminal', () => {
  it('writes only JSON lines, and the key to a file that only its owner can read', async () => {
    const gateway = await startProcess();
    for (const line of linesOf(gateway)) expect(tryJson(line), line).toMatchObject({ msg: /./ });
    expect(gateway.stdout()).not.toContain('sk_');
    expect(statSync(fileIn(gateway.folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(gateway.folder, 'data')).filter((name) => /first/.test(name))).toEqual([
      'first-key',
    ]);
    const key = secretIn(gateway.folder, 'SIGNALBOX_API_KEY');
    // the key claims the gateway too: there is no second secret
    expect(secretIn(gateway.folder, 'SIGNALBOX_CLAIM_CODE')).toBe('');
    const named = linesOf(gateway).filter((line) => line.includes('first-key'));
    expect(named).toHaveLength(1);
    expect(named[0]).toContain(
      '"msg":"the first API key is in data/first-key: keep it elsewhere, and delete the file"',
    );
    const auth = { authorization: `Bearer ${key}` };
    expect((await ask('GET', `${gateway.url}/v1/models`, auth)).status).toBe(200);
    expect((await post(`${gateway.url}/api/v1/auth/claim`, { code: key, ...ada })).status).toBe(
      201,
    );
  });

  it.runIf(isWholeRun)(
    'says at later starts how to claim the gateway, until somebody has',
    async () => {
      const said = /"msg":"this gateway has no administrator yet: .* accounts claim-code\\"/;
      const first = await startProcess();
      first.signal('SIGTERM');
      await first.ended;
      const second = await startProcess({ folder: first.folder });
      expect(second.stdout()).toMatch(said);
      expect(second.key).toBe('');
      await post(`${second.url}/api/v1/auth/claim`, { code: first.key, ...ada });
      second.signal('SIGTERM');
      await second.ended;
      expect((await startProcess({ folder: first.folder })).stdout()).not.toMatch(said);
    },
  );

  it.runIf(isWholeRun)(
    'issues only the claim code where keys are fixed, and nothing without web accounts',
    async () => {
      const keys = 'keys: [{ name: ci, key: sk_fixed }]';
      const { folder, url } = await startProcess({ config: `auth: { ${keys} }\n` });
      expect(secretIn(folder, 'SIGNALBOX_API_KEY')).toBe('');
      const code = secretIn(folder, 'SIGNALBOX_CLAIM_CODE');
      expect((await post(`${url}/api/v1/auth/claim`, { code, ...ada })).status).toBe(201);
      const bare = await startProcess({ config: `auth: { ${keys}, webAccounts: false }\n` });
      expect(existsSync(fileIn(bare.folder))).toBe(false);
    },
  );

  it.runIf(isWholeRun)('issues nothing where the file cannot be written, and says so', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/plain'), '');
    const gateway = await startProcess({
      folder,
      env: {
        SIGNALBOX_DATA_DIR: './data/plain/below',
        SIGNALBOX_DATABASE_URL: `file:${folder}/db`,
      },
    });
    expect(gateway.stdout()).toMatch(/"level":40,.*no first key was issued, because .*first-key/);
    const { stdout } = await runToEnd({
      folder,
      args: ['keys', 'list'],
      env: { SIGNALBOX_DATABASE_URL: `file:${folder}/db` },
    });
    expect(stdout).not.toContain('sk_');
  });
});

describe('a first start that fails', () => {
  it('because the port is taken leaves the key and the code to the next one', async () => {
    const [folder, port] = [newFolder(), await freePort()];
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
    const failed = await runToEnd({ folder, env: { PORT: String(port) } });
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('the port is already in use');
    expect(existsSync(fileIn(folder))).toBe(false);
    await new Promise((resolve) => taken.close(resolve));
    const { key, url } = await startProcess({ folder });
    expect(key).toMatch(/^sk_/);
    expect((await ask('GET', `${url}/v1/models`, { authorization: `Bearer ${key}` })).status).toBe(
      200,
    );
  });
});

describe('SIGNALBOX_API_KEY', () => {
  it.runIf(isWholeRun)('that equals an issued key stays the key of its account', async () => {
    const first = await startProcess();
    await post(`${first.url}/api/v1/preferences`, { name: 'mine' }, first.auth);
    first.signal('SIGTERM');
    await first.ended;
    const second = await startProcess({
      folder: first.folder,
      env: { SIGNALBOX_API_KEY: first.key },
    });
    expect((await ask('GET', `${second.url}/api/v1/preferences`, first.auth)).json).toMatchObject({
      items: [{ name: 'mine' }],
    });
    expect((await ask('GET', `${second.url}/api/v1/auth/account`, first.auth)).json).toMatchObject({
      account: { role: 'admin' },
      key: { name: 'first' },
    });
  });
});
