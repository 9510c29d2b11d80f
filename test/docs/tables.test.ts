import { readFileSync } from 'node:fs';
import { format, resolveConfig as resolvePrettier } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask } from '../helpers/sse.js';
import { generatedSources } from './generated-sources.js';
import { documentedPages, root } from './pages.js';
import { fillTables, generatedTables } from './tables.js';

describe('the generated tables', () => {
  const tables = generatedTables();

  it.each(documentedPages())(
    'are up to date in %s; `npm run docs:generate` writes them',
    (page) => {
      const text = readFileSync(root + page, 'utf8');
      // as Prettier leaves it: blank lines around comments
      const squeezed = (part: string): string => part.replace(/\n{2,}/g, '\n');
      expect(squeezed(fillTables(text, tables))).toBe(squeezed(text));
    },
  );

  it('are each on a page', () => {
    const all = documentedPages()
      .map((page) => readFileSync(root + page, 'utf8'))
      .join('\n');
    for (const name of Object.keys(tables)) expect(all).toContain(`<!-- generated: ${name} -->`);
  });

  it('describe every setting', () => {
    const settings = [tables['config keys'], tables['provider settings'], tables['model settings']];
    const undescribed = settings
      .join('\n')
      .split('\n')
      .filter((row) => /\| *\|$/.test(row));
    expect(undescribed).toEqual([]);
  });
});

describe('the generated sources', () => {
  it.each(Object.entries(generatedSources()))(
    'are up to date in %s; `npm run docs:generate` writes them',
    async (file, text) => {
      const options = { ...(await resolvePrettier(root + file)), filepath: file };
      expect(await format(text, options)).toBe(readFileSync(root + file, 'utf8'));
    },
  );
});

describe('the tables of metrics and routes', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it('name every metric', async () => {
    const page = await ask('GET', `${gateway.url}/metrics`);
    const operations = readFileSync(`${root}docs/operations.md`, 'utf8');
    const names = [...page.text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name!);
    const ours = names.filter((name) => /^(signalbox|gen_ai)_/.test(name));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((name) => !operations.includes(`\`${name}\``))).toEqual([]);
  });

  it('name every path of the description of the API', async () => {
    const description = (await ask('GET', `${gateway.url}/openapi.json`)).json as {
      paths: Record<string, unknown>;
    };
    const page = readFileSync(`${root}docs/http-api.md`, 'utf8');
    const paths = Object.keys(description.paths).map((path) =>
      path.replace(/\{(\w+)\}/g, (_whole, name: string) => `<${name}>`),
    );
    const last = (path: string): string => `…/${path.split('/').slice(5).join('/')}`;
    expect(paths.filter((path) => !page.includes(path) && !page.includes(last(path)))).toEqual([]);
  });
});
