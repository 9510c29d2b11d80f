/** Size of the text in pixels, and the mean width of a character. */
export const font = { size: 11, characterWidth: 6.7 };

/** A curve of the plot: its method, its name in the legend, its CSS class and its two colours. */
export interface PlottedMethod {
  readonly method: string;
  readonly label: string;
  readonly kind: string;
  readonly light: string;
  readonly dark: string;
}

const paper = { light: '#ffffff', dark: '#0d1117' };
const ink = { light: '#1f2328', dark: '#e6edf3' };
const soft = { light: '#59636e', dark: '#9198a1' };
const grid = { light: '#e4e8ec', dark: '#262c36' };

/** Style sheet of the plot, for light and dark pages. */
export function styleOf(methods: readonly PlottedMethod[]): string {
  const colours = {
    paper,
    ink,
    soft,
    grid,
    ...Object.fromEntries(methods.map((m) => [m.kind, m])),
  };
  const variables = (theme: 'light' | 'dark'): string =>
    Object.entries(colours)
      .map(([name, colour]) => `--${name}: ${colour[theme]};`)
      .join(' ');
  return `
  svg { ${variables('light')} }
  @media (prefers-color-scheme: dark) { svg { ${variables('dark')} } }
  text { font: ${font.size}px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--ink); }
  .title { font-size: 15px; font-weight: 600; }
  .soft { fill: var(--soft); }
  .label { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; }
  .grid { stroke: var(--grid); }
  .curve { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
  .dot { fill: var(--paper); stroke: var(--ink); stroke-width: 1.5; }
  ${methods.map(({ kind }) => `.${kind} { stroke: var(--${kind}); }`).join(' ')}
  .curve.zero { stroke-dasharray: 5 4; }
  .curve.router { stroke-width: 3; }`;
}
