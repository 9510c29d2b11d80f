// Writes the generated tables into the documentation: `npm run docs:generate`.
import { readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';

register('../helpers/typescript-hooks.mjs', import.meta.url);
const { documentedPages, root } = await import('./pages.ts');
const { fillTables, generatedTables } = await import('./tables.ts');

const tables = generatedTables();
for (const page of documentedPages()) {
  const text = readFileSync(root + page, 'utf8');
  const filled = fillTables(text, tables);
  if (filled === text) continue;
  writeFileSync(root + page, filled);
  console.log(`wrote ${page}`);
}
