/** A number with three significant digits, never in powers of ten. */
export function short(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return '–';
  const digits =
    Math.abs(value) >= 100
      ? 0
      : Math.abs(value) >= 10
        ? 1
        : Math.abs(value) >= 0.1 || value === 0
          ? 2
          : 3;
  return value.toFixed(digits);
}

const words = new Map([
  [true, 'yes'],
  [false, 'NO'],
  [null, '–'],
]);

/** The cells of one row: its name, the figures, and whether the goal is met. */
export function cellsOf({ row, title, values, ratio, met }, others) {
  return [
    row.name,
    title,
    row.unit,
    short(values.bare),
    short(values.signalbox),
    ratio === null ? '–' : `${short(ratio)}×`,
    row.goal,
    words.get(met),
    ...others.map(({ name }) => short(values[name])),
  ];
}

/** The names of the columns. */
export const headings = (others) => [
  'row',
  'what',
  'unit',
  'bare',
  'signalbox',
  'ratio',
  'goal',
  'met',
  ...others.map(({ name }) => name),
];

/** A Markdown table with aligned columns. */
export function tableOf(lines) {
  const widths = lines[0].map((_, column) =>
    Math.max(...lines.map((cells) => cells[column].length)),
  );
  const written = lines.map(
    (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`,
  );
  return [
    written[0],
    `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`,
    ...written.slice(1),
  ].join('\n');
}
