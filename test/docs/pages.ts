import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Paths, from the root, of the pages whose links, tables and code blocks are checked. */
export function documentedPages(): string[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort();
  return ['README.md', 'CONTRIBUTING.md', ...pages.map((name) => `docs/${name}`)];
}
