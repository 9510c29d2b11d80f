import type { Measure, Sample } from './growth.js';

const [width, height] = [760, 300];
const frame = { x: 52, y: 44, width: 590, height: 200 };

/** A curve with its name and its colours on light and dark pages. */
const curves: readonly { measure: Measure; label: string; light: string; dark: string }[] = [
  { measure: 'rssMb', label: 'RSS, MB', light: '#0969da', dark: '#58a6ff' },
  { measure: 'heapMb', label: 'heap, MB', light: '#8250df', dark: '#bc8cff' },
  { measure: 'handles', label: 'handles', light: '#1a7f37', dark: '#3fb950' },
  { measure: 'fds', label: 'file descriptors', light: '#bc4c00', dark: '#f0883e' },
];

const style = `
  svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --grid: #e4e8ec; ${colours('light')} }
  @media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --grid: #262c36; ${colours('dark')} } }
  text { font: 11px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--soft); }
  .title { font-size: 14px; font-weight: 600; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .grid { stroke: var(--grid); }
  .curve { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
  ${curves.map(({ measure }) => `.${measure} { stroke: var(--${measure}); } text.${measure} { stroke: none; fill: var(--${measure}); }`).join('\n  ')}`;

function colours(theme: 'light' | 'dark'): string {
  return curves.map((curve) => `--${curve.measure}: ${curve[theme]};`).join(' ');
}

/** Draws the samples of a run as SVG, for light and dark pages. */
export function drawSamples(samples: readonly Sample[]): string {
  const seconds = samples.at(-1)?.seconds ?? 1;
  const top = roundUp(Math.max(...samples.flatMap((each) => curves.map((c) => each[c.measure]))));
  const x = (at: number): number => frame.x + (at / seconds) * frame.width;
  const y = (value: number): number => frame.y + frame.height * (1 - value / top);
  const levels = [0, 1, 2, 3, 4].map((step) => (top * step) / 4);
  const times = [0, 1, 2, 3, 4, 5, 6].map((step) => (seconds * step) / 6);
  const right = frame.x + frame.width;
  const bottom = frame.y + frame.height;
  const labels = placeLabels((measure) => y(samples.at(-1)?.[measure] ?? 0) + 4);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Memory and handles of a gateway under load, over time">
<style>${style}</style>
<rect class="paper" width="${width}" height="${height}"/>
<text class="title" x="${frame.x}" y="24">A gateway under mixed load for ${Math.round(seconds / 60)} minutes</text>
${levels.map((level) => `<line class="grid" x1="${frame.x}" x2="${right}" y1="${y(level)}" y2="${y(level)}"/><text x="${frame.x - 8}" y="${y(level) + 4}" text-anchor="end">${Math.round(level)}</text>`).join('\n')}
${times.map((at) => `<text x="${x(at).toFixed(1)}" y="${bottom + 18}" text-anchor="middle">${Math.round(at / 60)}</text>`).join('\n')}
<text x="${frame.x + frame.width / 2}" y="${bottom + 38}" text-anchor="middle">minutes</text>
${curves
  .map(({ measure, label }) => {
    const points = samples.map(
      (each) => `${x(each.seconds).toFixed(1)},${y(each[measure]).toFixed(1)}`,
    );
    return `<polyline class="curve ${measure}" points="${points.join(' ')}"/><text class="${measure}" x="${right + 6}" y="${labels.get(measure)?.toFixed(1)}">${label}</text>`;
  })
  .join('\n')}
</svg>
`;
}

/** Labels beside the ends of their curves, none over another. */
function placeLabels(endOf: (measure: Measure) => number): Map<Measure, number> {
  const placed = new Map<Measure, number>();
  let lowest = Infinity;
  const fromBelow = curves
    .map(({ measure }) => measure)
    .sort((one, other) => endOf(other) - endOf(one));
  for (const measure of fromBelow) {
    lowest = Math.min(endOf(measure), lowest - 14);
    placed.set(measure, lowest);
  }
  return placed;
}

/** The next 1, 2, 4, 6 or 8 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((digit) => digit * power).find((each) => each >= value) ?? value;
}
