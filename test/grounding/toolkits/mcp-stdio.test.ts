import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Toolkits } from '../../../src/grounding/toolkits/toolkits.js';
import {
  callOnce,
  everything,
  serverProgram,
  signal,
  toolkitsOf,
  toolOf,
} from '../../helpers/toolkits.js';

const opened: Toolkits[] = [];
function open(...args: Parameters<typeof toolkitsOf>) {
  const made = toolkitsOf(...args);
  opened.push(made.toolkits);
  return made;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((toolkits) => toolkits.close()));
});

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-toolkits-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an MCP server that the gateway starts', () => {
  it('offers its tools under names with the toolkit before them, and runs them', async () => {
    const { toolkits } = open({ all: everything });
    const { tools, warnings } = await toolkits.open([{ name: 'all' }], ['*'], signal());
    expect(warnings).toEqual([]);
    const sum = toolOf(tools, 'all__get-sum');
    expect(sum).toMatchObject({ toolkit: 'all', approval: 'none', maxCalls: null, priceUsd: 0 });
    expect(sum.definition.function).toMatchObject({
      name: 'all__get-sum',
      parameters: { type: 'object', required: ['a', 'b'] },
    });
    expect(await sum.run({ a: 19, b: 23 }, { signal: signal() })).toEqual({
      text: 'The sum of 19 and 23 is 42.',
      isError: false,
      costUsd: 0,
    });
  });

  it('serves several requests with one process', async () => {
    const { toolkits } = open({ all: everything });
    const results = await Promise.all(
      ['a', 'b', 'c'].map((message) => callOnce(toolkits, 'all__echo', { message })),
    );
    expect(results.map(({ text }) => text)).toEqual(['Echo: a', 'Echo: b', 'Echo: c']);
  });

  it('has the secrets of its arguments and the passwords of addresses cut out of what it writes', async () => {
    // some passwords are no valid percent escapes
    const secrets = ['word-1', 'word-2', 'word-3', '%wor-4', '100%-5'];
    const { toolkits, lines } = open({
      all: {
        type: 'mcp-stdio',
        command: process.execPath,
        args: [
          ...['-e', 'console.error(process.argv.slice(1).join(" "), process.env.STORE)', '--'],
          ...['--token', secrets[0]!, `--api-key=${secrets[1]}`, `Authorization: ${secrets[2]}`],
          ...['--author=Smith', '--no-auth', 'serve'],
          `--store=redis://someone:${secrets[3]}@127.0.0.1/`,
        ],
        env: { STORE: `redis://someone:${secrets[4]}@127.0.0.1/` },
      },
    });
    await expect(toolkits.open([{ name: 'all' }], ['*'], signal())).rejects.toThrow('all: ');
    expect(lines[0]).toMatch(/--token \[redacted\].* redis:\/\/someone:\[redacted\]@127.0.0.1\/$/);
    expect(lines[0]).toContain('--author=Smith --no-auth serve');
    for (const secret of secrets) expect(lines.join()).not.toContain(secret);
  });

  it('sees its own variables and none of the gateway', async () => {
    process.env.SIGNALBOX_TEST_API_KEY = 'sk_hidden';
    const { toolkits } = open({ all: { ...everything, env: { MINE: 'here' } } });
    const { text } = await callOnce(toolkits, 'all__get-env');
    delete process.env.SIGNALBOX_TEST_API_KEY;
    expect(text).toContain('"MINE": "here"');
    expect(text).toContain('"PATH"');
    expect(text).not.toContain('sk_hidden');
  });

  it('shows structured content, resources and images as text', async () => {
    const { toolkits } = open({ all: everything });
    const structured = await callOnce(toolkits, 'all__get-structured-content', {
      location: 'Chicago',
    });
    expect(JSON.parse(structured.text)).toHaveProperty('temperature');
    expect((await callOnce(toolkits, 'all__get-tiny-image')).text).toContain('[image image/png]');
    const resource = await callOnce(toolkits, 'all__get-resource-reference', {
      resourceType: 'Text',
      resourceId: 1,
    });
    expect(resource.text).toContain('Resource 1');
  });

  it('answers a failed call with what the server says', async () => {
    writeFileSync(join(folder, 'note.txt'), 'The lamp is green.');
    const files = {
      type: 'mcp-stdio',
      command: process.execPath,
      args: [serverProgram('server-filesystem'), folder],
    } as const;
    const { toolkits } = open({ files });
    const path = join(folder, 'note.txt');
    expect((await callOnce(toolkits, 'files__read_text_file', { path })).text).toBe(
      'The lamp is green.',
    );
    const outside = await callOnce(toolkits, 'files__read_text_file', { path: '/etc/passwd' });
    expect(outside.isError).toBe(true);
    expect(outside.text).toContain('Access denied');
  });
});
