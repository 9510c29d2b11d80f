import { describe, expect, it } from 'vitest';
import { importedBy } from '../../helpers/imported-by.js';

describe('the client of MCP', () => {
  it.each(['index.ts', 'grounding/toolkits/toolkits.ts'])('is not imported with %s', (file) => {
    const imported = [...importedBy(file)];
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((name) => name.startsWith('@modelcontextprotocol/'))).toEqual([]);
  });
});
