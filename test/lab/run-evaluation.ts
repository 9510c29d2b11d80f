import { decodePredictor } from '../../src/routing/predictor/predictor-file.js';
import { QualityPredictor } from '../../src/routing/predictor/quality-predictor.js';
import { measureDecision } from './protocols/decision-time.js';
import { joinTrials, type Trial } from './protocols/trial.js';
import { folds as allFolds } from './protocols/in-distribution.js';
import { blocksOf, type BlockSignals } from './protocols/held-out-gate.js';
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
  folds: [0, 1, 2, 3, 4],
  families: null,
  draw: { draws: 400, seed: 1 },
  familyDraw: { draws: 200, seed: 1 },
  curve: { sizes: [50, 200, 500, 1500], repeats: 2, seed: 1 },
};

/** One fold and three families, with rough intervals. */
export const quickExtent: Extent = {
  folds: [0],
  families: ['bfcl', 'crux', 'math'],
  draw: { draws: 60, seed: 1 },
  familyDraw: { draws: 60, seed: 1 },
  curve: { sizes: [50, 200], repeats: 1, seed: 1 },
};

/** All that was measured. */
export interface Evaluation {
  /** One for each named pool, on prompts that the fits did not see. */
  readonly inDistribution: readonly Verdict[];
  readonly families: readonly FamilyResult[];
  readonly stability: Stability | null;
  /** Microseconds for one decision. */
  readonly decisionMicros: number | null;
}

/** Hears what is done, of how many tasks. */
export type OnTask = (done: number, of: number, what: string) => void;

/** Evaluates the router and the baselines: in distribution, with each family held out, and how fast a family is learned. */
export async function evaluate(
  run: RunTask,
  { folds, families, draw, familyDraw, curve }: Extent,
  onTask: OnTask,
): Promise<Evaluation> {
  const known = await run('families', {});
  const held = families === null ? known : known.filter((family) => families.includes(family));
  const blocks = blocksOf(held),
    alone = held.map((family) => [family]);
  let done = 0;
  const told = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    onTask(++done, alone.length + blocks.length + folds.length + held.length + 1, what);
    return result;
  };
  const gateOf = (without: readonly string[][]): Promise<BlockSignals[]> =>
    Promise.all(
      without.map((block) =>
        told(`the gate, without ${block.join(', ')}`, run('block', { block })),
      ),
    );
  // what is shipped has a gate that was fitted so; a family's own test may not see the family at all
  const [usual, signals] = await Promise.all([gateOf(alone), gateOf(blocks)]);
  const [parts, byFamily] = await Promise.all([
    Promise.all(
      folds.map((fold, at) =>
        told(
          `fold ${fold + 1} of ${allFolds}`,
          run('fold', { fold, blocks: usual, isMeasured: at === 0 }),
        ),
      ),
    ),
    Promise.all(
      held.map((family) =>
        told(
          `without ${family}`,
          run('family', { family, blocks: signals, draw: familyDraw, curve }),
        ),
      ),
    ),
  ]);
  const inDistribution = await Promise.all(
    trialsOf(parts).map((trial) => run('judge', { trial, draw })),
  );
  // last, when no other thread takes the machine's time; and here, where the evaluations are not in memory: a gateway has none either
  const router = parts[0]?.router;
  const decisionMicros = router
    ? await told(
        'the time of a decision',
        measureDecision(
          await run('decisionSample', {}),
          new QualityPredictor(decodePredictor(router)),
        ),
      )
    : null;
  return {
    inDistribution,
    families: byFamily,
    stability: parts[0]?.stability ?? null,
    decisionMicros,
  };
}

function trialsOf(parts: readonly FoldResult[]): Trial[] {
  return (
    parts[0]?.trials.map((_, pool) => joinTrials(parts.map(({ trials }) => trials[pool]!))) ?? []
  );
}
