import { spawn } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block } from './blocks.js';
import { root } from './pages.js';
import { evaluationsCsv } from '../helpers/evaluations-csv.js';
import type { GatewayProcess } from '../helpers/process.js';

/** What one block printed on standard output. */
export interface Printed {
  readonly block: Block;
  readonly output: string;
}

const marker = '@@@ end of block @@@';

/**
 * Runs the blocks of a page one after another in one shell, as a reader would paste them: in the
 * gateway's folder, which has `dist`, `config` and `evaluations.csv`, and with its real address.
 * @throws Error for a command that fails
 */
export async function runInShell(
  blocks: readonly Block[],
  gateway: GatewayProcess,
): Promise<Printed[]> {
  symlinkSync(join(root, 'dist'), join(gateway.folder, 'dist'));
  symlinkSync(join(root, 'config'), join(gateway.folder, 'config'));
  writeFileSync(join(gateway.folder, 'evaluations.csv'), evaluationsCsv(100));
  const script = [
    'set -euo pipefail',
    // an answer has no line break at its end
    'curl() { command curl --silent --show-error "$@" && echo; }',
    ...blocks.map(({ text }) => `${text}\necho; echo "${marker}"`),
  ].join('\n');
  const output = await shell(
    script.replaceAll('http://127.0.0.1:8080', gateway.url),
    gateway.folder,
    gateway.key,
  );
  return output
    .split(`${marker}\n`)
    .slice(0, -1)
    .map((text, index) => ({ block: blocks[index]!, output: text.trim() }));
}

function shell(script: string, cwd: string, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', script], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, SIGNALBOX_API_KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`the shell ended with ${String(code)}:\n${stdout}${stderr}`));
    });
  });
}

/** The lines of an output that are JSON objects, parsed. */
export function jsonIn(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
