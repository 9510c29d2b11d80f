/** A table that can be written as text and as markdown. */
export interface Table {
  readonly title: string;
  /** Explanations before the table, one sentence or more each. */
  readonly notes: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const lengthOf = (text: string): number => Array.from(text).length;

const maxLineLength = 140;

function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!;
    if (last !== '' && last.length + 1 + word.length > maxLineLength) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function tableAsText({ title, notes, head, rows }: Table): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column]!))));
  const aligned = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell + ' '.repeat(widths[column]! - lengthOf(cell)))
      .join('   ')
      .trimEnd();
  return [
    title,
    '='.repeat(lengthOf(title)),
    ...notes.flatMap(wrap),
    ...(notes.length > 0 ? [''] : []),
    aligned(head),
    widths.map((width) => '-'.repeat(width)).join('   '),
    ...rows.map(aligned),
    '',
  ].join('\n');
}

/** Tables as text with aligned columns. */
export function asText(tables: readonly Table[]): string {
  return tables.map(tableAsText).join('\n');
}

const escapeCell = (text: string): string => text.replaceAll('|', '\\|');

/** Tables as markdown. @param level of their headings, 1 to 6 */
export function asMarkdown(tables: readonly Table[], level: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`;
  return tables
    .map(({ title, notes, head, rows }) =>
      [
        `${'#'.repeat(level)} ${title}`,
        '',
        ...notes.flatMap((note) => [note, '']),
        line(head),
        `|${'---|'.repeat(head.length)}`,
        ...rows.map(line),
        '',
      ].join('\n'),
    )
    .join('\n');
}
