import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** All that a module imports when it is loaded, and what that imports: files of `src`, packages. */
export function importedBy(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
  for (const [, target = ''] of text.matchAll(/^(?:im|ex)port (?!type )[^;]*?from '([^']+)';/gm))
    if (target.startsWith('.'))
      importedBy(posix.join(posix.dirname(file), target).replace(/\.js$/, '.ts'), known);
    else known.add(target);
  return known;
}
