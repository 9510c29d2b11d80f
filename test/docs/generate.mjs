// Writes the tables of the documentation, and the sources that follow from tables of the code:
// `npm run docs:generate`.
import { readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';

register('../helpers/typescript-hooks.mjs', import.meta.url);
const { documentedPages, root } = await import('./pages.ts');
const { fillTables, generatedTables } = await import('./tables.ts');
const { generatedSources } = await import('./generated-sources.ts');

const tables = generatedTables();
for (const page of documentedPages()) {
  const text = readFileSync(root + page, 'utf8');
  const filled = fillTables(text, tables);
  if (filled === text) continue;
  writeFileSync(root + page, filled);
  console.log(`wrote ${page}`);
}
for (const [file, text] of Object.entries(generatedSources())) {
  writeFileSync(root + file, text);
  console.log(`wrote ${file}`);
}
