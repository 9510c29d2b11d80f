import { createScales, frame, pathThrough, pixel } from '../report/plot-frame.js';
import { styleOf } from '../report/plot-style.js';
import type { GradedVerdict } from './judge-graded.js';

/** Rules of one sort, from the dearest to the cheapest, and what each reaches. */
export interface Frontier {
  readonly label: string;
  readonly verdicts: readonly GradedVerdict[];
}

const kinds = [
  { kind: 'router', light: '#0969da', dark: '#58a6ff' },
  { kind: 'forest', light: '#cf5b00', dark: '#f0883e' },
  { kind: 'near', light: '#1a7f37', dark: '#3fb950' },
] as const;
const width = 720,
  height = 500;

/** What rules of a few sorts cost and reach, as SVG for light and dark pages: at most three sorts. */
export function plotFrontiers(title: string, frontiers: readonly Frontier[]): string {
  const points = frontiers.map(({ verdicts }) =>
    verdicts.map(({ usd, accuracy }) => ({ cost: usd / 1_000, score: accuracy })),
  );
  const { x, y, axes } = createScales(points.flat());
  const drawn = frontiers.map(({ label }, at) => ({ method: label, label, ...kinds[at]! }));
  const bodies = drawn.flatMap(({ label, kind }, at) => {
    const pixels = points[at]!.map(({ cost, score }) => [x(cost), y(score)] as [number, number]);
    const top = frame.y + frame.height - 16 - 20 * at;
    return [
      `<path class="curve ${kind}" d="${pathThrough(pixels)}"/>`,
      ...pixels.map(
        ([cx, cy]) => `<circle class="dot" cx="${pixel(cx)}" cy="${pixel(cy)}" r="3"/>`,
      ),
      `<line class="curve ${kind}" x1="${frame.x + 360}" x2="${frame.x + 386}" y1="${top}" y2="${top}"/>`,
      `<text x="${frame.x + 394}" y="${top + 4}">${label}</text>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">`,
    `<style>${styleOf(drawn)}</style>`,
    `<rect width="${width}" height="${height}" style="fill: var(--paper)"/>`,
    `<text class="title" x="${frame.x}" y="24">${title}</text>`,
    `<text class="soft" x="${frame.x}" y="43">true share of good answers</text>`,
    ...axes,
    ...bodies,
    '</svg>',
    '',
  ].join('\n');
}
