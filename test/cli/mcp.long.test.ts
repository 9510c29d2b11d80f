import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Toolkits } from '../../src/grounding/toolkits/toolkits.js';
import { type RunningGateway, startGateway, testKey } from '../helpers/gateway.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { callOnce, signal, toolkitsOf } from '../helpers/toolkits.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let world: SearchWorld;
let gateway: RunningGateway;
beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream(), startSearchWorld()]);
  world.pages = [{ title: 'Heron', url: `${world.url}/heron`, text: 'Heron 4.0 is out.' }];
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: { 'up/small': {}, 'up/large': {} },
    auth: {
      keys: [
        { name: 'test', key: testKey },
        { name: 'chooser', key: 'sk_chooser', scopes: ['model-select'] },
      ],
    },
    search: { engines: [{ type: 'searxng', url: world.url }] },
  });
});
const opened: Toolkits[] = [];
afterAll(async () => {
  await Promise.all(opened.map((toolkits) => toolkits.close()));
  await Promise.all([gateway.close(), upstream.close(), world.close()]);
});

/** `signalbox mcp` as a toolkit, which is what its users are. */
function commandOn(url: string, key = testKey): Toolkits {
  const program = new URL('../../src/cli/mcp/mcp-command.ts', import.meta.url);
  const hooks = new URL('../helpers/typescript-hooks.mjs', import.meta.url);
  const code = `
    import { register } from 'node:module';
    register(${JSON.stringify(hooks.href)});
    const { Command } = await import('commander');
    const { addMcpCommand } = await import(${JSON.stringify(program.href)});
    const command = new Command();
    addMcpCommand(command);
    await command.parseAsync(['mcp', '--url', ${JSON.stringify(url)}], { from: 'user' });`;
  const { toolkits } = toolkitsOf({
    box: {
      type: 'mcp-stdio',
      command: process.execPath,
      args: ['--input-type=module', '--eval', code],
      env: { SIGNALBOX_API_KEY: key },
    },
  });
  opened.push(toolkits);
  return toolkits;
}
const namesOf = async (toolkits: Toolkits): Promise<string[]> =>
  (await toolkits.open([{ name: 'box' }], ['*'], signal())).tools.map(({ name }) => name);

describe('signalbox mcp', () => {
  it('offers the tools that a running gateway has for the key', async () => {
    expect(await namesOf(commandOn(gateway.url))).toEqual([
      'box__select_model',
      'box__complete',
      'box__search',
    ]);
    expect(await namesOf(commandOn(gateway.url, 'sk_chooser'))).toEqual(['box__select_model']);
  });

  it('selects a model, of those given or of all', async () => {
    const toolkits = commandOn(gateway.url);
    const prompt = 'Prove that 2 is prime.';
    const given = await callOnce(toolkits, 'box__select_model', { prompt, models: ['up/small'] });
    expect(given).toMatchObject({ text: 'up/small', isError: false });
    const any = await callOnce(toolkits, 'box__select_model', { prompt, tradeoff: 'cost' });
    expect(any.text).toMatch(/^up\/(small|large)$/);
  });

  it('asks a model, and searches', async () => {
    const toolkits = commandOn(gateway.url);
    const call = { prompt: 'Hi', system: 'Be short.', model: 'up/large' };
    expect(await callOnce(toolkits, 'box__complete', call)).toMatchObject({
      text: 'Hello',
      isError: false,
    });
    const found = await callOnce(toolkits, 'box__search', { query: 'heron' });
    expect(found.text).toContain('Heron 4.0 is out.');
  });

  it('answers a failed call with what the gateway says', async () => {
    const call = { prompt: 'Hi', model: 'nobody/none' };
    const result = await callOnce(commandOn(gateway.url), 'box__complete', call);
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining('nobody') as string,
    });
  });

  it.each([
    ['that refuses the key', () => commandOn(gateway.url, 'sk_wrong'), 'key'],
    ['that is not there', () => commandOn('http://127.0.0.1:1'), 'could not be reached'],
  ])('has no tools of a gateway %s, and says so', async (_name, open, words) => {
    const failed = namesOf(open()).catch((error: unknown) => String(error));
    expect(await failed).toContain(words);
    expect(await failed).not.toContain('sk_wrong');
  });
});
