import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DialectGateway,
  dialectRows,
  startDialectGateway,
} from '../helpers/dialect-gateway.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/python-clients/${name}`, import.meta.url));
const folder = fileURLToPath(new URL('../../node_modules/.cache/python-clients/', import.meta.url));
const python = join(folder, 'bin/python');
/** Only ends what would never end: installing takes half a minute. */
const giveUpMs = 180_000;

/** Installs the clients into an ignored folder. @returns why not; null: they are there */
function install(): string | null {
  const marker = join(folder, 'installed');
  if (existsSync(marker)) return null;
  const options = { timeout: giveUpMs, stdio: 'pipe' } as const;
  try {
    mkdirSync(folder, { recursive: true });
    execFileSync('python3', ['-m', 'venv', folder], options);
    execFileSync(
      python,
      ['-m', 'pip', 'install', '-q', '--retries=0', '-r', fixture('requirements.txt')],
      options,
    );
    writeFileSync(marker, '');
    return null;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
  }
}
const missing = install();
if (missing !== null)
  console.warn(`Python's clients: SKIPPED, they cannot be installed (${missing}).`);

/** One process for all tests: its libraries take seconds to import. */
let child: ChildProcess | undefined;
let lines: AsyncIterator<string>;
beforeAll(() => {
  if (missing !== null) return;
  const running = spawn(python, [fixture('clients.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  lines = createInterface(running.stdout)[Symbol.asyncIterator]();
  child = running;
});
afterAll(() => void child?.kill());

const call = { toolCalls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Rome' } }] };
const answer = { text: ['It is ', 'sunny.'], usage: { prompt: 20, completion: 5 } };

describe.skipIf(missing !== null).each(dialectRows)(
  "Python's clients, over %s:",
  { timeout: giveUpMs },
  (_dialect, model) => {
    let gateway: DialectGateway;
    beforeAll(async () => {
      gateway = await startDialectGateway();
    });
    afterAll(() => gateway.close());
    beforeEach(() => gateway.upstream.script([call, answer]));

    const ask = async (client: string): Promise<unknown> => {
      const key = gateway.auth.authorization.replace('Bearer ', '');
      child?.stdin?.write(`${JSON.stringify([gateway.url, key, model, client])}\n`);
      const { value } = await lines.next();
      return JSON.parse(value ?? 'null') as unknown;
    };
    const error = 'NotFoundError';

    it('anthropic calls a tool, streams, counts and has typed errors', async () => {
      expect(await ask('anthropic')).toEqual({
        call: { city: 'Rome' },
        stopped: 'tool_use',
        text: 'It is sunny.',
        tokens: 5,
        counted: true,
        error,
      });
    });

    it('openai calls a tool, continues a stored response and has typed errors', async () => {
      expect(await ask('openai')).toEqual({
        call: { city: 'Rome' },
        text: 'It is sunny.',
        tokens: 5,
        stored: true,
        error,
      });
    });

    it.each(['pydantic-ai, Messages', 'pydantic-ai, Responses', 'openai-agents'])(
      '%s runs a tool by itself',
      async (client) => {
        expect(await ask(client)).toEqual({ text: 'It is sunny.' });
      },
    );
  },
);
