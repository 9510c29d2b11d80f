import type { CandidateExplanation } from '../../chooser/explain-plan.js';
import type { PreviewItem } from './preview-item.js';

/** The same figure under the setting of now and under the one that is tried. */
export interface Beside {
  readonly current: number;
  readonly preview: number;
  /** Of how many items it is known for both. */
  readonly items: number;
}

/** What a preference would change in sum. */
export interface PreviewTotals {
  readonly items: number;
  readonly changed: number;
  /** Items for which no model is left. */
  readonly undecided: number;
  /** The sum of the expected costs, in USD; null: known of none. */
  readonly cost: Beside | null;
  /** The mean predicted quality. */
  readonly quality: Beside | null;
  /** The mean time to the first token, in seconds. */
  readonly latency: Beside | null;
  /** How often each model wins, those that win most often first. */
  readonly models: readonly {
    readonly label: string;
    readonly current: number;
    readonly preview: number;
  }[];
}

/** Sums items up; a figure counts only where it is known of both winners. */
export function totalsOf(items: readonly PreviewItem[]): PreviewTotals {
  return {
    items: items.length,
    changed: items.filter(({ isChanged }) => isChanged).length,
    undecided: items.filter(({ winner }) => winner === null).length,
    cost: beside(items, ({ cost }) => cost, false),
    quality: beside(items, ({ quality }) => quality, true),
    latency: beside(items, ({ latency }) => latency, true),
    models: winsOf(items),
  };
}

type FigureOf = (one: CandidateExplanation) => number | null | undefined;

function beside(items: readonly PreviewItem[], figure: FigureOf, isMean: boolean): Beside | null {
  let [current, preview, count] = [0, 0, 0];
  for (const item of items) {
    const now = item.current && figure(item.current);
    const then = item.winner && figure(item.winner);
    if (typeof now !== 'number' || typeof then !== 'number') continue;
    current += now;
    preview += then;
    count++;
  }
  if (count === 0) return null;
  const whole = isMean ? count : 1;
  return { current: current / whole, preview: preview / whole, items: count };
}

function winsOf(items: readonly PreviewItem[]): PreviewTotals['models'] {
  const wins = new Map<string, { label: string; current: number; preview: number }>();
  const count = (one: CandidateExplanation | null, which: 'current' | 'preview'): void => {
    if (one === null) return;
    const win = wins.get(one.label) ?? { label: one.label, current: 0, preview: 0 };
    win[which]++;
    wins.set(one.label, win);
  };
  for (const { current, winner } of items) {
    count(current, 'current');
    count(winner, 'preview');
  }
  return [...wins.values()].sort((a, b) => b.preview - a.preview || b.current - a.current);
}
