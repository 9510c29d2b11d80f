import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from './docs/blocks.js';
import { buildOnce } from './helpers/build.js';
import { newFolder } from './helpers/process.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
const minutesMs = 60_000;

/** Programs of hosts that must compile, by the name of their file. */
const programs: Record<string, string> = {
  // the program that the README shows
  'readme.ts': blocksOf('README.md').find(({ text }) => text.includes('createGateway'))?.text ?? '',
  'stage.ts': `
import express from 'express';
import { createGateway, GatewayError, planOf, type Gateway } from 'signalbox';
const gateway: Gateway = createGateway({ models: { 'openai/gpt-4o': { quality: 0.9 } } });
express().post('/chat', gateway.authenticate, gateway.selectModel, (_req, res) => {
  const { label }: { label: string } = planOf(res).candidates[0];
  planOf(res).report({ ok: true, latencyMs: 1 });
  res.json({ label });
});
export const statusOf = (error: unknown): number =>
  error instanceof GatewayError && error.expose ? error.statusCode : 500;
`,
  'users.ts': `
import { createGateway, type ConfigInput, type HostCaller, type ProviderInput } from 'signalbox';
const local: ProviderInput = { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' };
const config: ConfigInput = { providers: { local }, limits: { maxRetries: 1 } };
const users = new Map<string, HostCaller>([['a', { account: 'a', limits: { dayBudgetUsd: 1 } }]]);
createGateway(config, {
  identify: async ({ headers }) => users.get(String(headers['x-user'])) ?? null,
  logger: console,
});
`,
  'methods.ts': `
import { createGateway, type IssuedKey, type Key, type List, type UsageSums } from 'signalbox';
const { keys, usage, conversations, preferences, accounts, run } = createGateway();
export async function work(account: string): Promise<string> {
  const issued: IssuedKey = await keys.create({ account, name: 'ci', limits: { dayBudgetUsd: 1 } });
  const list: List<Key> = await keys.list({ account });
  const sums: UsageSums = await usage({ by: ['day', 'key'], from: new Date() });
  const [first] = (await conversations.list({ account })).items;
  await preferences.create({ account, weights: { quality: 1, cost: 1, latency: 0 } });
  await accounts.update({ id: account, disabled: true });
  for await (const event of run({ model: 'auto', messages: [], stream: true }))
    if (event.type === 'end') return event.finishReason ?? '';
  return issued.key + list.items.length + sums.from + (first?.title ?? '');
}
`,
};

/** Programs with one mistake each, and what the compiler says about it. */
const mistakes: Record<string, { text: string; says: RegExp }> = {
  'misspelt-api.ts': {
    text: "import { createGateway } from 'signalbox';\ncreateGateway({ providers: { a: { api: 'opnai' } } });\n",
    says: /'"opnai"' is not assignable/,
  },
  'misspelt-setting.ts': {
    text: "import { createGateway } from 'signalbox';\ncreateGateway({ limits: { maxRetrys: 1 } });\n",
    says: /'maxRetrys' does not exist .*'maxRetries'/,
  },
  'misspelt-limit.ts': {
    text: "import { createGateway } from 'signalbox';\ncreateGateway({}, { identify: () => ({ account: 'a', limits: { rpm: 1 } }) });\n",
    says: /rpm|identify/,
  },
  'key-without-account.ts': {
    text: "import { createGateway } from 'signalbox';\nvoid createGateway().keys.create({ name: 'ci' });\n",
    says: /Property 'account' is missing/,
  },
  'unknown-grouping.ts': {
    text: "import { createGateway } from 'signalbox';\nvoid createGateway().usage({ by: ['week'] });\n",
    says: /'"week"' is not assignable/,
  },
};

/** A folder in which the package and what it depends on are installed, without anything else. */
function installConsumer(): string {
  const folder = newFolder();
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'signalbox');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  for (const [path, { dev = false }] of Object.entries(lock.packages)) {
    const isTop = path.startsWith('node_modules/') && path.split('node_modules/').length === 2;
    // optional packages of other platforms are not installed
    if (!isTop || dev || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
  return folder;
}

/** What the compiler says of each file, by its name; '' is about none. */
async function complaints(
  folder: string,
  options: Record<string, unknown>,
): Promise<Map<string, string>> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    types: ['node'],
    // TypeScript's own libraries take as long as all others
    skipDefaultLibCheck: true,
    // the packages are links, which must not see the packages around their targets
    preserveSymlinks: true,
    ...options,
  };
  const files = [...Object.keys(programs), ...Object.keys(mistakes)];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const output = await new Promise<string>((resolve) => {
    const words = [compiler, '-p', folder, '--pretty', 'false'];
    // it names files from its folder, and ends with 2 for a mistake
    execFile(process.execPath, words, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  const found = new Map<string, string>();
  let file = '';
  for (const line of output.split('\n').filter((text) => text !== '')) {
    // further lines of a message are indented
    if (!line.startsWith(' ')) file = /^([\w.-]+\.ts)\(/.exec(line)?.[1] ?? line;
    found.set(file, `${found.get(file) ?? ''}${line}\n`);
  }
  return found;
}

let folder: string;
beforeAll(async () => {
  await buildOnce();
  folder = installConsumer();
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);
  for (const [name, { text }] of Object.entries(mistakes)) writeFileSync(join(folder, name), text);
}, 5 * minutesMs);

describe("the package's types", () => {
  const modes: [string, string, Record<string, unknown>][] = [
    ['nodenext', 'module', { module: 'nodenext' }],
    ['nodenext in a CommonJS package', 'commonjs', { module: 'nodenext' }],
    ['nodenext without checks of libraries', 'module', { module: 'nodenext', skipLibCheck: true }],
    ['node16', 'module', { module: 'node16' }],
    ['bundler', 'module', { module: 'esnext', moduleResolution: 'bundler' }],
    [
      'commonjs',
      'commonjs',
      { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
    ],
  ];

  it.each(modes)(
    'let a host compile with %s, and show its mistakes',
    async (_mode, type, options) => {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
      const found = await complaints(folder, { skipLibCheck: false, ...options });
      for (const [name, { says }] of Object.entries(mistakes)) {
        expect(found.get(name), name).toMatch(says);
        found.delete(name);
      }
      expect(Object.fromEntries(found)).toEqual({});
    },
    3 * minutesMs,
  );
});
