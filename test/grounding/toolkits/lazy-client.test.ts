import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

/** All that a module imports when it is loaded, and what that imports: files of `src`, packages. */
function importedBy(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  const text = readFileSync(new URL(`../../../src/${file}`, import.meta.url), 'utf8');
  for (const [, target = ''] of text.matchAll(/^(?:im|ex)port (?!type )[^;]*?from '([^']+)';/gm))
    if (target.startsWith('.'))
      importedBy(posix.join(posix.dirname(file), target).replace(/\.js$/, '.ts'), known);
    else known.add(target);
  return known;
}

describe('the client of MCP', () => {
  it.each(['index.ts', 'grounding/toolkits/toolkits.ts'])('is not imported with %s', (file) => {
    const imported = [...importedBy(file)];
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((name) => name.startsWith('@modelcontextprotocol/'))).toEqual([]);
  });
});
