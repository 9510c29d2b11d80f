import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentedPages, root } from './pages.js';

const pages = [
  ...documentedPages(),
  'CHANGELOG.md',
  'config/router/MODEL_CARD.md',
  'test/lab/README.md',
].filter((page) => existsSync(root + page));

const withoutCode = (text: string): string =>
  text
    .replace(/^```[^]*?^```$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = readFileSync(root + page, 'utf8')
    .replace(/^```[^]*?^```$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm);
  const anchors = new Set<string>();
  for (const [, heading] of headings) {
    const anchor = heading!
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let number = 0;
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number++;
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`);
  }
  return anchors;
}

/** The links of a page that lead nowhere. */
function brokenLinks(page: string): string[] {
  const links = withoutCode(readFileSync(root + page, 'utf8')).matchAll(
    /\]\(\s*([^)\s]+)\s*\)|(?:src|href)="([^"]+)"/g,
  );
  return [...links]
    .map(([, markdown, html]) => markdown ?? html ?? '')
    .filter((link) => !/^(https?|mailto):/.test(link))
    .filter((link) => !leadsSomewhere(page, link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(root + target)) return false;
  if (anchor === undefined) return true;
  return statSync(root + target).isFile() && anchorsOf(target).has(anchor);
}

const linesOf = (page: string): string[] =>
  readFileSync(root + page, 'utf8')
    .trimEnd()
    .split('\n');

describe('the documentation', () => {
  it.each(pages)('has no broken link in %s', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('has a README of at most 160 lines, and a CONTRIBUTING of less than 150', () => {
    expect(linesOf('README.md').length).toBeLessThanOrEqual(160);
    expect(linesOf('CONTRIBUTING.md').length).toBeLessThan(150);
  });

  it('has every page in the README, and every decision once in its index, by number', () => {
    const [readme, index] = ['README.md', 'docs/decisions/README.md'].map((page) =>
      readFileSync(root + page, 'utf8'),
    );
    const pages = documentedPages().filter((name) => name.startsWith('docs/'));
    for (const page of pages)
      if (!page.startsWith('docs/decisions/')) expect(readme).toContain(`(${page})`);
    const decisions = pages
      .map((page) => /^docs\/decisions\/(\d.*)$/.exec(page)?.[1])
      .filter((name) => name !== undefined);
    const listed = index!.matchAll(/^\| \[\d{4}\]\((.*?)\)/gm);
    expect([...listed].map(([, name]) => name)).toEqual(decisions.sort());
  });

  it.each(documentedPages().filter((page) => /^docs\/decisions\/\d/.test(page)))(
    'has a status, a date and every section in %s',
    (page) => {
      const text = readFileSync(root + page, 'utf8');
      expect(text).toMatch(/^- Status: (proposed|accepted|superseded by \d{4})$/m);
      expect(text).toMatch(/^- Date: \d{4}-\d\d-\d\d$/m);
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
        'Context',
        'Decision',
        'Considered',
        'Consequences',
      ]);
    },
  );
});
