import { describe, expect, it } from 'vitest';
import { tableOf } from '../../src/cli/table.js';

describe('a table of the command line', () => {
  it('has two spaces between columns, also behind the longest cell, and numbers to the right', () => {
    expect(
      tableOf(
        ['name', 'n'],
        [
          ['long name', 5],
          ['x', 12_000],
        ],
        null,
      ),
    ).toBe('name           n\nlong name      5\nx          12000\n');
  });

  it('is cut to the width of a terminal, in its widest columns, and nowhere else', () => {
    const row = ['short', 'x'.repeat(90), 'y'.repeat(40)];
    const lines = tableOf(['a', 'b', 'c'], [row], 80).split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[1]).toMatch(/^short {2}x+… {2}y+…$/);
    expect(tableOf(['a', 'b', 'c'], [row], null)).toContain('x'.repeat(90));
  });

  it('keeps ids and times whole where the text in the last column can be cut', () => {
    const id = '7390f156-0949-411c-b91b-b45f3d0a1e2c';
    const row = [id, '2026-11-22 12:04', 2, 'Why is the sky blue in the evening?'];
    const [, line] = tableOf(['id', 'last used', 'messages', 'title'], [row], 80).split('\n');
    expect(line).toMatch(new RegExp(`^${id} {2}2026-11-22 12:04 {9}2  Why is the sk…$`));
  });

  it('replaces what would move the cursor', () => {
    expect(tableOf(['a'], [['\u001b[2Jx\n']], null)).toBe('a\n?[2Jx?\n');
  });
});
