import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from './helpers/gateway.js';
import { endProcesses, newFolder } from './helpers/process.js';
import { startUpstream, type Upstream } from './helpers/upstream.js';

const run = promisify(execFile);
const minutesMs = 60_000;
/** Exact versions, so that the list of expected failures changes only when somebody changes it. */
const suite = '@modelcontextprotocol/conformance@0.1.16';
const node22 = 'node@22.23.3';
const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
/** A scenario that passes all the same fails the run: the list only shrinks. */
const expectedFailures = pathOf('fixtures/mcp-expected-failures.yml');
const client = `${process.execPath} ${pathOf('helpers/conformance-client.mjs')}`;

let folder: string;
let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  folder = newFolder();
  // npm's package of Node.js gets its program by its script
  const manifest = { private: true, allowScripts: { node: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await npm(node22);
  await npm('--ignore-scripts', suite);
  upstream = await startUpstream();
  gateway = await startGateway({
    auth: { required: false },
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: { 'up/m': {} },
  });
}, 5 * minutesMs);
afterAll(async () => {
  await Promise.all([gateway, upstream].map((one) => one.close()));
  await endProcesses();
});

const npm = (...words: string[]) =>
  run('npm', ['install', '--no-audit', '--no-fund', ...words], { cwd: folder });

/** What the suite says, and 0 where all went as expected. */
async function conformance(...words: string[]): Promise<{ code: number; output: string }> {
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const node = join(folder, 'node_modules/.bin/node');
  const args = [program, ...words, '--expected-failures', expectedFailures];
  try {
    const { stdout } = await run(node, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

describe('the conformance suite of MCP', { timeout: 5 * minutesMs }, () => {
  it('finds in /mcp what is expected, and nothing else', async () => {
    const { code, output } = await conformance('server', '--url', `${gateway.url}/mcp`);
    expect(output).toMatch(/server-initialize/);
    expect(code, output).toBe(0);
  });

  it.each([
    'initialize',
    'tools_call',
    'sse-retry',
    // the other ones of OAuth need a person who signs in, or a key that signs
    'auth/client-credentials-basic',
    'auth/pre-registration',
    'elicitation-sep1034-client-defaults',
  ])('finds in the client of toolkits what is expected: %s', async (scenario) => {
    const timeout = ['--timeout', String(minutesMs)];
    const words = ['client', '--command', client, '--scenario', scenario, ...timeout];
    const { code, output } = await conformance(...words);
    expect(code, output).toBe(0);
  });
});
