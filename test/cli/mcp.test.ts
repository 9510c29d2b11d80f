import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Toolkits } from '../../src/grounding/toolkits/toolkits.js';
import { type RunningGateway, startGateway, testKey } from '../helpers/gateway.js';
import { callOnce, signal, toolkitsOf } from '../helpers/toolkits.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: { 'up/small': {}, 'up/large': {} },
  });
});
const opened: Toolkits[] = [];
afterAll(async () => {
  await Promise.all(opened.map((toolkits) => toolkits.close()));
  await Promise.all([gateway.close(), upstream.close()]);
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

describe('signalbox mcp', () => {
  it('offers a running gateway as tools', async () => {
    const { tools } = await commandOn(gateway.url).open([{ name: 'box' }], ['*'], signal());
    expect(tools.map(({ name }) => name)).toEqual(['box__select_model', 'box__complete']);
  });

  it('selects a model, of those given or of all', async () => {
    const toolkits = commandOn(gateway.url);
    const prompt = 'Prove that 2 is prime.';
    const given = await callOnce(toolkits, 'box__select_model', { prompt, models: ['up/small'] });
    expect(given).toMatchObject({ text: 'up/small', isError: false });
    const any = await callOnce(toolkits, 'box__select_model', { prompt, tradeoff: 'cost' });
    expect(any.text).toMatch(/^up\/(small|large)$/);
  });

  it('asks a model', async () => {
    const toolkits = commandOn(gateway.url);
    const call = { prompt: 'Hi', system: 'Be short.', model: 'up/large' };
    const { text, isError } = await callOnce(toolkits, 'box__complete', call);
    expect(isError).toBe(false);
    expect(text).not.toBe('');
  });

  it.each([
    ['that refuses the key', () => commandOn(gateway.url, 'sk_wrong'), 'key'],
    ['that is not there', () => commandOn('http://127.0.0.1:1'), 'could not be reached'],
  ])('answers with an error for a gateway %s', async (_name, open, words) => {
    const result = await callOnce(open(), 'box__complete', { prompt: 'Hi' });
    expect(result.isError).toBe(true);
    expect(result.text).toContain(words);
    expect(result.text).not.toContain('sk_wrong');
  });
});
