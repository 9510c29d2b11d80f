import { joinTrials } from './protocols/trial.js';
import { blocksOf } from './protocols/held-out-gate.js';
import type { CurveOptions } from './protocols/learning-curve.js';
import type { Stability } from './protocols/stability.js';
import type { DrawOptions } from './estimates.js';
import type { Verdict } from './judge.js';
import type { FamilyResult, FoldResult, RunTask } from './tasks.js';

/** How much is evaluated. */
export interface Extent {
  readonly folds: readonly number[];
  /** Families to hold out; null: all that are large enough. */
  readonly families: readonly string[] | null;
  /** Draws in distribution, and for a family. */
  readonly draw: DrawOptions;
  readonly familyDraw: DrawOptions;
  readonly curve: CurveOptions;
}

/** The whole evaluation: minutes. */
export const wholeExtent: Extent = {
  folds: [0, 1, 2, 3, 4], families: null, draw: { draws: 400, seed: 1 }, familyDraw: { draws: 200, seed: 1 }, curve: { sizes: [50, 200, 500, 1500], repeats: 3, seed: 1 },
};

/** One fold and three families, with rough intervals. */
export const quickExtent: Extent = {
  folds: [0], families: ['bfcl', 'crux', 'math'], draw: { draws: 60, seed: 1 }, familyDraw: { draws: 60, seed: 1 }, curve: { sizes: [50, 200], repeats: 1, seed: 1 },
};

/** All that was measured. */
export interface Evaluation {
  /** One for each named pool, on prompts that the fits did not see. */
  readonly inDistribution: readonly Verdict[];
  readonly families: readonly FamilyResult[];
  readonly stability: Stability | null;
  readonly decisionMicros: number | null;
}

/** Hears what is done, of how many tasks. */
export type OnTask = (done: number, of: number, what: string) => void;

/** Evaluates the router and the baselines: in distribution, with each family held out, and how fast a family is learned. */
export async function evaluate(run: RunTask, { folds, families, draw, familyDraw, curve }: Extent, onTask: OnTask): Promise<Evaluation> {
  const known = await run('families', {});
  const held = families === null ? known : known.filter((family) => families.includes(family));
  const blocks = blocksOf(held);
  let done = 0;
  const told = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    onTask(++done, blocks.length + folds.length + held.length, what);
    return result;
  };
  const signals = await Promise.all(blocks.map((block) => told(`the gate, without ${block.join(', ')}`, run('block', { block }))));
  const [parts, byFamily] = await Promise.all([
    Promise.all(folds.map((fold, at) => told(`fold ${fold + 1}`, run('fold', { fold, blocks: signals, isMeasured: at === 0 })))),
    Promise.all(held.map((family) => told(`without ${family}`, run('family', { family, blocks: signals, draw: familyDraw, curve })))),
  ]);
  const inDistribution = await Promise.all(trialsOf(parts).map((trial) => run('judge', { trial, draw })));
  return { inDistribution, families: byFamily, stability: parts[0]?.stability ?? null, decisionMicros: parts[0]?.decisionMicros ?? null };
}

function trialsOf(parts: readonly FoldResult[]): ReturnType<typeof joinTrials>[] {
  return parts[0]?.trials.map((_, pool) => joinTrials(parts.map(({ trials }) => trials[pool]!))) ?? [];
}
