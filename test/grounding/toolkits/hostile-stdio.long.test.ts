import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import type { Toolkits } from '../../../src/grounding/toolkits/toolkits.js';
import { callOnce, signal, toolkitsOf, toolOf } from '../../helpers/toolkits.js';
import { until } from '../../helpers/until.js';

const program = fileURLToPath(new URL('../../helpers/scripted-mcp.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'signalbox-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const opened: Toolkits[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((toolkits) => toolkits.close()));
});

let files = 0;
/** A server that behaves as told, and the file in which it notes what happens to it. */
function scripted(behaviour: string, settings: Record<string, unknown> = {}) {
  const file = join(folder, String(++files));
  writeFileSync(file, '');
  const open = (changes: Record<string, unknown>) => {
    const made = toolkitsOf({
      one: {
        type: 'mcp-stdio',
        command: process.execPath,
        args: [program, behaviour, file],
        ...settings,
        ...changes,
      },
    });
    opened.push(made.toolkits);
    return made;
  };
  const made = open({});
  const again = (changes: Record<string, unknown> = {}): Toolkits => open(changes).toolkits;
  const notes = (): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const count = (note: string): number => notes().filter((one) => one.startsWith(note)).length;
  return { ...made, again, notes, count };
}

async function refusal(toolkits: Toolkits): Promise<GatewayError> {
  try {
    await toolkits.open([{ name: 'one' }], ['*'], signal());
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('the toolkit was opened');
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const pidOf = (notes: string[]): number => Number(notes[0]?.replace('started ', ''));

describe('a server that cannot be opened', () => {
  it.each([
    ['exits', {}, 'one: the server ended the connection'],
    ['mute', { timeoutMs: 300 }, 'one: no answer within 300 ms'],
    ['deaf', { timeoutMs: 300 }, 'one: no answer within 300 ms'],
    ['listless', {}, 'one: its list of tools is no list'],
    ['', { command: '/does/not/exist' }, 'one: its command was not found'],
    ['', { command: '/etc/passwd' }, 'one: its command may not be run'],
  ])('as with %s %o, is a failure with status 502', async (behaviour, settings, message) => {
    const { toolkits } = scripted(behaviour, settings);
    expect(await refusal(toolkits)).toMatchObject({ status: 502, message });
  });

  it('is a warning where the toolkit is optional', async () => {
    const { toolkits } = scripted('exits', { optional: true });
    expect(await toolkits.open([{ name: 'one' }], ['*'], signal())).toEqual({
      tools: [],
      warnings: ['toolkits[0]: one: the server ended the connection'],
    });
  });

  it('is started again at once after one failure, and later after more', async () => {
    const { toolkits, count } = scripted('exits');
    await refusal(toolkits);
    await refusal(toolkits);
    expect((await refusal(toolkits)).message).toMatch(
      /^one: it failed \d times in a row and is tried again in \d s$/,
    );
    expect(count('started')).toBe(2);
  });
});

describe('a server that fails in a call', () => {
  it('by its end gives a tool error, and is started again', async () => {
    const { toolkits, count } = scripted('dies');
    const result = await callOnce(toolkits, 'one__echo');
    expect(result).toMatchObject({
      text: 'The tool failed: the server ended the connection.',
      isError: true,
    });
    expect((await callOnce(toolkits, 'one__echo')).isError).toBe(true);
    expect(count('started')).toBe(2);
    expect(count('called')).toBe(2);
  });

  it('by its silence gives a tool error in time, and is told', async () => {
    const { toolkits, notes } = scripted('slow', { timeoutMs: 400 });
    const result = await callOnce(toolkits, 'one__echo');
    expect(result).toMatchObject({
      text: 'The tool failed: no answer within 400 ms.',
      isError: true,
    });
    await until(() => notes().includes('cancelled'));
  });

  it('gets told when the client leaves', async () => {
    const { toolkits, notes } = scripted('slow');
    const { tools } = await toolkits.open([{ name: 'one' }], ['*'], signal());
    const leaving = new AbortController();
    const call = toolOf(tools, 'one__echo').run({}, { signal: leaving.signal });
    await until(() => notes().includes('called echo'));
    leaving.abort(new GatewayError('client_closed', 'gone'));
    await expect(call).rejects.toMatchObject({ code: 'client_closed', message: 'gone' });
    await until(() => notes().includes('cancelled'));
  });

  it.each(['endless', 'floods'])('and never stops writing (%s) is ended', async (behaviour) => {
    const { toolkits, notes } = scripted(behaviour);
    const before = process.memoryUsage().rss;
    expect((await callOnce(toolkits, 'one__echo')).isError).toBe(true);
    await until(() => !isAlive(pidOf(notes())));
    expect(process.memoryUsage().rss - before).toBeLessThan(300e6);
  });

  it('with a refusal shows the reason, without secrets', async () => {
    const { toolkits } = scripted('refuses', { env: { API_KEY: 'sk_env_secret' } });
    const { text } = await callOnce(toolkits, 'one__echo');
    expect(text).toContain('no, said [redacted]');
  });
});

describe('a server with odd answers', () => {
  it('has long results cut', async () => {
    const { toolkits } = scripted('huge', { maxResultChars: 1_000 });
    const { text } = await callOnce(toolkits, 'one__echo');
    expect(text).toBe(`${'x'.repeat(1_000)}\n[cut: the result has 3,000,000 characters]`);
  });

  it('may write other lines between its messages', async () => {
    const { toolkits } = scripted('garbage');
    expect((await callOnce(toolkits, 'one__echo', { text: 'hello' })).text).toBe('hello');
  });

  it('that violate the protocol gives a tool error', async () => {
    const { toolkits } = scripted('odd');
    expect(await callOnce(toolkits, 'one__echo')).toMatchObject({
      text: 'The tool failed: its answer is not what the protocol says.',
      isError: true,
    });
  });

  it('keeps its good tools when others have invalid schemas', async () => {
    const { toolkits } = scripted('schemas');
    const { tools, warnings } = await toolkits.open([{ name: 'one' }], ['*'], signal());
    expect(tools.map(({ name }) => name)).toEqual(['one__echo', 'one__typed', 'one__none']);
    expect(warnings.join('\n')).toMatch(/list.*no object[^]*referring.*nowhere[^]*deep.*deeper/);
    expect(warnings).toHaveLength(7);
  });

  it('has a bounded number of pages of tools', async () => {
    const { toolkits, count } = scripted('pages');
    const { warnings } = await toolkits.open([{ name: 'one' }], ['*'], signal());
    expect(count('listed')).toBe(32);
    expect(warnings.join()).toContain('more than 512 tools or 32 pages');
  });

  it('is asked again for its tools when it says that they have changed', async () => {
    const { toolkits, count } = scripted('changes');
    await callOnce(toolkits, 'one__echo');
    await until(async () => {
      const { tools } = await toolkits.open([{ name: 'one' }], ['*'], signal());
      return tools.some(({ name }) => name === 'one__more');
    });
    expect(count('listed')).toBe(2);
    expect(count('started')).toBe(1);
  });

  it('has its standard error in the log, in short lines and without secrets', async () => {
    const { toolkits, lines } = scripted('chatty', { env: { API_KEY: 'sk_env_secret' } });
    await callOnce(toolkits, 'one__echo');
    await until(() => lines.length === 2);
    expect(lines).toEqual([`one: ${'x'.repeat(500)}`, 'one: second line with [redacted]']);
  });
});

describe('a server', () => {
  it('ends with the toolkits, also one that does not want to', async () => {
    for (const behaviour of ['', 'stubborn']) {
      const { toolkits, notes } = scripted(behaviour);
      await callOnce(toolkits, 'one__echo');
      const pid = pidOf(notes());
      expect(isAlive(pid)).toBe(true);
      await toolkits.close();
      expect(notes()).toContain('input ended');
      await until(() => !isAlive(pid));
    }
  });

  it('ends with a gateway that is killed', async () => {
    const file = join(folder, String(++files));
    writeFileSync(file, '');
    const source = new URL('../../../src/grounding/toolkits/toolkits.ts', import.meta.url);
    const hooks = new URL('../../helpers/typescript-hooks.mjs', import.meta.url);
    const gateway = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { register } from 'node:module';
         register(${JSON.stringify(hooks.href)});
         const { Toolkits } = await import(${JSON.stringify(source.href)});
         const toolkits = new Toolkits([{
           name: 'one', type: 'mcp-stdio', command: process.execPath,
           args: ${JSON.stringify([program, '', file])}, env: {}, era: 'handshake', tools: null,
           clientApproval: [], optional: false, pricePerCall: 0, timeoutMs: 30000, maxResultChars: 1000,
         }]);
         await toolkits.open([{ name: 'one' }], ['*'], new AbortController().signal);
         console.log('opened');`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(gateway.stdout, 'data');
    const pid = pidOf(readFileSync(file, 'utf8').split('\n'));
    expect(isAlive(pid)).toBe(true);
    gateway.kill('SIGKILL');
    await until(() => !isAlive(pid));
  });

  it('gives calls in progress an error when the toolkits are closed', async () => {
    const { toolkits, notes } = scripted('slow');
    const call = callOnce(toolkits, 'one__echo');
    await until(() => notes().includes('called echo'));
    await toolkits.close();
    expect(await call).toMatchObject({ isError: true });
    expect(await refusal(toolkits)).toMatchObject({ message: 'one: the toolkit was closed' });
  });
});
