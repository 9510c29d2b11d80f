import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { RetirementTerms } from '../../../src/grounding/toolkits/retiring-source.js';
import type { Toolkits } from '../../../src/grounding/toolkits/toolkits.js';
import { callOnce, signal, toolkitsOf, toolOf } from '../../helpers/toolkits.js';
import { until } from '../../helpers/until.js';

const program = fileURLToPath(new URL('../../helpers/scripted-mcp.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'signalbox-reload-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const opened: Toolkits[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((toolkits) => toolkits.close()));
});

const brief: RetirementTerms = { idleMs: 50, maxMs: 600_000 };
/** Ends nothing by itself. */
const lasting: RetirementTerms = { idleMs: 600_000, maxMs: 600_000 };

let files = 0;
/** A server, and configurations with it one after the other. */
function server(behaviour = '') {
  const file = join(folder, String(++files));
  writeFileSync(file, '');
  const configured = (settings: object | null, terms?: RetirementTerms): Toolkits => {
    const one = {
      type: 'mcp-stdio' as const,
      command: process.execPath,
      args: [program, behaviour, file],
    };
    const { toolkits } = toolkitsOf(settings ? { one: { ...one, ...settings } } : {}, terms);
    opened.push(toolkits);
    return toolkits;
  };
  const notes = (): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const pids = (): number[] =>
    notes().flatMap((note) => (note.startsWith('started ') ? [Number(note.slice(8))] : []));
  return { configured, notes, pids, go: () => appendFileSync(file, 'go\n') };
}

const isAlive = (pid: number | undefined): boolean => {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
};

const echoOf = async (toolkits: Toolkits) => {
  const { tools } = await toolkits.open([{ name: 'one' }], ['*'], signal());
  return (text: string) => toolOf(tools, 'one__echo').run({ text }, { signal: signal() });
};

describe('a server of tools over a reload of the configuration', () => {
  it('is kept where its settings are the same', async () => {
    const { configured, pids } = server();
    const first = configured({});
    await callOnce(first, 'one__echo');
    const same = configured({});
    same.inheritFrom(first);
    await first.close();
    expect((await callOnce(same, 'one__echo', { text: 'still' })).text).toBe('still');
    expect(pids()).toHaveLength(1);
  });

  it.each([
    ['other settings', { timeoutMs: 9_000 }],
    ['no such toolkit', null],
  ])('finishes its calls in progress where there are %s, and is then ended', async (_how, next) => {
    const { configured, notes, pids, go } = server('patient');
    const first = configured({}, brief);
    const call = callOnce(first, 'one__echo');
    await until(() => notes().includes('called echo'));
    configured(next).inheritFrom(first);
    expect(isAlive(pids()[0])).toBe(true);
    go();
    expect(await call).toMatchObject({ text: 'late', isError: false });
    await until(() => !isAlive(pids()[0]));
  });

  it('answers later calls of requests that began before, beside the new one', async () => {
    const { configured, pids } = server();
    const first = configured({}, lasting);
    const echo = await echoOf(first);
    const other = configured({ timeoutMs: 9_000 });
    other.inheritFrom(first);
    expect((await echo('old')).text).toBe('old');
    expect((await callOnce(other, 'one__echo', { text: 'new' })).text).toBe('new');
    expect(pids()).toHaveLength(2);
  });

  it('is ended in the end, however many calls follow each other', async () => {
    const { configured, pids } = server();
    const first = configured({}, { idleMs: 600_000, maxMs: 200 });
    const echo = await echoOf(first);
    configured(null).inheritFrom(first);
    await until(async () => (await echo('again')).isError);
    await until(() => !isAlive(pids()[0]));
    expect(await echo('late')).toMatchObject({
      text: 'The tool failed: the toolkit was closed.',
      isError: true,
    });
  });

  it('is ended with the gateway, after any number of reloads', async () => {
    const { configured, pids } = server();
    let current = configured({}, lasting);
    for (const timeoutMs of [9_000, 8_000, 7_000]) {
      await callOnce(current, 'one__echo');
      const next = configured({ timeoutMs }, lasting);
      next.inheritFrom(current);
      current = next;
    }
    expect(pids().filter(isAlive)).toHaveLength(3);
    await current.close();
    await until(() => !pids().some(isAlive));
  });
});
