import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import { rules } from '../../src/gateway.js';
import { buildOnce } from '../helpers/build.js';
import { startProgram } from '../helpers/program.js';
import { endProcesses, type GatewayProcess, startProcess } from '../helpers/process.js';
import { isWholeRun } from '../helpers/runs.js';
import { ask, post } from '../helpers/sse.js';
import { type Block, blocksOf, differences } from './blocks.js';
import { documentedPages } from './pages.js';
import { jsonIn, runInShell } from './shell.js';

const blocks = documentedPages().flatMap(blocksOf);
const isRun = ({ notRun }: Block): boolean => notRun === null;
const inLanguage = (language: string): Block[] =>
  blocks.filter((block) => block.language === language);
/** Drawings and layouts: nothing to run. */
const illustrations = ['text', 'mermaid'];

const programs: ReturnType<typeof startProgram>[] = [];
beforeAll(() => buildOnce(), 120_000);
afterEach(async () => {
  for (const { child, ended } of programs.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  await endProcesses();
});

describe('every code block of the documentation', () => {
  it('is in a language that is run here, or says why it is not run', () => {
    const known = ['sh', 'json', 'yaml', 'js', ...illustrations];
    const unknown = blocks.filter((block) => isRun(block) && !known.includes(block.language));
    expect(unknown.map(({ at, language }) => `${at} ${language}`)).toEqual([]);
  });

  it('is closed', () => {
    expect(blocks.filter(({ text }) => text.includes('```')).map(({ at }) => at)).toEqual([]);
  });
});

describe('the commands of a page', () => {
  const all = documentedPages().filter((page) =>
    blocksOf(page).some((block) => block.language === 'sh' && isRun(block)),
  );
  const pages = isWholeRun ? all : all.filter((page) => page === 'README.md');

  it.each(pages)('of %s work as pasted, and answer as shown', { timeout: 60_000 }, async (page) => {
    const onPage = blocksOf(page);
    const commands = onPage.filter((block) => block.language === 'sh' && isRun(block));
    const printed = await runInShell(commands, await startProcess());
    for (const { block, output } of printed) {
      const next = onPage[onPage.indexOf(onPage.find(({ at }) => at === block.at)!) + 1];
      const shown =
        next?.language === 'json' && isRun(next) ? (JSON.parse(next.text) as object) : null;
      const answers = jsonIn(output);
      if (!shown || !('error' in shown))
        expect(
          answers.filter((answer) => 'error' in answer && answer.error !== null),
          `errors of ${block.at}`,
        ).toEqual([]);
      if (shown) expect(differences(shown, answers.at(-1)), next!.at).toEqual([]);
      expect(output, block.at).not.toMatch(/^HTTP\/1\.1 [45]/m);
    }
  });
});

describe('the answers that pages show', () => {
  it.each(inLanguage('json').filter(isRun))('are valid JSON: $at', ({ text }) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});

describe('the configurations that pages show', () => {
  it.each(inLanguage('yaml').filter(isRun))('are valid: $at', ({ text, at }) => {
    const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    const env = Object.fromEntries(names.map((name) => [name, 'sk_x']));
    expect(parseConfig(text, at, env, rules).warnings).toEqual([]);
  });
});

describe('the programs that pages show', { timeout: 60_000 }, () => {
  const rows = inLanguage('js').filter(isRun);
  const servers = rows.filter(({ text }) => text.includes('app.listen(3000);'));
  const clients = rows.filter((block) => !servers.includes(block));

  it.each(isWholeRun ? servers : servers.slice(0, 2))(
    'serve what they say: $at',
    async ({ text }) => {
      const program = startProgram(
        text.replace(
          'app.listen(3000);',
          "const server = app.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));",
        ),
        { MY_KEY: 'sk_mine' },
      );
      programs.push(program);
      const line = /^listening on (\S+)$/m;
      await expect.poll(program.output, { timeout: 30_000 }).toMatch(line);
      const url = line.exec(program.output())![1]!;
      if (text.includes("'/ai'")) expect((await ask('GET', `${url}/ai/healthz`)).status).toBe(200);
      if (text.includes("'/chat'")) {
        const messages = [{ role: 'user', content: 'Hello' }];
        const models = ['openai/gpt-4o', 'openai/gpt-4o-mini'];
        expect((await post(`${url}/chat`, { messages, models })).text).toContain('openai/gpt-4o');
      }
    },
  );

  it.each(clients)('talk to a gateway: $at', async ({ text }) => {
    const gateway: GatewayProcess = await startProcess();
    const filled = text
      .replaceAll('http://127.0.0.1:8080', gateway.url)
      .replaceAll('sk_your_key', gateway.key);
    const program = startProgram(filled, {
      SIGNALBOX_API_KEY: gateway.key,
    });
    programs.push(program);
    expect(await program.ended, program.output()).toBe(0);
    expect(program.output()).toMatch(/\w/);
  });
});
