/** The width of a terminal that does not say its own. */
const defaultWidth = 80;
const gap = '  ';
/** A column is not made narrower than this. */
const minColumn = 8;
/** The last column, which mostly is free text, gives way to the others until it is this narrow. */
const minLast = 14;

/**
 * A table as text: columns two spaces apart, numbers to the right. On a terminal the last and
 * the widest columns are cut until a line fits; elsewhere nothing is cut.
 * @param width columns of the terminal; null: no terminal
 */
export function tableOf(
  titles: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  width: number | null = process.stdout.isTTY ? process.stdout.columns || defaultWidth : null,
): string {
  const cells = [titles, ...rows].map((row) => row.map((cell) => printable(String(cell ?? ''))));
  const widths = titles.map((_title, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  if (width !== null) narrow(widths, width);
  const isNumber = titles.map((_title, column) =>
    rows.some((row) => typeof row[column] === 'number'),
  );
  return cells.map((row) => `${lineOf(row, widths, isNumber)}\n`).join('');
}

const lineOf = (
  row: readonly string[],
  widths: readonly number[],
  isNumber: readonly boolean[],
): string =>
  row
    .map((cell, column) => {
      const width = widths[column] ?? 0;
      const shown = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
      return isNumber[column] ? shown.padStart(width) : shown.padEnd(width);
    })
    .join(gap)
    .trimEnd();

/** Takes from the last column, then from the widest, until the line fits, or every column is narrow. */
function narrow(widths: number[], width: number): void {
  const total = (): number => widths.reduce((sum, one) => sum + one + gap.length, -gap.length);
  const last = widths.length - 1;
  const lastWidth = widths[last] ?? 0;
  widths[last] = Math.min(lastWidth, Math.max(minLast, lastWidth - (total() - width)));
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= minColumn) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

/** Replaces control characters, which could move the terminal's cursor or start a line. */
export const printable = (name: string): string => name.replace(/\p{C}/gu, '?');
