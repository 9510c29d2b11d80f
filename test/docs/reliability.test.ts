import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from './pages.js';

const page = readFileSync(`${root}docs/reliability.md`, 'utf8');

/** The rows of the tables whose last column is headed `Test`, as [first column, last column]. */
function rowsWithTests(): (readonly [string, string])[] {
  const rows: (readonly [string, string])[] = [];
  let isIn = false;
  for (const line of page.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells.at(-2) === 'Test') isIn = true;
    else if (!line.startsWith('|')) isIn = false;
    else if (isIn && !/^[|\s:-]+$/.test(line)) rows.push([cells[1] ?? '', cells.at(-2) ?? '']);
  }
  return rows;
}

it('names an existing test for each promise of the page on reliability', () => {
  const rows = rowsWithTests();
  const lacking = rows.filter(([, tests]) => {
    const files = [...tests.matchAll(/test\/[\w/.-]+\.test\.ts/g)].map(([file]) => file);
    return files.length === 0 || !files.every((file) => existsSync(root + file));
  });
  expect(lacking.map(([promise]) => promise)).toEqual([]);
  expect(rows.length).toBeGreaterThan(0);
});
