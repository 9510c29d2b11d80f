import type { Point } from '../../../src/training/custom/cost-curve.js';
import type { Verdict } from '../judge.js';
import { hindsightZero } from '../protocols/trial.js';
import { placeLabels, type Box } from './place-labels.js';
import { score, share } from './written.js';

const width = 720,
  height = 500;
const frame: Box = { x: 56, y: 58, width: 640, height: 386 };
const font = 11,
  perCharacter = 6.7;

/** Curves as they are drawn, the last on top: the way to choose, its name in the legend and its class. */
const lines = [
  [hindsightZero, 'zero router (mixtures of models)', 'zero'],
  ['length only', 'length only', 'length'],
  ['nearest neighbours', 'nearest neighbours', 'near'],
  ['logistic heads', 'logistic heads', 'logistic'],
  ['random forest', 'random forest', 'forest'],
  ['router', 'Signalbox', 'router'],
] as const;

const style = `
  svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --grid: #e4e8ec; --zero: #8c959f; --length: #bf8700; --near: #1a7f37; --logistic: #8250df; --forest: #cf5b00; --router: #0969da; }
  @media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --grid: #262c36; --zero: #848d97; --length: #d9a62e; --near: #3fb950; --logistic: #b794f6; --forest: #f0883e; --router: #58a6ff; } }
  text { font: ${font}px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--ink); }
  .title { font-size: 15px; font-weight: 600; } .soft { fill: var(--soft); } .label { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; }
  .grid { stroke: var(--grid); } .curve { fill: none; stroke-width: 1.5; stroke-linejoin: round; } .dot { fill: var(--paper); stroke: var(--ink); stroke-width: 1.5; }
  ${lines.map(([, , name]) => `.${name} { stroke: var(--${name}); }`).join(' ')} .curve.zero { stroke-dasharray: 5 4; } .curve.router { stroke-width: 3; }`;

interface Scale {
  x(cost: number): number;
  y(score: number): number;
  readonly costs: readonly [number, number];
  readonly scores: readonly [number, number];
}

function scaleOf(curves: readonly (readonly Point[])[], singles: readonly Point[]): Scale {
  const points = [...curves.flat(), ...singles];
  const costs = points.map(({ cost }) => Math.log10(cost * 1000)).filter(Number.isFinite),
    scores = points.map(({ score: mean }) => mean);
  const from = Math.min(...costs) - 0.12,
    to = Math.max(...costs) + 0.2;
  const low = Math.floor((Math.min(...scores) - 0.01) * 20) / 20,
    high = Math.ceil((Math.max(...scores) + 0.01) * 20) / 20;
  return {
    x: (cost) => frame.x + ((Math.log10(cost * 1000) - from) / (to - from)) * frame.width,
    y: (mean) => frame.y + ((high - mean) / (high - low)) * frame.height,
    costs: [10 ** from, 10 ** to],
    scores: [low, high],
  };
}

const at = (value: number): string => value.toFixed(1);
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function gridOf({ x, y, costs, scores }: Scale): string[] {
  const exponents = Array.from({ length: 12 }, (_, step) => step - 6);
  const dollars = exponents
    .flatMap((exponent) => [1, 2, 5].map((digit) => digit * 10 ** exponent))
    .filter((dollar) => dollar >= costs[0] && dollar <= costs[1]);
  const steps = Math.round((scores[1] - scores[0]) / 0.05);
  const heights = Array.from({ length: steps + 1 }, (_, step) => scores[0] + step * 0.05).filter(
    (_, step) => steps <= 10 || step % 2 === 0,
  );
  const bottom = frame.y + frame.height,
    right = frame.x + frame.width;
  return [
    ...dollars.map(
      (dollar) =>
        `<line class="grid" x1="${at(x(dollar / 1000))}" x2="${at(x(dollar / 1000))}" y1="${frame.y}" y2="${bottom}"/><text class="soft" x="${at(x(dollar / 1000))}" y="${bottom + 17}" text-anchor="middle">$${Number(dollar.toPrecision(1))}</text>`,
    ),
    ...heights.map(
      (mean) =>
        `<line class="grid" x1="${frame.x}" x2="${right}" y1="${at(y(mean))}" y2="${at(y(mean))}"/><text class="soft" x="${frame.x - 8}" y="${at(y(mean) + 4)}" text-anchor="end">${share(mean)}</text>`,
    ),
    `<text class="soft" x="${frame.x + frame.width / 2}" y="${bottom + 38}" text-anchor="middle">cost of 1,000 requests (USD, logarithmic)</text>`,
  ];
}

