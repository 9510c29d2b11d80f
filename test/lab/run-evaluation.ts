import { decodePredictor } from '../../src/chooser/predictor/predictor-file.js';
import { QualityPredictor } from '../../src/chooser/predictor/quality-predictor.js';
import type { DrawOptions } from './estimates.js';
import { measureDecision } from './protocols/decision-time.js';
import { joinTrials, type Trial } from './protocols/trial.js';
import { folds as foldCount } from './protocols/in-distribution.js';
import { blocksOf, type BlockSignals } from './protocols/held-out-gate.js';
import type { CurveOptions } from './protocols/learning-curve.js';
import type { Stability } from './protocols/stability.js';
import type { Verdict } from './judge.js';
import type { FamilyResult, FoldResult, RunTask } from './tasks.js';

/** How much is evaluated. */
export interface Extent {
  readonly folds: readonly number[];
  /** Families to hold out; null: all that are large enough. */
  readonly families: readonly string[] | null;
  /** Bootstrap draws in distribution. */
  readonly draw: DrawOptions;
  /** Bootstrap draws for a family. */
  readonly familyDraw: DrawOptions;
  readonly curve: CurveOptions;
}

/** The full evaluation. */
export const fullExtent: Extent = {
  folds: [0, 1, 2, 3, 4],
  families: null,
  draw: { draws: 400, seed: 1 },
  familyDraw: { draws: 200, seed: 1 },
  curve: { sizes: [50, 200, 500, 1500], repeats: 2, seed: 1 },
};

/** One fold and three families, with wide intervals. */
export const quickExtent: Extent = {
  folds: [0],
  families: ['bfcl', 'crux', 'math'],
  draw: { draws: 60, seed: 1 },
  familyDraw: { draws: 60, seed: 1 },
  curve: { sizes: [50, 200], repeats: 1, seed: 1 },
};

/** Everything that an evaluation measured. */
export interface Evaluation {
  /** One for each named pool, on prompts that the fits did not see. */
  readonly inDistribution: readonly Verdict[];
  readonly families: readonly FamilyResult[];
  readonly stability: Stability | null;
  /** Microseconds for one decision. */
  readonly decisionMicros: number | null;
}

/** Called after each finished task. */
export type OnTaskDone = (done: number, total: number, task: string) => void;

/**
 * Evaluates the router and the baselines: in distribution, with each family held out, and how fast
 * a held-out family is learned.
 */
export async function runEvaluation(
  run: RunTask,
  extent: Extent,
  onTaskDone: OnTaskDone,
): Promise<Evaluation> {
  const { folds, families, draw } = extent;
  const known = await run('families', {});
  const held = families === null ? known : known.filter((family) => families.includes(family));
  const blocks = blocksOf(held);
  const total = held.length + blocks.length + folds.length + held.length + 1;
  const report = reportDone(total, onTaskDone);
  const [aloneSignals, blockSignals] = await Promise.all([
    holdOutBlocks(
      run,
      held.map((family) => [family]),
      report,
    ),
    holdOutBlocks(run, blocks, report),
  ]);
  const [parts, familyResults] = await Promise.all([
    // the shipped gate is fitted in the same way: one family held out at a time
    evaluateFolds(run, folds, aloneSignals, report),
    // the gate of a family's own test must not have seen the family at all
    evaluateFamilies(run, held, blockSignals, extent, report),
  ]);
  const inDistribution = await Promise.all(
    trialsOf(parts).map((trial) => run('judge', { trial, draw })),
  );
  return {
    inDistribution,
    families: familyResults,
    stability: parts[0]?.stability ?? null,
    decisionMicros: await decisionTime(run, parts[0]?.predictor ?? null, report),
  };
}

type Report = <T>(task: string, work: Promise<T>) => Promise<T>;

function reportDone(total: number, onTaskDone: OnTaskDone): Report {
  let done = 0;
  return async (task, work) => {
    const result = await work;
    onTaskDone(++done, total, task);
    return result;
  };
}

function holdOutBlocks(
  run: RunTask,
  blocks: readonly (readonly string[])[],
  report: Report,
): Promise<BlockSignals[]> {
  return Promise.all(
    blocks.map((block) => report(`the gate, without ${block.join(', ')}`, run('block', { block }))),
  );
}

function evaluateFolds(
  run: RunTask,
  folds: readonly number[],
  blocks: readonly BlockSignals[],
  report: Report,
): Promise<FoldResult[]> {
  return Promise.all(
    folds.map((fold, at) =>
      report(
        `fold ${fold + 1} of ${foldCount}`,
        run('fold', { fold, blocks, isMeasured: at === 0 }),
      ),
    ),
  );
}

function evaluateFamilies(
  run: RunTask,
  held: readonly string[],
  blocks: readonly BlockSignals[],
  { familyDraw: draw, curve }: Extent,
  report: Report,
): Promise<FamilyResult[]> {
  return Promise.all(
    held.map((family) =>
      report(`without ${family}`, run('family', { family, blocks, draw, curve })),
    ),
  );
}

/**
 * Runs last, so that no other thread takes processor time, and in this thread, which has no
 * evaluations in memory: neither has a gateway.
 */
async function decisionTime(
  run: RunTask,
  predictor: Uint8Array | null,
  report: Report,
): Promise<number | null> {
  if (predictor === null) return null;
  const sample = await run('decisionSample', {});
  return report(
    'the time of a decision',
    measureDecision(sample, new QualityPredictor(decodePredictor(predictor))),
  );
}

function trialsOf(parts: readonly FoldResult[]): Trial[] {
  return (
    parts[0]?.trials.map((_, pool) => joinTrials(parts.map(({ trials }) => trials[pool]!))) ?? []
  );
}
