/** One line, or one layer of bars, of a chart. */
export interface ChartSeries {
  readonly label: string;
  /** One for each time; null: nothing is known. */
  readonly values: readonly (number | null)[];
  readonly color: string;
  /** The page of what it shows; its name in the legend leads there. */
  readonly href?: string | null;
}

/** Colours that differ in both themes, also for most people who are colour-blind; red is for errors. */
export const chartColors = [
  '#228be6',
  '#f59f00',
  '#a8003c',
  '#24ccb4',
  '#6c3c9c',
  '#848400',
  '#a86c90',
  '#0c3cfc',
] as const;

/** Of what has no colour of its own, such as the sum of the rest. */
export const restColor = '#868e96';
export const errorColor = '#fa5252';

/** The colour of the nth series. */
export const colorAt = (index: number): string =>
  chartColors[index % chartColors.length] ?? restColor;

/** Of each label its own colour, wherever it is shown; another one where a label beside it has that. */
export function colorsOf(labels: readonly string[]): string[] {
  const taken: string[] = [];
  const colors = new Map<string, string>();
  // not in the order of what is shown, so that a rank changes nothing
  for (const label of [...labels].sort()) {
    let at = Array.from(label).reduce(
      (sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 8_191,
      0,
    );
    const last = at + chartColors.length;
    while (taken.includes(colorAt(at)) && at < last) at++;
    colors.set(label, colorAt(at));
    taken.push(colorAt(at));
  }
  return labels.map((label) => colors.get(label) ?? restColor);
}

/** Each series on top of those before it: what a stacked chart draws. Null counts as 0. */
export function stacked(series: readonly ChartSeries[]): number[][] {
  const length = Math.max(0, ...series.map(({ values }) => values.length));
  const below = new Array<number>(length).fill(0);
  return series.map(({ values }) => below.map((sum, at) => (below[at] = sum + (values[at] ?? 0))));
}

/** The points of an SVG line, 100 wide and 24 high, from 0 to the highest value. */
export function sparkline(values: readonly (number | null)[]): string {
  const highest = Math.max(Number.MIN_VALUE, ...values.map((value) => value ?? 0));
  const points = values.map((value, at) =>
    value === null
      ? ''
      : `${((100 * at) / (values.length - 1)).toFixed(1)},${(23 - (22 * value) / highest).toFixed(1)}`,
  );
  return points.filter((point) => point !== '').join(' ');
}

/** Of a series of counts, what is left of the whole; null: nothing at any time. */
export function restOf(
  whole: readonly number[],
  parts: readonly (readonly number[])[],
): number[] | null {
  const rest = whole.map((sum, at) =>
    Math.max(0, sum - parts.reduce((all, part) => all + (part[at] ?? 0), 0)),
  );
  // sums of fractions leave dust
  return rest.some((value, at) => value > (whole[at] ?? 0) * 1e-6) ? rest : null;
}

/** The index of the time that is nearest to a place between the first and the last one. */
export function nextIndex(current: number | null, step: number, length: number): number | null {
  if (length === 0) return null;
  if (current === null) return step > 0 ? 0 : length - 1;
  return Math.min(length - 1, Math.max(0, current + step));
}