/** A mixture of two points lies on a straight line between them, which a scale of multiples bends. */
function pathOf(hull: readonly Point[], { x, y }: Scale): readonly (readonly [number, number])[] {
  const bent = hull.flatMap((a, corner) => {
    const b = hull[corner + 1] ?? a;
    return Array.from({ length: b === a ? 1 : 12 }, (_, step): readonly [number, number] => [
      x(a.cost + ((b.cost - a.cost) * step) / 12),
      y(a.score + ((b.score - a.score) * step) / 12),
    ]);
  });
  const [end, last] = bent.at(-1)!;
  // it stays where it is however much may be paid; in steps, so that labels keep away from it
  const rest = Math.max(1, Math.ceil((frame.x + frame.width - end) / 6));
  return [
    ...bent,
    ...Array.from({ length: rest }, (_, step): readonly [number, number] => [
      end + ((frame.x + frame.width - end) * (step + 1)) / rest,
      last,
    ]),
  ];
}

function legendBox(entries: number): Box {
  const tall = 20 * (entries + 1) + 8;
  return {
    x: frame.x + frame.width - 220,
    y: frame.y + frame.height - tall,
    width: 220,
    height: tall,
  };
}

function legendOf(drawn: readonly (typeof lines)[number][]): string[] {
  const { x: left, y: top } = legendBox(drawn.length);
  const entries = [...drawn]
    .reverse()
    .map(
      ([, name, kind], place) =>
        `<line class="curve ${kind}" x1="${left}" x2="${left + 26}" y1="${top + 20 * place}" y2="${top + 20 * place}"/><text x="${left + 34}" y="${top + 20 * place + 4}">${name}</text>`,
    );
  return [
    ...entries,
    `<circle class="dot" cx="${left + 13}" cy="${top + 20 * drawn.length}" r="4"/><text x="${left + 34}" y="${top + 20 * drawn.length + 4}">one model, always</text>`,
  ];
}

function headingOf({ name, rows, ways }: Verdict): string[] {
  const oracle = ways['oracle']?.accuracy;
  return [
    `<text class="title" x="${frame.x}" y="24">Cost and quality of choosing a model: ${escaped(name)}</text>`,
    `<text class="soft" x="${frame.x}" y="43">share of good answers to ${rows.toLocaleString('en-US')} prompts that the fit did not see${oracle ? `; whoever knew every answer beforehand: ${score(oracle.value)}` : ''}</text>`,
  ];
}

/** The cost-quality plot of a pool as SVG, 720 pixels wide, for light and dark pages. */
export function plotOf(verdict: Verdict): string {
  const { curves, singles } = verdict;
  const drawn = lines.filter(([way]) => (curves[way]?.length ?? 0) > 0);
  const scale = scaleOf(
    drawn.map(([way]) => curves[way]!),
    singles,
  );
  const paths = drawn.map(([way]) => pathOf(curves[way]!, scale));
  const taken = [
    ...paths.flat().map(([x, y]): Box => ({ x: x - 3, y: y - 3, width: 6, height: 6 })),
    legendBox(drawn.length),
  ];
  const dots = singles.map(({ cost, score: mean, model }) => ({
    x: scale.x(cost),
    y: scale.y(mean),
    text: model,
  }));
  const labels = placeLabels(dots, taken, frame, { height: font + 3, perCharacter });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Cost and quality of choosing a model">`,
    `<style>${style}</style>`,
    `<rect width="${width}" height="${height}" style="fill: var(--paper)"/>`,
    ...headingOf(verdict),
    ...gridOf(scale),
    ...drawn.map(
      ([, , kind], place) =>
        `<polyline class="curve ${kind}" points="${paths[place]!.map(([x, y]) => `${at(x)},${at(y)}`).join(' ')}"/>`,
    ),
    ...dots.map(({ x, y }) => `<circle class="dot" cx="${at(x)}" cy="${at(y)}" r="4"/>`),
    ...labels.map(
      ({ x, y, text }) =>
        `<text class="label" x="${at(x)}" y="${at(y + font)}">${escaped(text)}</text>`,
    ),
    ...legendOf(drawn),
    '</svg>',
    '',
  ].join('\n');
}
