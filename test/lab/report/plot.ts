import type { Point } from '../../../src/chooser/training/custom/cost-curve.js';
import type { Verdict } from '../judge.js';
import { hindsightZero } from '../protocols/trial.js';
import { formatCount, formatScore } from './format-figures.js';
import { placeLabels, type Box } from './place-labels.js';
import { createScales, frame, pathThrough, pixel, type PlotScales } from './plot-frame.js';
import { font, styleOf, type PlottedMethod } from './plot-style.js';

const width = 720;
const height = 500;

/** The curves, the last one on top. */
const plotted: readonly PlottedMethod[] = [
  {
    method: hindsightZero,
    label: 'zero router (mixtures of models)',
    kind: 'zero',
    light: '#8c959f',
    dark: '#848d97',
  },
  {
    method: 'length only',
    label: 'length only',
    kind: 'length',
    light: '#bf8700',
    dark: '#d9a62e',
  },
  {
    method: 'nearest neighbours',
    label: 'nearest neighbours',
    kind: 'near',
    light: '#1a7f37',
    dark: '#3fb950',
  },
  {
    method: 'logistic heads',
    label: 'logistic heads',
    kind: 'logistic',
    light: '#8250df',
    dark: '#b794f6',
  },
  {
    method: 'random forest',
    label: 'random forest',
    kind: 'forest',
    light: '#cf5b00',
    dark: '#f0883e',
  },
  { method: 'router', label: 'Signalbox', kind: 'router', light: '#0969da', dark: '#58a6ff' },
];

type Pixels = readonly [x: number, y: number];

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * The path of a hull, in small steps so that labels can keep away from it. A mixture of two models
 * lies on the straight line between them, which a logarithmic scale bends.
 */
function pixelsOf(hull: readonly Point[], { x, y }: PlotScales): readonly Pixels[] {
  const bent = hull.flatMap((from, corner) => {
    const to = hull[corner + 1] ?? from;
    return Array.from({ length: to === from ? 1 : 12 }, (_, step): Pixels => {
      const share = step / 12;
      return [
        x(from.cost + (to.cost - from.cost) * share),
        y(from.score + (to.score - from.score) * share),
      ];
    });
  });
  return [...bent, ...levelFrom(bent.at(-1)!)];
}

/** Paying more than the best model costs changes nothing. */
function levelFrom([x, y]: Pixels): Pixels[] {
  const right = frame.x + frame.width;
  const steps = Math.max(1, Math.ceil((right - x) / 6));
  return Array.from({ length: steps }, (_, step) => [x + ((right - x) * (step + 1)) / steps, y]);
}

function legendBox(entries: number): Box {
  const boxHeight = 20 * (entries + 1) + 8;
  return {
    x: frame.x + frame.width - 220,
    y: frame.y + frame.height - boxHeight,
    width: 220,
    height: boxHeight,
  };
}

function legendOf(drawn: readonly PlottedMethod[]): string[] {
  const { x, y } = legendBox(drawn.length);
  const textAt = (top: number, text: string): string =>
    `<text x="${x + 34}" y="${top + 4}">${text}</text>`;
  const entries = [...drawn].reverse().map(({ label, kind }, place) => {
    const top = y + 20 * place;
    return `<line class="curve ${kind}" x1="${x}" x2="${x + 26}" y1="${top}" y2="${top}"/>${textAt(top, label)}`;
  });
  const last = y + 20 * drawn.length;
  return [
    ...entries,
    `<circle class="dot" cx="${x + 13}" cy="${last}" r="4"/>${textAt(last, 'one model, always')}`,
  ];
}

function headingOf({ name, rows, methods }: Verdict): string[] {
  const oracle = methods['oracle']?.accuracy;
  const best = oracle ? `; the oracle reaches ${formatScore(oracle.value)}` : '';
  return [
    `<text class="title" x="${frame.x}" y="24">Cost and quality of choosing a model: ${escapeText(name)}</text>`,
    `<text class="soft" x="${frame.x}" y="43">share of good answers to ${formatCount(rows)} prompts that the fit did not see${best}</text>`,
  ];
}

function dotsOf(
  singles: Verdict['singles'],
  { x, y }: PlotScales,
  taken: readonly Box[],
): string[] {
  const dots = singles.map(({ cost, score, model }) => ({ x: x(cost), y: y(score), text: model }));
  const labels = placeLabels(dots, taken, frame, {
    height: font.size + 3,
    characterWidth: font.characterWidth,
  });
  return [
    ...dots.map((dot) => `<circle class="dot" cx="${pixel(dot.x)}" cy="${pixel(dot.y)}" r="4"/>`),
    ...labels.map(
      (label) =>
        `<text class="label" x="${pixel(label.x)}" y="${pixel(label.y + font.size)}">${escapeText(label.text)}</text>`,
    ),
  ];
}

/** The cost-quality plot of a pool as SVG, 720 pixels wide, for light and dark pages. */
export function plotOf(verdict: Verdict): string {
  const { curves, singles } = verdict;
  const drawn = plotted.filter(({ method }) => (curves[method]?.length ?? 0) > 0);
  const hulls = drawn.map(({ method }) => curves[method]!);
  const scales = createScales([...hulls.flat(), ...singles]);
  const paths = hulls.map((hull) => pixelsOf(hull, scales));
  const taken = [
    ...paths.flat().map(([x, y]): Box => ({ x: x - 3, y: y - 3, width: 6, height: 6 })),
    legendBox(drawn.length),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Cost and quality of choosing a model">`,
    `<style>${styleOf(plotted)}</style>`,
    `<rect width="${width}" height="${height}" style="fill: var(--paper)"/>`,
    ...headingOf(verdict),
    ...scales.axes,
    ...drawn.map(
      ({ kind }, place) => `<path class="curve ${kind}" d="${pathThrough(paths[place]!)}"/>`,
    ),
    ...dotsOf(singles, scales, taken),
    ...legendOf(drawn),
    '</svg>',
    '',
  ].join('\n');
}
