/** A table for people: as text and as markdown. */
export interface Table {
  readonly title: string;
  /** What is to be known before reading it, a sentence or more each. */
  readonly notes: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const lengthOf = (text: string): number => Array.from(text).length;

const longestLine = 140;

function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!;
    if (last !== '' && last.length + 1 + word.length > longestLine) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** Tables as text, in columns. */
export function asText(tables: readonly Table[]): string {
  return tables
    .map(({ title, notes, head, rows }) => {
      const lines = [head, ...rows];
      const widths = head.map((_, column) =>
        Math.max(...lines.map((line) => lengthOf(line[column]!))),
      );
      const written = (line: readonly string[]): string =>
        line
          .map((cell, column) => cell + ' '.repeat(widths[column]! - lengthOf(cell)))
          .join('   ')
          .trimEnd();
      return [
        title,
        '='.repeat(lengthOf(title)),
        ...notes.flatMap(wrapped),
        ...(notes.length > 0 ? [''] : []),
        written(head),
        widths.map((width) => '-'.repeat(width)).join('   '),
        ...rows.map(written),
        '',
      ].join('\n');
    })
    .join('\n');
}

const cellOf = (text: string): string => text.replaceAll('|', '\\|');

/** Tables as markdown. @param level of their headings */
export function asMarkdown(tables: readonly Table[], level: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cellOf).join(' | ')} |`;
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
